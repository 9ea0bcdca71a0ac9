//! Tuning: searches for the settings of a ranker with the best value on validation data.
//!
//! Every combination of a grid is tried in order, the last parameter varying fastest. Each fit may
//! be warm-started from the previous model ([`Ranker::fit_from`](super::Ranker::fit_from)), which
//! rankers with a unique optimum use to converge sooner. The best value wins; ties go to the first
//! trial. A model that gives equal scores to all documents of every query wins only if no other
//! model exists: in some data sets the file order is good enough for such a model to have the best
//! value.

use serde::Serialize;

use super::{Model, RankerSpec};
use crate::data::View;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::run::Run;

pub use crate::params::Settings;

/// Parameters and the values to try for each.
pub type Grid = Vec<(String, Vec<String>)>;

/// The best model, and all trials.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// The best model.
    pub model: Model,
    /// Its settings: those that the user set, then those of the grid.
    pub settings: Settings,
    /// Its value on validation data.
    pub value: f64,
    /// All trials, in order.
    pub trials: Vec<Trial>,
}

/// One combination of a grid.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// The settings from the grid.
    pub settings: Settings,
    /// The result of the trial.
    pub outcome: TrialOutcome,
}

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialOutcome {
    /// A model, with its value on validation data.
    Value(f64),
    /// A model that gives constant scores within every query, with its value on validation data.
    Constant(f64),
    /// No model: the data cannot be fitted with these settings.
    Failed(String),
}

/// The grid that a ranker declares, without the parameters that the user set.
pub fn declared_grid(spec: &RankerSpec, fixed: &[(String, String)]) -> Grid {
    let free = |name: &str| fixed.iter().all(|(other, _)| other != name);
    let values = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    let rows = spec.grid.iter().filter(|(name, _)| free(name));
    rows.map(|(name, list)| ((*name).to_owned(), values(list))).collect()
}

/// Tries all combinations of a grid, and returns the one with the best value of `measure` on
/// validation data.
///
/// A combination that cannot be fitted is recorded and skipped; it is an error if all fail, or if
/// the measure is the same for every ranking of the validation data.
pub fn tune(
    spec: &RankerSpec,
    fixed: &[(String, String)],
    grid: &Grid,
    run: &Run,
    train: &View<'_>,
    valid: &View<'_>,
    measure: &Measure,
) -> Result<Tuned> {
    refuse_twice(fixed, grid)?;
    measure.check_labels(valid.labels().flatten().copied().fold(0.0, f32::max))?;
    let combinations = combinations(grid);
    if combinations.len() > 1 {
        measure.check_varies("validation data", valid)?;
    }
    let steps = combinations.len() as u64 + u64::from(combinations.len() > 1);
    let (mut trials, mut best, mut warm_start, mut failure) =
        (Vec::new(), None::<TuningCandidate>, None, None);
    for (settings, done) in combinations.into_iter().zip(1..) {
        let all = [fixed, &settings].concat();
        // The best settings are fitted once more after all have been tried.
        let nested = run.within("trying settings", done - 1, steps);
        let fitted = spec.fit_from(&all, &nested, train, Some(valid), warm_start.as_ref());
        let scored = fitted.and_then(|model| {
            let scores = |view| model.score_until(view, run.stop());
            Ok((scores(valid)?, scores(train)?, model))
        });
        let outcome = match scored {
            Ok((valid_scores, train_scores, model)) => {
                let value = measure.summary(&measure.per_query(&valid_scores, valid));
                let ranks = ranks(&train_scores, train);
                let candidate = TuningCandidate { model, settings: all, value, ranks };
                warm_start = Some(candidate.model.clone());
                if best.as_ref().is_none_or(|best| candidate.beats(best)) {
                    best = Some(candidate);
                }
                if ranks { TrialOutcome::Value(value) } else { TrialOutcome::Constant(value) }
            }
            Err(stopped @ Error::Stopped(_)) => return Err(stopped),
            Err(error) => {
                let message = error.to_string();
                failure.get_or_insert(error);
                TrialOutcome::Failed(message)
            }
        };
        trials.push(Trial { settings, outcome });
        run.step("trying settings", done, Some(steps))?;
    }
    match (best, failure) {
        (Some(best), _) => {
            // Refit without a warm start, so that the model depends on the settings only.
            let model = match trials.len() {
                1 => best.model,
                _ => {
                    let nested = run.within("trying settings", steps - 1, steps);
                    spec.fit(&best.settings, &nested, train, Some(valid))?
                }
            };
            Ok(Tuned { model, settings: best.settings, value: best.value, trials })
        }
        (None, Some(error)) => Err(error),
        (None, None) => {
            Err(Error::invalid("grid", "empty", "at least one value for every parameter"))
        }
    }
}

/// A fitted combination.
struct TuningCandidate {
    model: Model,
    settings: Settings,
    value: f64,
    ranks: bool,
}

impl TuningCandidate {
    fn beats(&self, other: &TuningCandidate) -> bool {
        is_better((self.ranks, self.value), (other.ranks, other.value))
    }
}

/// Whether a model is better than the best so far: first by whether its scores vary within queries,
/// then by its value on validation data.
pub(crate) fn is_better((ranks, value): (bool, f64), (best_ranks, best): (bool, f64)) -> bool {
    if ranks == best_ranks { value > best || best.is_nan() } else { ranks }
}

/// True if scores differ within a query.
fn ranks(scores: &[f32], view: &View<'_>) -> bool {
    let mut rest = scores;
    view.rows().any(|rows| {
        let (own, others) = rest.split_at(rows.len());
        rest = others;
        own.iter().any(|score| *score != own[0])
    })
}

/// Rejects parameters that are both set and to be tuned.
pub(crate) fn refuse_twice(fixed: &[(String, String)], grid: &Grid) -> Result<()> {
    match grid.iter().find(|(name, _)| fixed.iter().any(|(other, _)| other == name)) {
        None => Ok(()),
        Some((name, _)) => Err(Error::settings(
            format!("{name} has both a fixed value and values to try"),
            "give either a fixed value or values to try",
        )),
    }
}

/// All combinations of a grid, the last parameter varying fastest.
pub(crate) fn combinations(grid: &Grid) -> Vec<Settings> {
    let mut combinations = vec![Settings::new()];
    for (name, values) in grid {
        let longer = |start: &Settings| {
            let with = |value: &String| [&start[..], &[(name.clone(), value.clone())]].concat();
            values.iter().map(with).collect::<Vec<Settings>>()
        };
        combinations = combinations.iter().flat_map(longer).collect();
    }
    combinations
}
