//! GreedyRankRLS: adds the feature with which least squares on differences between documents errs
//! least on queries it has not seen.
//!
//! RankRLS minimises Σ over pairs i < j of one query of ((yᵢ − yⱼ) − wᵀ(xᵢ − xⱼ))² + λ‖w‖²
//! ([`crate::rank::linear::rank_rls`]). Each step adds the feature that makes the leave-query-out
//! error least: the sum of the same squares over all queries, each with the weights fitted to all
//! others (Pahikkala, Airola, Naula, Salakoski: Greedy RankRLS, SIGIR 2010 workshop on feature
//! generation and selection for information retrieval). The paper keeps the residual columns of all
//! features, and their products with each query, from step to step; here every step takes them from
//! the sums of products of all features and one pass over the rows ([`LeaveQueryOut`]), so that
//! nothing but sums leaves the rows. The errors are the same.
//!
//! The paper stops at a number of features. With `k` so does this; without, it stops where the best
//! candidate lowers the error by a smaller share than `gain`, or not at all. With many queries
//! every feature that is not pure noise lowers it a little: with `gain = 0` they are all added. The
//! path of the selection has minus the error as its value; features beyond the last step follow by
//! the error that each would have led to. `weighting = queries` counts a query by its documents
//! instead of by its pairs, as RLScore does.
//!
//! λ is chosen on validation data, for each λ with the features found under it. What is tried is λ
//! per preference pair, in whole powers of ten; parts of the training data are given the same. The
//! certificate `gradient` is the largest residual of the normal equations (XᵀLX + λI) w = XᵀLy, as
//! a share of the largest right-hand side.

use std::collections::HashMap;

use super::path::{Family, PathSearch, Sparse, nothing_ranks};
use super::sample::Sample;
use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::passes::{Centring, GramSums};
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::rank::linear::cholesky::PivotedCholesky;
use crate::rank::linear::gram_solver::SINGULAR;
use crate::rank::linear::rank_rls::PairWeighting;
use crate::rank::passes::LeaveQueryOut;
use crate::run::Run;
use crate::select::forward::{Criterion, grow};
use crate::select::shared_params::{standardise_param, tuning_params};
use crate::select::{Selection, Selector};
use crate::vector::dot;

/// Errors closer than this share of each other are equal: sums in another order differ in their
/// last digits.
const EQUAL: f64 = 1e-9;

/// Powers of ten of λ per preference pair that are tried.
const POWERS: std::ops::RangeInclusive<i32> = 0..=6;

method! {
    /// Adds the feature with which regularised least squares errs least on queries left out.
    pub struct GreedyRankRLS: Selector as "greedy-rankrls" in Embedded,
        cites ["pahikkala2010"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        /// Weight of the squared weights against the sum of squared errors; chosen on validation
        /// data unless set.
        lambda: Values(1e-12..=1e12) = "auto",
        /// Without k, the least share of the error that a feature must take away.
        gain: Real(0.0..=1.0) = "1e-3",
        /// Whether a query counts by its pairs or by its documents.
        let weighting: Choice<PairWeighting> = "pairs",
        use tuning_params!();
        derive weighting: Centring = weighting.centring();
    }
}

impl Selector for GreedyRankRLS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
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

    fn fit(&self, sample: &Sample<'_>, value: f64, _: Option<&Sparse>) -> Result<Vec<Sparse>> {
        if sample.pairs() == 0.0 {
            return Err(nothing_ranks());
        }
        let mut growth = Growth::new(sample, self.weighting, value * sample.pairs(), self.gain)?;
        let (chosen, left) = grow(sample.run, sample.features(), &mut growth)?;
        let mut rest: Vec<(FeatureId, f64)> =
            left.into_iter().map(|f| (f, growth.last_score(f))).collect();
        rest.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
        let places: Vec<usize> = chosen.iter().map(|(f, _)| growth.places[f]).collect();
        let LeastSquares { weights, residual, .. } = growth.solve(&places);
        let mut all = vec![0.0; sample.width()];
        places.iter().zip(weights).for_each(|(&place, w)| all[place] = w);
        let order =
            chosen.iter().chain(&rest).map(|&(f, score)| (growth.places[&f], score)).collect();
        Ok(vec![Sparse { order, ..Sparse::new(all, "gradient", residual) }])
    }

    fn counts_itself(&self) -> bool {
        true
    }
}

