//! GreedyRankRLS: adds the feature that minimises the leave-query-out error of least squares on
//! document differences.
//!
//! RankRLS minimises Σ over pairs i < j of one query of ((yᵢ − yⱼ) − wᵀ(xᵢ − xⱼ))² + λ‖w‖²
//! ([`RankRLS`](crate::rank::RankRLS)). Each step adds the feature that minimises the
//! leave-query-out error: the sum of the same squares over all queries, each with the weights
//! fitted to all others (Pahikkala, Airola, Naula, Salakoski: Greedy RankRLS, SIGIR 2010 workshop
//! on feature generation and selection for information retrieval). As in the paper, the residual
//! columns of all features are updated from step to step: their sums of products here, the columns
//! themselves where the rows are ([`LeaveQueryOut`]), so that the engine returns only sums. A step
//! takes time proportional to documents × features.
//!
//! The paper stops at a given number of features. With `k` this method does too; without `k` it
//! stops when the best candidate lowers the error by a smaller share than `gain`, or not at all.
//! With many queries every feature that is not pure noise lowers the error a little: with
//! `gain = 0` they are all added. The value along the path is the negated error; features beyond
//! the last step follow by the error of the candidate set with each. `weighting = queries` weights
//! a query by its number of documents instead of its number of pairs, as RLScore does.
//!
//! λ is chosen on validation data; each λ is evaluated with the features found under it. The grid
//! is λ per preference pair, in whole powers of ten; folds of the training data use the same
//! values. The certificate `gradient` is the largest residual of the normal equations (XᵀLX + λI) w
//! = XᵀLy, as a share of the largest right-hand side.

use std::collections::HashMap;

use super::path::{Family, PathSearch, SparseModel, nothing_ranks};
use super::sample::Sample;
use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::passes::{Centring, GramSums};
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::rank::linear::cholesky::PivotedCholesky;
use crate::rank::linear::gram_solver::SINGULAR;
use crate::rank::linear::rank_rls::PairWeighting;
use crate::rank::passes::{AddedFeature, LeaveQueryOut};
use crate::run::Run;
use crate::select::forward::{Criterion, grow};
use crate::select::shared_params::{standardise_param, tuning_params};
use crate::select::{Findings, Selector};
use crate::vector::{add_times, dot};

/// Errors with a smaller relative difference are equal: sums in another order differ in their last
/// digits.
const EQUAL: f64 = 1e-9;

/// Powers of ten of λ per preference pair that are tried.
const POWERS: std::ops::RangeInclusive<i32> = 0..=6;

method! {
    /// Forward selection for RankRLS by leave-query-out error.
    pub struct GreedyRankRLS: Selector as "greedy-rankrls" in Embedded,
        cites ["pahikkala2010"], AsPublished, Passes,
        with [uses_valid, leaves_model, compares_pairs]
    {
        /// Ridge penalty relative to the sum of squared errors; auto: tuned on validation data.
        lambda: Values(1e-12..=1e12) = "auto",
        /// Without k: smallest relative reduction of the error that justifies another feature.
        gain: Real(0.0..=1.0) = "1e-3",
        /// Weight queries by their number of pairs or of documents.
        let weighting: Choice<PairWeighting> = "pairs",
        use tuning_params!();
        derive weighting: Centring = weighting.centring();
    }
}

impl Selector for GreedyRankRLS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let pairs = (engine.schema().pairs as f64).max(1.0);
        let given: Vec<f64> = self.lambda.iter().map(|lambda| lambda / pairs).collect();
        PathSearch { families: &[self], tuning: &self.tuning, given: &given }.select(run, engine)
    }
}

/// The parameter is λ divided by the number of preference pairs.
impl Family for GreedyRankRLS {
    fn settings(&self, sample: &Sample<'_>, value: f64) -> Vec<(&'static str, f64)> {
        vec![("lambda", value * sample.pairs())]
    }

    fn grid(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        let schema = sample.engine().schema();
        let of_query = match self.weighting {
            Centring::PerPair => 1.0,
            // A sum over documents is smaller than one over pairs.
            _ => schema.documents() as f64 / sample.pairs(),
        };
        Ok(POWERS.map(|power| of_query * 10f64.powi(-power)).collect())
    }

    fn fit(
        &self,
        sample: &Sample<'_>,
        value: f64,
        _: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        if sample.pairs() == 0.0 {
            return Err(nothing_ranks());
        }
        let mut growth =
            GreedyRlsSearch::new(sample, self.weighting, value * sample.pairs(), self.gain)?;
        let (chosen, left) = grow(sample.run, sample.features(), &mut growth)?;
        let mut rest: Vec<(FeatureId, f64)> =
            left.into_iter().map(|f| (f, growth.last_score(f))).collect();
        rest.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
        let places: Vec<usize> = chosen.iter().map(|(f, _)| growth.places[f]).collect();
        let RidgeFit { weights, residual } = growth.solve(&places);
        let mut all = vec![0.0; sample.width()];
        places.iter().zip(weights).for_each(|(&place, w)| all[place] = w);
        let order =
            chosen.iter().chain(&rest).map(|&(f, score)| (growth.places[&f], score)).collect();
        Ok(vec![SparseModel { order, ..SparseModel::new(all, "gradient", residual) }])
    }

    fn counts_itself(&self) -> bool {
        true
    }
}

