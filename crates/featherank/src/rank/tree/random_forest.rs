//! Random forest: the mean of unpruned regression trees, each fitted to its own bootstrap sample of
//! the documents (Breiman 2001).
//!
//! Defaults follow Sousa et al. 2016 with scikit-learn's regression defaults of that year: every
//! split searches all features. `features-per-split` samples features for each split as in
//! Breiman's paper, `features-per-tree` for a whole tree as in RankLib (0.3 there, with 300 trees
//! of 100 leaves).

use std::sync::atomic::{AtomicU64, Ordering};

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::grow::{GrowthSettings, Targets, grow};
use super::regression_tree::{labels, min_leaf_param, tree_size_params};
use super::{Bins, Tree, TreeEnsemble};
use crate::data::View;
use crate::declare::method;
use crate::error::Result;
use crate::random::{Purpose, stream};
use crate::rank::{Model, Ranker, SubsetFit};
use crate::run::Run;

method! {
    /// Mean of unpruned regression trees, each trained on its own sample of the documents.
    pub struct RandomForest: Ranker as "random-forest",
        cites ["breiman2001", "sousa2016"], AsPublished, Rows,
        with [takes_missing, uses_query_level],
        grid [trees: ["100", "200", "300"]]
    {
        /// Number of trees.
        trees: Whole<usize>(1..=100_000) = "100",
        use tree_size_params!();
        /// Share of features sampled for each split.
        features_per_split: Real(0.001..=1.0) = "1",
        /// Share of features sampled for each tree.
        features_per_tree: Real(0.001..=1.0) = "1",
        /// Sample documents with replacement for each tree.
        bootstrap: Flag = "true",
    }
}

impl Ranker for RandomForest {
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

impl RandomForest {
    /// Fits a forest to some columns of a binned matrix and the labels of its documents.
    fn fit_binned(
        &self,
        run: &Run,
        bins: &Bins,
        features: &[usize],
        labels: &[f64],
    ) -> Result<Model> {
        let done = AtomicU64::new(0);
        run.step("growing a forest", 0, Some(self.trees as u64))?;
        let one = |index: usize| {
            let tree = self.tree(run, index, bins, features, labels)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            run.step("growing a forest", done, Some(self.trees as u64)).map(|()| tree)
        };
        let trees: Vec<Tree> = (0..self.trees).into_par_iter().map(one).collect::<Result<_>>()?;
        Ok(TreeEnsemble::used(bins.features(), trees).into())
    }

    fn tree(
        &self,
        run: &Run,
        index: usize,
        bins: &Bins,
        features: &[usize],
        labels: &[f64],
    ) -> Result<Tree> {
        let seed = run.seed;
        let weights = self.draw_documents(seed, index, labels.len());
        let mut draws = stream(seed, Purpose::TreeFeatures, index as u64);
        let mut drawn = features.to_vec();
        let share =
            |share: f64, of: usize| ((share * of as f64).round() as usize).clamp(1, of.max(1));
        if self.features_per_tree < 1.0 {
            let count = share(self.features_per_tree, drawn.len());
            drawn = drawn.partial_shuffle(&mut draws, count).0.to_vec();
            drawn.sort_unstable();
        }
        let growth = GrowthSettings {
            features: &drawn,
            max_leaves: self.leaves,
            min_leaf: self.min_leaf,
            min_curvature: 0.0,
            per_split: (self.features_per_split < 1.0)
                .then(|| share(self.features_per_split, drawn.len())),
            stop: run.stop(),
        };
        let rows = (0..labels.len() as u32).filter(|&row| weights[row as usize] > 0).collect();
        let mut grown =
            grow(bins, rows, &Targets::new([labels], |row| weights[row]), &growth, &mut draws)?;
        grown.set_leaves(|rows| {
            let (mut sum, mut count) = (0.0, 0.0);
            for &row in rows {
                let weight = f64::from(weights[row as usize]);
                sum += weight * labels[row as usize];
                count += weight;
            }
            sum / count / self.trees as f64
        });
        Ok(grown.tree)
    }

    /// The multiplicity of each document in the sample of a tree.
    fn draw_documents(&self, seed: u64, tree: usize, documents: usize) -> Vec<u32> {
        if !self.bootstrap {
            return vec![1; documents];
        }
        let mut draws = stream(seed, Purpose::Forest, tree as u64);
        let mut weights = vec![0; documents];
        (0..documents).for_each(|_| weights[draws.random_range(0..documents)] += 1);
        weights
    }
}
