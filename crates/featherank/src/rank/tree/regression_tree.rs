//! Regression tree: one unpruned tree fitted to the labels by least squares (Breiman et al. 1984).
//!
//! The black-box ranker of Sousa et al. 2016 for data with collinear features. As with
//! scikit-learn's defaults, the tree grows until every leaf is pure or cannot be split, down to one
//! document per leaf. Thresholds are midpoints between neighbouring values of the node; for
//! features with more than 255 distinct values, midpoints between neighbouring bins.

use super::grow::{GrowthSettings, Targets, grow};
use super::{Bins, TreeEnsemble};
use crate::data::View;
use crate::declare::method;
use crate::error::Result;
use crate::random::{Purpose, stream};
use crate::rank::{Model, Ranker, SubsetFit};
use crate::run::Run;

/// Parameters that limit the size of trees.
macro_rules! tree_size_params {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Maximum number of leaves, grown best-first; 0: unlimited.
            let leaves: Whole<usize>(0..=1_000_000) = "0",
            use min_leaf_param!(min_leaf);
            derive leaves: Option<usize> = Some(leaves).filter(|&leaves| leaves > 0);
            derive min_leaf: usize = min_leaf;
            $($rest)*
        }
    };
}

/// The parameter for the minimum size of leaves, declared without a field.
macro_rules! min_leaf_param {
    ({$($state:tt)*} {$($rest:tt)*} $min_leaf:ident) => {
        $crate::method! { $($state)*
            /// Minimum number of documents in a leaf.
            let $min_leaf: Whole<usize>(1..=1_000_000) = "1",
            $($rest)*
        }
    };
}

pub(super) use {min_leaf_param, tree_size_params};

method! {
    /// A single unpruned regression tree.
    pub struct RegressionTree: Ranker as "regression-tree",
        cites ["breiman1984", "sousa2016"], AsPublished, Rows,
        with [takes_missing, uses_query_level],
        grid [min_leaf: ["1", "5", "20", "100"]]
    {
        use tree_size_params!();
    }
}

impl Ranker for RegressionTree {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.for_subsets(run, train, valid)?(train.features())
    }

    /// Bins the matrix once; a subset is a column mask.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        _: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        let (bins, labels) = (Bins::new(train, run.stop())?, labels(train));
        Ok(Box::new(move |features| {
            self.fit_binned(run, &bins, &bins.mask(train, features)?, &labels)
        }))
    }
}

impl RegressionTree {
    /// Fits a tree to some columns of a binned matrix and the labels of its documents.
    fn fit_binned(
        &self,
        run: &Run,
        bins: &Bins,
        features: &[usize],
        labels: &[f64],
    ) -> Result<Model> {
        let growth = GrowthSettings {
            features,
            max_leaves: self.leaves,
            min_leaf: self.min_leaf,
            min_curvature: 0.0,
            per_split: None,
            stop: run.stop(),
        };
        let rows = (0..bins.documents() as u32).collect();
        let mut draws = stream(run.seed, Purpose::TreeFeatures, 0);
        let mut grown = grow(bins, rows, &Targets::new([labels], |_| 1), &growth, &mut draws)?;
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
