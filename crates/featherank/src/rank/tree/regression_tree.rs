//! Regression tree: one unpruned tree fitted to the labels by least squares (Breiman et al. 1984).
//!
//! The black box of Sousa et al. 2016 for data whose features are collinear. As in scikit-learn's
//! defaults it grows until every leaf is pure or cannot be split, one document a leaf if need be.
//! Thresholds stand half-way between neighbouring values of the node; for features with more than
//! 255 values, half-way between neighbouring bins.

use super::grow::{Growth, Targets, grow};
use super::{Bins, TreeEnsemble};
use crate::data::View;
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::random::{Purpose, stream};
use crate::rank::{Model, Ranker, RankerSpec, SubsetFit};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `leaves` | 0 | 0 to 1000000 | most leaves, best splits first; 0 grows the whole tree |
/// | `min-leaf` | 1 | 1 to 1000000 | fewest documents in a leaf |
pub struct RegressionTree {
    leaves: Option<usize>,
    min_leaf: usize,
}

/// The parameter that limits a tree's size; 0 is no limit.
pub(super) const LEAVES: Param = Param {
    name: "leaves",
    kind: Kind::Whole { min: 0, max: 1_000_000 },
    default: "0",
    meaning: "most leaves, best splits first; 0 grows the whole tree",
};

/// The parameter that keeps leaves from becoming too small.
pub(super) const MIN_LEAF: Param = Param {
    name: "min-leaf",
    kind: Kind::Whole { min: 1, max: 1_000_000 },
    default: "1",
    meaning: "fewest documents in a leaf",
};

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "regression-tree",
    summary: "one unpruned regression tree",
    cites: &["breiman1984", "sousa2016"],
    status: Status::AsPublished,
    scales_out: false,
    takes_missing: true,
    params: &[LEAVES, MIN_LEAF],
    grid: &[("min-leaf", &["1", "5", "20", "100"])],
    build: |params| {
        let leaves = Some(params.whole("leaves")? as usize).filter(|&leaves| leaves > 0);
        Ok(Box::new(RegressionTree { leaves, min_leaf: params.whole("min-leaf")? as usize }))
    },
};

impl Ranker for RegressionTree {
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.for_subsets(run, train, valid)?(train.features())
    }

    /// Bins once; a subset is a mask.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        _: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        let (bins, labels) = (Bins::new(train), labels(train));
        Ok(Box::new(move |features| {
            self.fit_binned(run, &bins, &bins.mask(train, features)?, &labels)
        }))
    }
}

impl RegressionTree {
    /// Fits a tree to some features of a matrix that is already binned, and to the labels of its
    /// documents.
    fn fit_binned(
        &self,
        run: &Run,
        bins: &Bins,
        features: &[usize],
        labels: &[f64],
    ) -> Result<Model> {
        let growth = Growth {
            features,
            max_leaves: self.leaves,
            min_leaf: self.min_leaf,
            min_curvature: 0.0,
            per_split: None,
        };
        let rows = (0..bins.documents() as u32).collect();
        let mut draws = stream(run.seed, Purpose::TreeFeatures, 0);
        let mut grown = grow(bins, rows, &Targets::new([labels], |_| 1), &growth, &mut draws);
        grown.set_leaves(|rows| {
            rows.iter().map(|&row| labels[row as usize]).sum::<f64>() / rows.len() as f64
        });
        run.step("growing a tree", 1, Some(1))?;
        Ok(TreeEnsemble::used(bins.features(), vec![grown.tree]).into())
    }
}

/// The labels of a view's documents.
pub(super) fn labels(view: &View<'_>) -> Vec<f64> {
    view.labels().flatten().map(|&label| f64::from(label)).collect()
}
