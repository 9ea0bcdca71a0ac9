//! The training data of sparse linear models: some features of some queries, on comparable scales.
//!
//! A penalty is the same for all weights, so that a feature measured in thousands would hardly be
//! penalised and one measured in thousandths would be removed. Published methods were evaluated on
//! LETOR, whose features lie between 0 and 1 in every query; such data is used without scaling. If
//! some value lies outside, features are first divided by their standard deviation within queries
//! (`standardise = auto`). The final model has weights for the unscaled features.

use std::sync::{Arc, Mutex, PoisonError};

use crate::data::FeatureId;
use crate::engine::passes::{Centring, Gram, GramSums, Moments};
use crate::engine::{Ask, Engine, PartEngine};
use crate::error::{Error, Result};
use crate::rank::passes::{NdcgPairLoss, NdcgPairs, PairwiseHinge};
use crate::remedy;
use crate::run::Run;
use crate::select::candidates::Candidates;

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standardisation {
    /// Not at all if all values lie between 0 and 1, else by their standard deviation.
    Auto,
    /// Not at all.
    None,
    /// Divided by their standard deviation within queries.
    Spread,
}

/// Features and queries that a model is fitted to.
#[derive(Clone)]
pub struct Sample<'a> {
    /// The run.
    pub run: &'a Run,
    engine: &'a dyn Engine,
    features: Vec<FeatureId>,
    divisors: Vec<f64>,
    spreads: Vec<f64>,
    pairs: f64,
    /// The sums of products of the last centring, shared by the fits of one path.
    products: SharedProducts,
}

type SharedProducts = Arc<Mutex<Option<(Centring, GramSums)>>>;

/// The mean of max(0, 1 − margin)² over preference pairs, at some weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// Its value.
    pub value: f64,
    /// Its derivative with respect to each weight.
    pub gradient: Vec<f64>,
}

/// Derivatives of the same loss along a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineDerivatives {
    /// The first derivative.
    pub first: f64,
    /// The second derivative.
    pub second: f64,
}

impl<'a> Sample<'a> {
    /// All queries, and the features that a run may choose.
    pub fn of(run: &'a Run, engine: &'a dyn Engine, scale: Standardisation) -> Result<Self> {
        Self::new(run, engine, &Candidates::of(run, engine)?, scale)
    }

    /// The same for known candidates.
    pub(in crate::select) fn new(
        run: &'a Run,
        engine: &'a dyn Engine,
        candidates: &Candidates,
        scale: Standardisation,
    ) -> Result<Self> {
        let mut features = [&candidates.keep[..], &candidates.free].concat();
        features.sort_unstable();
        if features.is_empty() {
            return Err(Error::constraint(
                "no feature that varies within queries may be selected",
                remedy!["name fewer features in ", Drop, ", or raise ", Budget],
            ));
        }
        let spreads = spreads(engine, &features)?;
        let divide = match scale {
            Standardisation::None => false,
            Standardisation::Spread => true,
            Standardisation::Auto => {
                let moments = engine.ask(&Moments)?;
                let is_outside = |f: &FeatureId| {
                    let feature = &moments.features[f.index()];
                    feature.min < 0.0 || feature.max > 1.0
                };
                features.iter().any(is_outside)
            }
        };
        let divisors = if divide { spreads.clone() } else { vec![1.0; features.len()] };
        let spreads =
            spreads.iter().zip(&divisors).map(|(spread, divisor)| spread / divisor).collect();
        let pairs = engine.schema().pairs as f64;
        let products = SharedProducts::default();
        Ok(Sample { run, engine, features, divisors, spreads, pairs, products })
    }

    /// The same features of some of its queries; `None` if these have no preference pair.
    pub fn of_part<'b>(&self, part: &'b PartEngine<'_>) -> Option<Sample<'b>>
    where
        'a: 'b,
    {
        let pairs = part.schema().pairs as f64;
        let products = SharedProducts::default();
        (pairs > 0.0).then(|| Sample { engine: part, pairs, products, ..self.clone() })
    }

