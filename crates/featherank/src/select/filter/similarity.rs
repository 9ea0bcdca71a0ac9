//! Which correlation says how alike two features are: a setting that many filters share.

use crate::data::FeatureId;
use crate::engine::passes::Correlation;
use crate::engine::{CorrelationMatrix, Engine, Scope, correlations};
use crate::error::Result;
use crate::params::{Kind, Param, Params};

/// | Name | Range | Meaning |
/// |---|---|---|
/// | `similarity` | `kendall`, `spearman`, `pearson`, `top-10` | the correlation |
/// | `scope` | `query`, `pooled` | averaged over queries, or over all documents at once |
#[derive(Debug, Clone, Copy)]
pub struct Similarity {
    kind: Correlation,
    scope: Scope,
}

impl Similarity {
    /// The parameter for the correlation, with a paper's default.
    pub const fn kind(default: &'static str) -> Param {
        Param {
            name: "similarity",
            kind: Kind::Choice(Correlation::NAMES),
            default,
            meaning: "correlation that makes two features alike",
        }
    }

    /// The parameter for the documents that are compared.
    pub const SCOPE: Param = Param {
        name: "scope",
        kind: Kind::Choice(&["query", "pooled"]),
        default: "query",
        meaning: "correlate within queries, or over all documents as one list",
    };

    /// What the two parameters say.
    pub fn from_params(params: &Params) -> Result<Self> {
        let scope = if params.text("scope") == "pooled" { Scope::Pooled } else { Scope::Query };
        Ok(Similarity { kind: params.text("similarity").parse()?, scope })
    }

    /// How alike these features are.
    pub fn of(&self, engine: &dyn Engine, features: &[FeatureId]) -> Result<CorrelationMatrix> {
        correlations(engine, self.kind, self.scope, features)
    }
}
