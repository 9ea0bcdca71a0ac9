//! Top-k: rank features by how well each one ranks documents alone.
//!
//! The simplest filter and the baseline of every other filter. The score of a feature is the mean
//! over queries of a measure when documents are sorted by that feature in descending order.
//!
//! Used as the baseline in Naini & Altingovde, ECIR 2014. Departure: tied documents contribute
//! their expected value, not the value in file order, because file order can carry information that
//! no feature has.

use crate::declare::method;
use crate::engine::passes::{Moments, feature_means};
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::run::Run;
use crate::select::{Findings, Selector};

method! {
    /// Features that rank best on their own.
    pub struct TopK: Selector as "top-k" in Filter,
        cites ["naini2014"], AsPublished, Passes
    {
        /// Measure of how well a feature ranks on its own.
        measure: Measure = "ndcg[ties=expected]@10",
    }
}

impl Selector for TopK {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let (varying, unusable) = engine.ask(&Moments)?.varying_within_queries();
        let alone = feature_means(engine, &self.measure, &varying)?;
        run.step("choosing features", 1, Some(1))?;
        let scored: Vec<_> = varying.into_iter().zip(alone).collect();
        Findings::by_score(run, engine.schema(), &scored, &unusable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;
    use crate::run::Constraints;

    /// Two queries, labels (1, 0) and (0, 1). Feature 1 orders one query correctly: mean MAP (1 +
    /// 1/2)/2 = .75; feature 2 both: 1; feature 3 is tied in both: expected value .75 as well,
    /// listed after feature 1; feature 4 none: .5. Feature 5 is constant within each query.
    #[test]
    fn orders_features_by_their_mean_alone() {
        let values = vec![
            2., 1., 2., 1., 9., 1., 1., 9., 3., 3., 3., 3.0001, 0., 1., 1., 0., 4., 4., 8., 8.,
        ];
        let data = Dataset::new(
            values,
            vec![1., 0., 0., 1.],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(5, 1),
        );
        let engine = LocalEngine::new(data, 1).unwrap();
        let run = Run::new(0, Constraints::default());
        let set = [("measure".to_owned(), "map[ties=expected]".to_owned())];
        let selection = TopK::SPEC.run(&set, &run, &engine).unwrap();
        let order: Vec<(u32, f64)> = selection.selected.iter().map(|c| (c.id, c.score)).collect();
        // Feature 3: tied in query 1 (.75) and correct in query 2 (1).
        assert_eq!(order, [(2, 1.0), (3, 0.875), (1, 0.75), (4, 0.5)]);
        assert_eq!(selection.set_aside.iter().map(|s| s.id).collect::<Vec<_>>(), [5]);
    }
}