    /// The same, whose fits report to this run.
    pub fn reporting_to<'b>(&self, run: &'b Run) -> Sample<'b>
    where
        'a: 'b,
    {
        Sample { run, ..self.clone() }
    }

    /// The same with some of its features only.
    #[must_use]
    pub fn with_features(&self, features: &[FeatureId]) -> Self {
        let places: Vec<usize> =
            (0..self.width()).filter(|&k| features.contains(&self.features[k])).collect();
        self.restricted(&places)
    }

    /// The same with some of its features only, by their places.
    #[must_use]
    pub fn restricted(&self, places: &[usize]) -> Self {
        Sample {
            features: places.iter().map(|&k| self.features[k]).collect(),
            divisors: places.iter().map(|&k| self.divisors[k]).collect(),
            spreads: places.iter().map(|&k| self.spreads[k]).collect(),
            products: SharedProducts::default(),
            ..*self
        }
    }

    /// The same with its columns multiplied by some factors, none of them 0.
    #[must_use]
    pub fn times(&self, factors: &[f64]) -> Self {
        let divisors = self.divisors.iter().zip(factors).map(|(divisor, factor)| divisor / factor);
        let spreads =
            self.spreads.iter().zip(factors).map(|(spread, factor)| spread * factor.abs());
        Sample {
            divisors: divisors.collect(),
            spreads: spreads.collect(),
            products: SharedProducts::default(),
            ..self.clone()
        }
    }

    /// The features, in the order of weights.
    pub fn features(&self) -> &[FeatureId] {
        &self.features
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// The number of preference pairs.
    pub fn pairs(&self) -> f64 {
        self.pairs
    }

    /// The standard deviation of every feature within queries, on the scale of the weights: a
    /// weight times this is the effect of the feature on the ranking.
    pub fn spreads(&self) -> &[f64] {
        &self.spreads
    }

    /// The effect on the ranking of a weight of the feature at this place, rounded to ten digits.
    pub fn effect(&self, place: usize, weight: f64) -> f64 {
        ten_digits(weight.abs() * self.spreads[place])
    }

    /// Whether the feature at this place must be kept.
    pub fn is_kept(&self, place: usize) -> bool {
        self.run.constraints.keep.contains(&self.features[place])
    }

    /// The weights for unscaled features.
    pub fn raw(&self, weights: &[f64]) -> Vec<f64> {
        weights.iter().zip(&self.divisors).map(|(w, divisor)| w / divisor).collect()
    }

    /// The divisor of each feature.
    pub(in crate::select) fn divisors(&self) -> &[f64] {
        &self.divisors
    }

    /// Sums of products of the features, on the scale of the weights, and of the labels.
    pub(super) fn gram(&self, centring: Centring) -> Result<GramSums> {
        let mut products = self.products.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, gram)) = products.as_ref().filter(|(known, _)| *known == centring) {
            return Ok(gram.clone());
        }
        let pass = Gram::new(self.features.clone(), centring);
        let mut gram = self.engine.ask(&pass)?;
        let divisors = || self.divisors.iter().chain([&1.0]);
        let cells = divisors().flat_map(|a| divisors().map(move |b| a * b));
        gram.products.iter_mut().zip(cells).for_each(|(product, by)| *product /= by);
        *products = Some((centring, gram.clone()));
        Ok(gram)
    }

    /// The engine behind the sample.
    pub(in crate::select) fn engine(&self) -> &'a dyn Engine {
        self.engine
    }

    /// The mean squared hinge over pairs.
    pub fn loss(&self, weights: &[f64]) -> Result<Loss> {
        let hinge = self.engine.ask(&self.pass(weights))?;
        let gradient = hinge.gradient.iter().zip(&self.divisors);
        let gradient = gradient.map(|(sum, divisor)| sum / divisor / self.pairs).collect();
        Ok(Loss { value: hinge.loss / self.pairs, gradient })
    }

    /// Its first and second derivative on the line towards other weights, which takes less time
    /// than the loss.
    pub fn line_derivatives(&self, weights: &[f64], others: &[f64]) -> Result<LineDerivatives> {
        let direction_to = Some(self.raw(others));
        let pass = PairwiseHinge { direction_to, directional_only: true, ..self.pass(weights) };
        let hinge = self.engine.ask(&pass)?;
        Ok(LineDerivatives {
            first: hinge.directional_derivative / self.pairs,
            second: hinge.directional_curvature / self.pairs,
        })
    }

    /// The second derivative of the mean squared hinge between features at some places, in
    /// row-major order.
    pub fn curvature(&self, weights: &[f64], places: &[usize]) -> Result<Vec<f64>> {
        let pass = PairwiseHinge { hessian_features: places.to_vec(), ..self.pass(weights) };
        let mut curvature = self.engine.ask(&pass)?.curvature;
        let cells = places.iter().flat_map(|&k| places.iter().map(move |&l| (k, l)));
        for (cell, (k, l)) in curvature.iter_mut().zip(cells) {
            *cell /= self.divisors[k] * self.divisors[l] * self.pairs;
        }
        Ok(curvature)
    }

    /// The summed loss of pairs weighted by the change of NDCG when they are swapped.
    pub fn ndcg_pairs(&self, weights: &[f64]) -> Result<NdcgPairLoss> {
        self.ndcg_pairs_of(weights, false)
    }

    /// Its gradient alone, which is faster.
    pub fn ndcg_gradient(&self, weights: &[f64]) -> Result<Vec<f64>> {
        Ok(self.ndcg_pairs_of(weights, true)?.gradient)
    }

    fn ndcg_pairs_of(&self, weights: &[f64], gradient_only: bool) -> Result<NdcgPairLoss> {
        let mut pairs = self.engine.ask(&NdcgPairs {
            features: self.features.clone(),
            weights: self.raw(weights),
            gradient_only,
        })?;
        pairs
            .gradient
            .iter_mut()
            .zip(&self.divisors)
            .for_each(|(partial, divisor)| *partial /= divisor);
        Ok(pairs)
    }

    fn pass(&self, weights: &[f64]) -> PairwiseHinge {
        PairwiseHinge {
            features: self.features.clone(),
            weights: self.raw(weights),
            ..PairwiseHinge::default()
        }
    }
}

/// A positive number rounded to ten digits, so that values that differ only by the order of
/// summation are ties: copies of a feature are then ordered by column.
pub(in crate::select) fn ten_digits(x: f64) -> f64 {
    let unit = 10f64.powf(9.0 - x.log10().floor());
    if unit.is_normal() && x > 0.0 { (x * unit).round() / unit } else { x }
}

/// The number of features up to which the sums of all products are computed for their squares.
const AT_ONCE: usize = 1024;

/// The number of features whose products are computed together if there are more.
const GROUP: usize = 64;

/// The standard deviation of every feature around the means of its queries.
pub(in crate::select) fn spreads(engine: &dyn Engine, features: &[FeatureId]) -> Result<Vec<f64>> {
    let group = if features.len() > AT_ONCE { GROUP } else { AT_ONCE };
    let mut spreads = Vec::with_capacity(features.len());
    for group in features.chunks(group) {
        let gram = engine.ask(&Gram::new(group.to_vec(), Centring::PerQuery))?;
        let square = |k: usize| gram.product(k, k) / gram.count.max(1) as f64;
        spreads.extend((0..group.len()).map(|k| square(k).sqrt()));
    }
    Ok(spreads)
}
