//! An engine without row access, for methods that must not need rows.

use featherank::Result;
use featherank::data::Dataset;
use featherank::engine::{Engine, Job, LocalEngine, Schema};

/// Answers passes as the inner engine does, and gives no access to rows.
pub struct Elsewhere(pub LocalEngine);

impl Elsewhere {
    pub fn of(data: &Dataset) -> Self {
        Elsewhere(LocalEngine::new(data.clone(), 2).unwrap())
    }
}

impl Engine for Elsewhere {
    fn schema(&self) -> &Schema {
        self.0.schema()
    }

    fn run(&self, job: &mut dyn Job) -> Result<()> {
        self.0.run(job)
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }
}
