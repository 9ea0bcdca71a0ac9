//! MART: regression trees boosted on the squared error of the labels (Friedman 2001).
//!
//! F starts at 0; every round fits a tree to the residuals y − F and adds the learning rate times
//! the mean residual of each leaf, as RankLib does. Trees are over the binned matrix; RankLib tries
//! 256 thresholds of equal width instead.

use super::Bins;
use super::boost::{Boosting, PARAMS};
use super::regression_tree::labels;
use crate::data::View;
use crate::error::Result;
use crate::rank::{Model, Ranker, RankerSpec, SubsetFit};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `trees` | 1000 | 1 to 100000 | most trees; with validation data the best number of them is kept |
/// | `learning-rate` | 0.1 | 0.000001 to 1 | how much of each tree counts |
/// | `leaves` | 10 | 2 to 100000 | leaves of a tree, best splits first |
/// | `min-leaf` | 1 | 1 to 1000000 | fewest documents in a leaf |
/// | `patience` | 100 | 1 to 100000 | stop after so many trees without a better validation value |
/// | `measure` | `ndcg[ties=expected]@10` | any measure | what is looked at on validation data |
pub struct Mart(Boosting);

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "mart",
    summary: "regression trees boosted on the squared error of the labels",
    cites: &["friedman2001"],
    status: Status::AsPublished,
    scales_out: false,
    takes_missing: true,
    params: &PARAMS,
    grid: &[
        ("learning-rate", &["0.025", "0.05", "0.075", "0.1"]),
        ("leaves", &["10", "50", "100"]),
    ],
    build: |params| Ok(Box::new(Mart(Boosting::new(params)?))),
};

impl Ranker for Mart {
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.for_subsets(run, train, valid)?(train.features())
    }

    /// Bins once; a subset is a mask.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        valid: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        let (bins, labels) = (Bins::new(train), labels(train));
        Ok(Box::new(move |features| {
            self.fit_binned(run, &bins, &bins.mask(train, features)?, &labels, valid)
        }))
    }
}

impl Mart {
    /// Boosts trees over some features of a matrix that is already binned.
    fn fit_binned(
        &self,
        run: &Run,
        bins: &Bins,
        features: &[usize],
        labels: &[f64],
        valid: Option<&View<'_>>,
    ) -> Result<Model> {
        let ensemble =
            self.0.boost(run, bins, features, valid, &mut |scores, targets, curvatures| {
                for ((target, label), score) in targets.iter_mut().zip(labels).zip(scores) {
                    *target = label - score;
                }
                curvatures.fill(1.0);
            })?;
        Ok(ensemble.into())
    }
}
