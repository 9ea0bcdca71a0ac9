//! Importance: how much each feature matters to a model, by what the model itself says, or by what
//! it loses without it.
//!
//! By itself: the gain of a feature's splits, for trees; for linear models the size of its weight
//! times how far the feature spreads within queries, which is how far it moves documents of one
//! query apart.
//!
//! Permutation importance (Breiman 2001) is what a model loses when a feature tells it nothing. A
//! feature's values are shuffled among the documents of each query, the model scores again, and the
//! fall of a measure is the feature's importance. Shuffling within queries, not over all documents,
//! breaks what the feature says about the ranking and keeps what it says about the query. Works for
//! every model; features the model does not use have none.

use std::ops::Range;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::Serialize;

use super::tree::Importance;
use super::{Model, Scorer};
use crate::data::{Dataset, Feature, FeatureId, View};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::random::{Purpose, stream};
use crate::run::Run;

/// How much each of a model's features matters by the model itself, for a model that scores the
/// view's features as they are.
pub(crate) fn model_importance(model: &Model, view: &View<'_>) -> Result<Vec<(FeatureId, f64)>> {
    let columns = model.columns(view.data().features())?;
    let values = match &model.scorer {
        Scorer::Trees(trees) => trees.importance(Importance::Gain),
        Scorer::Linear(linear) => {
            let size =
                |(&f, weight): (&FeatureId, f64)| weight.abs() * spread_within_queries(view, f);
            columns.iter().zip(linear.weights().iter().map(|w| w.weight)).map(size).collect()
        }
    };
    Ok(columns.into_iter().zip(values).collect())
}

/// The standard deviation of a feature from the mean of its query.
fn spread_within_queries(view: &View<'_>, feature: FeatureId) -> f64 {
    let column = view.data().column(feature);
    let squares = |rows: Range<usize>| {
        let values = &column[rows];
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len().max(1) as f64;
        values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>()
    };
    (view.rows().map(squares).sum::<f64>() / view.documents().max(1) as f64).sqrt()
}

/// How much a measure falls without a feature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PermutationImportance {
    /// The feature.
    pub feature: Feature,
    /// The mean fall over the shuffles.
    pub fall: f64,
    /// The mean fall of each query, in the view's order; queries that do not count are NaN.
    #[serde(skip)]
    pub per_query: Vec<f64>,
}

/// The importance of every feature of a model, in the model's order, on data it should rank well.
///
/// ```
/// use featherank::data::synth::{Preset, generate};
/// use featherank::rank::permutation_importance;
/// use featherank::registry::ranker;
/// use featherank::run::{Constraints, Run};
///
/// let (data, _) = generate(&Preset::Tiny.config())?;
/// let run = Run::new(1, Constraints::default());
/// let model = ranker("single-feature")?.fit(&[], &run, &data.view(), None)?;
/// let falls = permutation_importance(&run, &model, &data.view(), &"ndcg@10".parse()?, 5)?;
/// assert!(falls.len() == 1 && falls[0].fall > 0.0);
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn permutation_importance(
    run: &Run,
    model: &Model,
    view: &View<'_>,
    measure: &Measure,
    shuffles: usize,
) -> Result<Vec<PermutationImportance>> {
    if shuffles == 0 {
        return Err(Error::invalid("number of shuffles", 0, "at least 1"));
    }
    let columns = model.columns(view.data().features())?;
    let whole = measure.per_query(&model.score(view)?, view);
    let of_feature = |(place, &column): (usize, &FeatureId)| {
        // A copy for each feature at work, of the model's columns only.
        let mut copy = view.copy(&columns);
        let mut falls = vec![0.0; whole.len()];
        for shuffle in 0..shuffles {
            shuffle_within_queries(
                &mut copy,
                FeatureId::from(place),
                run.seed,
                place * shuffles + shuffle,
            );
            let without = measure.per_query(&model.score(&copy.view())?, &copy.view());
            let both = falls.iter_mut().zip(whole.iter().zip(&without));
            both.for_each(|(fall, (whole, without))| *fall += (whole - without) / shuffles as f64);
        }
        run.step("shuffling features", 1, None)?;
        let counted: Vec<f64> = falls.iter().copied().filter(|fall| !fall.is_nan()).collect();
        Ok(PermutationImportance {
            feature: view.data().features().get(column).clone(),
            fall: counted.iter().sum::<f64>() / counted.len().max(1) as f64,
            per_query: falls,
        })
    };
    columns.par_iter().enumerate().map(of_feature).collect()
}

fn shuffle_within_queries(data: &mut Dataset, feature: FeatureId, seed: u64, index: usize) {
    let mut draws = stream(seed, Purpose::Permutation, index as u64);
    let rows: Vec<_> = data.queries().iter().collect();
    let column = data.column_mut(feature);
    rows.into_iter().for_each(|rows| column[rows].shuffle(&mut draws));
}
