//! Single feature: the ranking that one feature gives. The floor that every learnt model must beat.
//!
//! With `feature = best` (the default) it is the feature that ranks the training data best under a
//! measure; any other value names the feature, BM25 for instance, which is how risk baselines are
//! usually taken (Dinçer et al. 2014).

use rayon::prelude::*;

use super::{LinearModel, Model, Ranker, RankerSpec};
use crate::data::{FeatureId, View};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::params::{Kind, Param};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `feature` | `best` | a feature's name or id, or `best` | which feature ranks |
/// | `measure` | `ndcg[ties=expected]@10` | any measure | what "best" means |
pub struct SingleFeature {
    feature: Option<String>,
    measure: Measure,
}

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "single-feature",
    summary: "the ranking that one feature gives",
    cites: &["dincer2014"],
    status: Status::AsPublished,
    scales_out: false,
    takes_missing: false,
    params: &[
        Param {
            name: "feature",
            kind: Kind::Feature,
            default: "best",
            meaning: "which feature ranks",
        },
        Param {
            name: "measure",
            kind: Kind::Measure,
            default: "ndcg[ties=expected]@10",
            meaning: "what \"best\" means",
        },
    ],
    grid: &[],
    build: |params| {
        let feature =
            Some(params.text("feature")).filter(|&name| name != "best").map(str::to_owned);
        Ok(Box::new(SingleFeature { feature, measure: params.measure("measure")? }))
    },
};

impl Ranker for SingleFeature {
    fn fit(&self, run: &Run, train: &View<'_>, _: Option<&View<'_>>) -> Result<Model> {
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
            None => self.best(train)?,
        };
        run.step("choosing a feature", 1, Some(1))?;
        Ok(LinearModel::new(table, &[(feature, 1.0)]).into())
    }
}

impl SingleFeature {
    fn best(&self, train: &View<'_>) -> Result<FeatureId> {
        let alone = |&f: &FeatureId| {
            let column = train.data().column(f);
            let scores: Vec<f32> = train.rows().flat_map(|rows| &column[rows]).copied().collect();
            (f, self.measure.summary(&self.measure.per_query(&scores, train)))
        };
        let values: Vec<(FeatureId, f64)> = train.features().par_iter().map(alone).collect();
        // The first of equals.
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
