//! The correlation that measures the similarity of two features: a setting that many filters share.

use crate::data::FeatureId;
use crate::declare::choice;
use crate::engine::passes::Correlation;
use crate::engine::{CorrelationMatrix, Engine, Scope, correlations};
use crate::error::Result;

/// A correlation and the documents it is taken over.
#[derive(Debug, Clone, Copy)]
pub struct Similarity {
    kind: Correlation,
    scope: Scope,
}

choice! {
    impl Correlation {
        Kendall = "kendall", Spearman = "spearman", Pearson = "pearson", TopTen = "top-10",
    }
}

choice! {
    impl Scope { Query = "query", Pooled = "pooled" }
}

impl Similarity {
    /// From both settings.
    pub const fn new(kind: Correlation, scope: Scope) -> Self {
        Similarity { kind, scope }
    }

    /// The correlations of these features.
    pub fn of(&self, engine: &dyn Engine, features: &[FeatureId]) -> Result<CorrelationMatrix> {
        correlations(engine, self.kind, self.scope, features)
    }
}
