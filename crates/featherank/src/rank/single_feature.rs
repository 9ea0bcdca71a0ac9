//! Single feature: ranks by one feature. The baseline that every trained model must beat.
//!
//! With `feature = best` (the default), it selects the feature with the best measure on the
//! training data; any other value names the feature, for instance BM25, the usual baseline of risk
//! measures (Dinçer et al. 2014).

use rayon::prelude::*;

use super::{LinearModel, Model, Ranker};
use crate::data::{FeatureId, View};
use crate::declare::method;
use crate::error::{Error, Result};
use crate::run::Run;

method! {
    /// Ranking by the values of a single feature.
    pub struct SingleFeature: Ranker as "single-feature",
        cites ["dincer2014"], AsPublished, Rows
    {
        /// Feature to rank by.
        let feature: Feature = "best",
        /// Measure by which the best feature is chosen.
        measure: Measure = "ndcg[ties=expected]@10",
        derive feature: Option<String> = Some(feature).filter(|name| name != "best");
    }
}

impl Ranker for SingleFeature {
    fn learn(&self, run: &Run, train: &View<'_>, _: Option<&View<'_>>) -> Result<Model> {
        let table = train.data().features();
        let feature = match &self.feature {
            Some(name) => {
                let feature = table.resolve(name)?;
                if !train.features().contains(&feature) {
                    let expected = "one of the features to train on";
                    return Err(Error::invalid("feature of single-feature", name, expected));
                }
                feature
            }
            None => self.best(run, train)?,
        };
        run.step("choosing a feature", 1, Some(1))?;
        Ok(LinearModel::new(table, &[(feature, 1.0)]).into())
    }
}

impl SingleFeature {
    fn best(&self, run: &Run, train: &View<'_>) -> Result<FeatureId> {
        let alone = |&f: &FeatureId| {
            run.check()?;
            let column = train.data().column(f);
            let scores: Vec<f32> = train.rows().flat_map(|rows| &column[rows]).copied().collect();
            Ok((f, self.measure.summary(&self.measure.per_query(&scores, train))))
        };
        let values: Vec<(FeatureId, f64)> =
            train.features().par_iter().map(alone).collect::<Result<_>>()?;
        // Ties go to the first feature.
        let best =
            values.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(f, _)| f).ok_or_else(|| {
            Error::nothing_counts(
                "the training data has no features",
                "train on at least one feature",
            )
        })
    }
}
