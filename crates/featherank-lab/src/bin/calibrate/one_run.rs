//! One run of calibration: `auto` selects features on a sample of a population, and the truth about
//! the selected set is measured on the rest of it.
//!
//! The truth is what `auto` claims: the loss, on new queries, of the ranker trained with the set
//! instead of all features on 80 % of the sample, averaged over such trainings. The settings of the
//! ranker are those that `auto` found.

use std::time::Instant;

use featherank::data::{Dataset, FeatureId, View};
use featherank::engine::passes::Moments;
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::measure::Measure;
use featherank::registry::{ranker, selector};
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank_lab::AnyError;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::populations::{Population, Sampled};

/// The number of trainings that the truth is averaged over.
const TRAININGS: u64 = 10;

/// What identifies a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunKey {
    pub population: String,
    pub ranker: String,
    pub queries: usize,
    pub seed: u64,
}

/// The result of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct CalibrationRun {
    #[serde(flatten)]
    pub key: RunKey,
    pub kept: usize,
    /// The number of features that the ranker can use.
    pub usable: usize,
    pub noise_kept: usize,
    pub noise: usize,
    /// The relative loss of the returned set.
    pub loss: f64,
    pub margin: f64,
    /// The number of features of the smallest set of the curve that loses no more than the margin.
    pub oracle: usize,
    pub repetitions: usize,
    pub seconds: f64,
}

impl CalibrationRun {
    /// Runs `auto` and measures the truth; none if the population is not here.
    pub fn of(key: &RunKey) -> Result<Option<Self>, AnyError> {
        let population = Population::named(&key.population)?;
        let Some(sampled) = population.sample(key.queries, key.seed)? else { return Ok(None) };
        let engine: Box<dyn Engine> = Box::new(LocalEngine::new(sampled.known.clone(), 1)?);
        let run = Run::new(key.seed, Constraints::default());
        let set = [("ranker".to_owned(), key.ranker.clone())];
        let began = Instant::now();
        let selection = selector("auto")?.run(&set, &run, engine.as_ref())?;
        let seconds = began.elapsed().as_secs_f64();
        let advice = selection.advice.clone().ok_or("auto gave no advice")?;
        let (usable, _) = ranker(&key.ranker)?.usable(&engine.ask(&Moments)?);
        let table = sampled.known.features();
        let mut sets = vec![usable.clone(), selection.columns(table)?];
        for tried in &advice.tried {
            let column = |id: &u32| table.with_id(*id);
            sets.push(tried.set.iter().map(column).collect::<Result<_, _>>()?);
        }
        let values = true_values(&sampled, &selection, &key.ranker, &sets)?;
        let losses: Vec<f64> = values.iter().map(|value| (values[0] - value) / values[0]).collect();
        let margin = advice.demand.margin;
        let within = |place: &usize| losses[*place] <= margin;
        let oracle = (0..sets.len()).filter(within).map(|place| sets[place].len()).min();
        let is_noise = |id: &&u32| sampled.noise.contains(id);
        Ok(Some(CalibrationRun {
            key: key.clone(),
            kept: sets[1].len(),
            usable: usable.len(),
            noise_kept: selection.selected.iter().map(|one| &one.id).filter(is_noise).count(),
            noise: sampled.noise.len(),
            loss: losses[1],
            margin,
            oracle: oracle.unwrap_or(usable.len()),
            repetitions: advice.repetitions,
            seconds,
        }))
    }
}

/// The expected measure of each set on new queries.
fn true_values(
    sampled: &Sampled,
    selection: &Selection,
    name: &str,
    sets: &[Vec<FeatureId>],
) -> Result<Vec<f64>, AnyError> {
    let advice = selection.advice.as_ref().ok_or("auto gave no advice")?;
    let measure: Measure = advice.measure.parse()?;
    let settings: Vec<(String, String)> = advice.settings.clone().into_iter().collect();
    let ranker = ranker(name)?;
    let mut sums = vec![0.0; sets.len()];
    for training in 0..TRAININGS {
        let run = Run::new(training, Constraints::default());
        let part = part_of(&sampled.known, training);
        let fit = ranker.with(&settings)?;
        let train = |features: &[FeatureId]| -> View<'_> {
            sampled.known.view().with_queries(part.clone()).with_features(features.to_vec())
        };
        for (sum, features) in sums.iter_mut().zip(sets) {
            let model = fit.fit(&run, &train(features), None)?;
            let test = sampled.test.view();
            *sum += measure.summary(&measure.per_query(&model.score(&test)?, &test));
        }
    }
    Ok(sums.into_iter().map(|sum| sum / TRAININGS as f64).collect())
}

/// Four fifths of the queries.
fn part_of(data: &Dataset, training: u64) -> Vec<usize> {
    let mut queries: Vec<usize> = (0..data.queries().len()).collect();
    queries.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(1000 + training));
    queries.truncate(data.queries().len() * 4 / 5);
    queries.sort_unstable();
    queries
}
