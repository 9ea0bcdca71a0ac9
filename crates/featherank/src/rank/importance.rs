//! Feature importance, either from the model itself or from the loss of quality without the
//! feature.
//!
//! From the model: for trees, the total gain of a feature's splits; for linear models, the absolute
//! weight times the feature's standard deviation within queries, which measures how far the feature
//! separates the documents of one query.
//!
//! Permutation importance (Breiman 2001): the values of a feature are shuffled among the documents
//! of each query, the model scores the documents again, and the decrease of a measure is the
//! feature's importance. Shuffling within queries instead of over all documents removes the
//! feature's information about the ranking and keeps its information about the query. The values of
//! a feature that is constant within queries are shuffled among the queries. This works for every
//! model; features that the model does not use have no importance.

use std::ops::Range;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::tree::Importance;
use super::{Model, Scorer};
use crate::data::{Dataset, Feature, FeatureId, View};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::random::{Purpose, shuffle_column, stream};
use crate::remedy;
use crate::run::Run;

/// The importance of each feature according to the model, for a model that scores the view's
/// features without scaling.
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

/// The standard deviation of a feature around the mean of its query.
fn spread_within_queries(view: &View<'_>, feature: FeatureId) -> f64 {
    let column = view.data().column(feature);
    let squares = |rows: Range<usize>| {
        let values = &column[rows];
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len().max(1) as f64;
        values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>()
    };
    (view.rows().map(squares).sum::<f64>() / view.documents().max(1) as f64).sqrt()
}

/// The decrease of a measure when a feature is permuted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PermutationImportance {
    /// The feature.
    pub feature: Feature,
    /// The mean decrease over the shuffles.
    pub fall: f64,
    /// The mean decrease in each query, in the view's order; NaN for queries that do not count.
    #[serde(skip)]
    pub per_query: Vec<f64>,
}

/// The permutation importance of every feature of a model, in the model's order, on data that the
/// model should rank well.
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
    let named = model.features();
    let whole = measure.per_query(&model.score_until(view, run.stop())?, view);
    let done = AtomicU64::new(0);
    let of_feature = |(place, &column): (usize, &FeatureId)| {
        // One copy per feature being processed, of the model's columns only.
        let mut copy = view.copy(&columns);
        let mut falls = vec![0.0; whole.len()];
        for shuffle in 0..shuffles {
            shuffle_feature(
                &mut copy,
                FeatureId::from(place),
                run.seed,
                place * shuffles + shuffle,
            );
            let scores = model.score_until(&copy.view(), run.stop())?;
            let without = measure.per_query(&scores, &copy.view());
            run.check()?;
            let both = falls.iter_mut().zip(whole.iter().zip(&without));
            both.for_each(|(fall, (whole, without))| *fall += (whole - without) / shuffles as f64);
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        run.step("shuffling features", done, Some(columns.len() as u64))?;
        let counted: Vec<f64> = falls.iter().copied().filter(|fall| !fall.is_nan()).collect();
        let Feature { id, name } = view.data().features().get(column).clone();
        Ok(PermutationImportance {
            feature: Feature { id, name: name.or_else(|| named[place].name.clone()) },
            fall: counted.iter().sum::<f64>() / counted.len().max(1) as f64,
            per_query: falls,
        })
    };
    columns.par_iter().enumerate().map(of_feature).collect()
}

/// How the importance of features is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportanceKind {
    /// By the total gain of the splits on the feature, for tree models.
    Gain,
    /// By the number of splits on the feature, for tree models.
    Count,
    /// By [`permutation_importance`].
    Permutation,
}

/// The importance of a feature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureImportance {
    /// The feature.
    #[serde(flatten)]
    pub feature: Feature,
    /// Its importance.
    pub importance: f64,
}

/// The importance of the features of a model, most important first. Measure and view are used by
/// permutation importance only.
pub fn feature_importance(
    kind: ImportanceKind,
    run: &Run,
    model: &Model,
    view: &View<'_>,
    measure: &Measure,
) -> Result<Vec<FeatureImportance>> {
    const SHUFFLES: usize = 10;
    let mut found: Vec<FeatureImportance> = match kind {
        ImportanceKind::Gain => split_importance(model, Importance::Gain)?,
        ImportanceKind::Count => split_importance(model, Importance::Count)?,
        ImportanceKind::Permutation => permutation_importance(run, model, view, measure, SHUFFLES)?
            .into_iter()
            .map(|found| FeatureImportance { feature: found.feature, importance: found.fall })
            .collect(),
    };
    found.sort_by(|a, b| b.importance.total_cmp(&a.importance));
    Ok(found)
}

fn split_importance(model: &Model, how: Importance) -> Result<Vec<FeatureImportance>> {
    let Scorer::Trees(trees) = &model.scorer else {
        return Err(Error::unsupported(
            "importance by splits needs a tree model, and this model is linear",
            remedy!["to measure importance by permutation, ", ImportancePermutation.set()],
        ));
    };
    let entries = trees.features().iter().cloned().zip(trees.importance(how));
    Ok(entries.map(|(feature, importance)| FeatureImportance { feature, importance }).collect())
}

impl Model {
    /// The importance of each feature in the model's order: the total gain of its splits for trees,
    /// its absolute weight for linear models.
    pub fn importances(&self) -> Vec<f64> {
        match &self.scorer {
            Scorer::Trees(trees) => trees.importance(Importance::Gain),
            Scorer::Linear(linear) => {
                linear.weights().iter().map(|weight| weight.weight.abs()).collect()
            }
        }
    }
}

fn shuffle_feature(data: &mut Dataset, feature: FeatureId, seed: u64, index: usize) {
    let mut draws = stream(seed, Purpose::Permutation, index as u64);
    let rows: Vec<_> = data.queries().iter().collect();
    shuffle_column(data.column_mut(feature), &rows, &mut draws);
}
