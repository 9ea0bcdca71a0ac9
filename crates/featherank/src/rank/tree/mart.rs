//! MART: regression trees boosted on the squared error of the labels (Friedman 2001).
//!
//! F starts at 0; every round fits a tree to the residuals y − F and adds the learning rate times
//! the mean residual of each leaf, as in RankLib. Trees use the binned matrix; RankLib instead
//! tries 256 thresholds of equal width.

use super::Bins;
use super::boost::{Splits, boosting_params};
use super::regression_tree::{labels, min_leaf_param};
use crate::data::View;
use crate::declare::method;
use crate::error::Result;
use crate::rank::{Model, Ranker, SubsetFit};
use crate::run::Run;

method! {
    /// Gradient-boosted regression trees on the squared error of the labels.
    pub struct MART: Ranker as "mart",
        cites ["friedman2001"], AsPublished, Rows,
        with [takes_missing, uses_query_level],
        grid [learning_rate: ["0.025", "0.05", "0.075", "0.1"], leaves: ["10", "50", "100"]]
    {
        use boosting_params!();
    }
}

impl Ranker for MART {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.for_subsets(run, train, valid)?(train.features())
    }

    /// Bins the matrix once; a subset is a column mask.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        valid: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        let (bins, labels) = (Bins::new(train, run.stop())?, labels(train));
        Ok(Box::new(move |features| {
            self.fit_binned(run, &bins, &bins.mask(train, features)?, &labels, valid)
        }))
    }
}

impl MART {
    /// Boosts trees over some columns of a binned matrix.
    fn fit_binned(
        &self,
        run: &Run,
        bins: &Bins,
        features: &[usize],
        labels: &[f64],
        valid: Option<&View<'_>>,
    ) -> Result<Model> {
        let splits = Splits::LeastSquares;
        let ensemble = self.boosting.boost(
            run,
            bins,
            features,
            valid,
            splits,
            &mut |scores, targets, curvatures| {
                for ((target, label), score) in targets.iter_mut().zip(labels).zip(scores) {
                    *target = label - score;
                }
                curvatures.fill(1.0);
            },
        )?;
        Ok(ensemble.into())
    }
}