/// The search for one λ on one sample; the score of a set of features is its negated
/// leave-query-out error.
struct GreedyRlsSearch<'a> {
    sample: &'a Sample<'a>,
    /// Sums of products of the features on the scale of the sample.
    gram: GramSums,
    centring: Centring,
    lambda: f64,
    gain: f64,
    places: HashMap<FeatureId, usize>,
    /// Sums of products of the residuals of features and labels under the chosen features, row
    /// after row.
    products: Vec<f64>,
    chosen: Vec<FeatureId>,
    added: Vec<AddedFeature>,
    /// The score of the chosen features in the last step, and of each candidate added to them.
    current: f64,
    last: HashMap<FeatureId, f64>,
}

/// Weights of a set of features.
struct RidgeFit {
    weights: Vec<f64>,
    /// The largest residual of the normal equations, as a share of the largest right-hand side.
    residual: f64,
}

impl<'a> GreedyRlsSearch<'a> {
    fn new(sample: &'a Sample<'a>, centring: Centring, lambda: f64, gain: f64) -> Result<Self> {
        let gram = sample.gram(centring)?;
        let places = sample.features().iter().copied().zip(0..).collect();
        Ok(GreedyRlsSearch {
            sample,
            products: gram.products.clone(),
            gram,
            centring,
            lambda,
            gain,
            places,
            chosen: Vec::new(),
            added: Vec::new(),
            current: 0.0,
            last: HashMap::new(),
        })
    }

    /// The score of a candidate in the last step, or the score of an empty model if it was not
    /// evaluated.
    fn last_score(&self, f: FeatureId) -> f64 {
        let label = self.sample.width();
        self.last.get(&f).copied().unwrap_or(-self.gram.product(label, label))
    }

    fn solve(&self, places: &[usize]) -> RidgeFit {
        let label = self.sample.width();
        let cell =
            |i: usize, j: usize| self.gram.product(i, j) + if i == j { self.lambda } else { 0.0 };
        let matrix: Vec<f64> =
            places.iter().flat_map(|&i| places.iter().map(move |&j| cell(i, j))).collect();
        let right: Vec<f64> = places.iter().map(|&i| self.gram.product(i, label)).collect();
        let weights = PivotedCholesky::new(matrix.clone(), SINGULAR).solve(&right);
        let rows = matrix.chunks(places.len().max(1)).zip(&right);
        let largest =
            |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
        let apart = largest(&mut rows.map(|(row, b)| dot(row, &weights) - b));
        let scale = largest(&mut right.iter().copied());
        let residual = if scale > 0.0 { apart / scale } else { apart };
        RidgeFit { weights, residual }
    }

    /// λ plus the sum of squares of a feature's residual; 0 if the feature is a linear combination
    /// of the chosen ones.
    fn curvature(&self, place: usize) -> f64 {
        let curvature = self.lambda + self.row(place)[place];
        let whole = self.lambda + self.gram.product(place, place);
        if curvature > SINGULAR * whole { curvature } else { 0.0 }
    }

    /// The products of a residual with all others.
    fn row(&self, place: usize) -> &[f64] {
        let columns = self.sample.width() + 1;
        &self.products[place * columns..(place + 1) * columns]
    }

    /// Continues from the chosen features of the last step, if these begin with them.
    fn choose(&mut self, chosen: &[FeatureId]) {
        if !chosen.starts_with(&self.chosen) {
            self.products.clone_from(&self.gram.products);
            self.chosen.clear();
            self.added.clear();
        }
        for f in &chosen[self.chosen.len()..] {
            let place = self.places[f];
            let (curvature, products) = (self.curvature(place), self.row(place).to_vec());
            if curvature > 0.0 {
                let rows = self.products.chunks_exact_mut(products.len());
                rows.zip(&products).for_each(|(row, product)| {
                    add_times(row, -product / curvature, &products);
                });
            }
            self.added.push(AddedFeature { place, curvature, products });
        }
        self.chosen = chosen.to_vec();
    }
}

impl Criterion for GreedyRlsSearch<'_> {
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        self.choose(chosen);
        let (all, label) = (0..self.sample.width(), self.sample.width());
        let pass = LeaveQueryOut {
            features: self.sample.features().to_vec(),
            divisors: self.sample.divisors().to_vec(),
            centring: self.centring,
            gradients: all.clone().map(|place| self.row(place)[label]).collect(),
            curvatures: all.map(|place| self.curvature(place)).collect(),
            added: std::mem::take(&mut self.added),
        };
        let errors = self.sample.engine().ask(&pass);
        self.added = pass.added;
        let errors = errors?;
        let error = |f: &FeatureId| errors.with[self.places[f]];
        let least = candidates.iter().map(error).fold(f64::INFINITY, f64::min);
        let score = |error: f64| -if error <= least * (1.0 + EQUAL) { least } else { error };
        let scores: Vec<f64> = candidates.iter().map(|f| score(error(f))).collect();
        self.current = -errors.chosen;
        self.last = candidates.iter().copied().zip(scores.iter().copied()).collect();
        Ok(scores)
    }

    fn scores_rest(&self) -> bool {
        false
    }

    fn enough(&self, best: f64, _: usize) -> bool {
        best <= self.current * (1.0 - self.gain.max(EQUAL))
    }
}