/// The search for one λ on one sample: minus the leave-query-out error is what a set of features is
/// worth.
struct Growth<'a> {
    sample: &'a Sample<'a>,
    /// Of the features on the scale of the sample.
    gram: GramSums,
    centring: Centring,
    lambda: f64,
    gain: f64,
    places: HashMap<FeatureId, usize>,
    /// The score of the chosen features of the last step, and of each candidate added to them.
    current: f64,
    last: HashMap<FeatureId, f64>,
}

/// Weights of some features.
struct LeastSquares {
    solver: PivotedCholesky,
    /// The penalised sums of products.
    matrix: Vec<f64>,
    weights: Vec<f64>,
    /// The largest residual of the normal equations, as a share of the largest right-hand side.
    residual: f64,
}

impl<'a> Growth<'a> {
    fn new(sample: &'a Sample<'a>, centring: Centring, lambda: f64, gain: f64) -> Result<Self> {
        let gram = sample.gram(centring)?;
        let places = sample.features().iter().copied().zip(0..).collect();
        Ok(Growth {
            sample,
            gram,
            centring,
            lambda,
            gain,
            places,
            current: 0.0,
            last: HashMap::new(),
        })
    }

    /// The score of a candidate in the last step, or the score of an empty model if it had none.
    fn last_score(&self, f: FeatureId) -> f64 {
        let label = self.sample.width();
        self.last.get(&f).copied().unwrap_or(-self.gram.product(label, label))
    }

    fn solve(&self, places: &[usize]) -> LeastSquares {
        let label = self.sample.width();
        let cell =
            |i: usize, j: usize| self.gram.product(i, j) + if i == j { self.lambda } else { 0.0 };
        let matrix: Vec<f64> =
            places.iter().flat_map(|&i| places.iter().map(move |&j| cell(i, j))).collect();
        let right: Vec<f64> = places.iter().map(|&i| self.gram.product(i, label)).collect();
        let solver = PivotedCholesky::new(matrix.clone(), SINGULAR);
        let weights = solver.solve(&right);
        let rows = matrix.chunks(places.len().max(1)).zip(&right);
        let largest =
            |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
        let apart = largest(&mut rows.map(|(row, b)| dot(row, &weights) - b));
        let scale = largest(&mut right.iter().copied());
        let residual = if scale > 0.0 { apart / scale } else { apart };
        LeastSquares { solver, matrix, weights, residual }
    }
}

impl Criterion for Growth<'_> {
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        let place = |f: &FeatureId| self.places[f];
        let (own, others): (Vec<usize>, Vec<usize>) =
            (chosen.iter().map(place).collect(), candidates.iter().map(place).collect());
        let label = self.sample.width();
        let LeastSquares { solver, matrix, weights, .. } = self.solve(&own);
        let mut pass = LeaveQueryOut {
            features: [chosen, candidates].concat(),
            divisors: own.iter().chain(&others).map(|&k| self.sample.divisors()[k]).collect(),
            centring: self.centring,
            weights,
            penalised: matrix,
            projections: Vec::with_capacity(own.len() * others.len()),
            slopes: Vec::with_capacity(others.len()),
            curvatures: Vec::with_capacity(others.len()),
        };
        for &j in &others {
            let with_own: Vec<f64> = own.iter().map(|&i| self.gram.product(i, j)).collect();
            let projection = solver.solve(&with_own);
            let whole = self.lambda + self.gram.product(j, j);
            let curvature = whole - dot(&with_own, &projection);
            pass.curvatures.push(if curvature > SINGULAR * whole { curvature } else { 0.0 });
            pass.slopes.push(self.gram.product(j, label) - dot(&with_own, &pass.weights));
            pass.projections.extend(projection);
        }
        let errors = self.sample.engine().ask(&pass)?;
        let least = errors.with.iter().copied().fold(f64::INFINITY, f64::min);
        let score = |error: f64| -if error <= least * (1.0 + EQUAL) { least } else { error };
        let scores: Vec<f64> = errors.with.into_iter().map(score).collect();
        self.current = -errors.chosen;
        self.last = candidates.iter().copied().zip(scores.iter().copied()).collect();
        Ok(scores)
    }

    fn enough(&self, best: f64, _: usize) -> bool {
        best <= self.current * (1.0 - self.gain.max(EQUAL))
    }
}
