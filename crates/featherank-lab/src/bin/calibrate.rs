//! Measures how often `auto` recommends a set that loses more than the margin: `calibrate [FIRST
//! LAST [RANKER …] [QUERIES …]]` prints a Markdown table of the runs with these seeds (default 1 to
//! 100) for these rankers and numbers of queries.
//!
//! Every run generates data with a known ground truth, gives `auto` the first queries, trains the
//! ranker on them with the selected set and with all features, and tests both on many other
//! queries. A run is wrong if the selected set loses more than the margin there. There are two kinds
//! of data: some features useful and most of them copies or noise; and nearly all of them useful.

use featherank::data::synth::{Preset, Role, SynthConfig, Truth, generate};
use featherank::data::{Dataset, FeatureId, View};
use featherank::engine::passes::Moments;
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::measure::Measure;
use featherank::rank::tune::{Settings, declared_grid, tune};
use featherank::rank::{Model, RankerSpec};
use featherank::registry::{ranker, selector};
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Result};
use rayon::prelude::*;

/// Numbers of queries available to `auto`.
const SIZES: [usize; 3] = [150, 500, 1500];

/// Rankers that use the features.
const RANKERS: [&str; 2] = ["rankrls", "lambdamart"];

/// Number of test queries.
const TEST: usize = 3000;

/// Mean number of documents per query.
const LIST: usize = 25;

/// A kind of data.
struct DataShape {
    name: &'static str,
    config: fn() -> SynthConfig,
}

const SHAPES: [DataShape; 2] = [
    DataShape {
        name: "few of 26 useful",
        config: || SynthConfig { noisy: 10, ..Preset::Tiny.config() },
    },
    DataShape {
        name: "most of 20 useful",
        config: || SynthConfig {
            useful: 14,
            redundant: 2,
            noisy: 2,
            query_dependent: 1,
            risky: 1,
            constant: 0,
            ..Preset::Tiny.config()
        },
    },
];

/// The result of a run.
struct TrialOutcome {
    kept: usize,
    alive: usize,
    noise_kept: usize,
    noise: usize,
    /// Relative loss of the selected set against all features on the test queries.
    loss: f64,
    margin: f64,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = |text: &String| text.parse().map_err(|_| Error::invalid("seed", text, "a number"));
    let (seeds, rest): (std::ops::RangeInclusive<u64>, _) = match &arguments[..] {
        [] => (1..=100, &[][..]),
        [first, last, rest @ ..] => (seed(first)?..=seed(last)?, rest),
        [_] => {
            let wanted = "calibrate FIRST LAST RANKER … QUERIES …";
            return Err(Error::invalid("command", arguments.join(" "), wanted));
        }
    };
    let (mut sizes, mut rankers): (Vec<usize>, Vec<&str>) = (Vec::new(), Vec::new());
    for word in rest {
        word.parse().map_or_else(|_| rankers.push(word), |size| sizes.push(size));
    }
    let sizes = if sizes.is_empty() { &SIZES[..] } else { &sizes };
    let rankers = if rankers.is_empty() { &RANKERS[..] } else { &rankers };
    println!(
        "| data | ranker | queries | runs | kept, of those that differ | noise kept | all kept | mean loss | lost more than the margin |\n|---|---|---|---|---|---|---|---|---|"
    );
    // Small data first: it takes minutes, the last rows take hours.
    for &queries in sizes {
        for shape in &SHAPES {
            for ranker in rankers {
                let outcomes =
                    seeds.clone().into_par_iter().map(|seed| one(shape, ranker, queries, seed));
                row(shape, ranker, queries, &outcomes.collect::<Result<Vec<_>>>()?);
            }
        }
    }
    Ok(())
}

fn row(shape: &DataShape, ranker: &str, queries: usize, outcomes: &[TrialOutcome]) {
    let count = outcomes.len() as f64;
    let mean = |of: &dyn Fn(&TrialOutcome) -> f64| outcomes.iter().map(of).sum::<f64>() / count;
    let share = |of: &dyn Fn(&TrialOutcome) -> bool| {
        100.0 * mean(&|outcome| f64::from(u8::from(of(outcome))))
    };
    println!(
        "| {} | {ranker} | {queries} | {} | {:.1} of {:.0} | {:.1} of {:.0} | {:.0} % | {:.2} % | {:.1} % |",
        shape.name,
        outcomes.len(),
        mean(&|one| one.kept as f64),
        mean(&|one| one.alive as f64),
        mean(&|one| one.noise_kept as f64),
        mean(&|one| one.noise as f64),
        share(&|one| one.kept == one.alive),
        100.0 * mean(&|one| one.loss),
        share(&|one| one.loss > one.margin),
    );
}

fn one(shape: &DataShape, ranker: &str, queries: usize, seed: u64) -> Result<TrialOutcome> {
    let all = queries + TEST;
    let (data, truth) =
        generate(&SynthConfig { seed, queries: all, documents: all * LIST, ..(shape.config)() })?;
    let known = data.subset(&(0..queries).collect::<Vec<_>>());
    let test = data.subset(&(queries..all).collect::<Vec<_>>());
    let engine: Box<dyn Engine> = Box::new(LocalEngine::new(known.clone(), 1)?);
    let run = Run::new(seed, Constraints::default());
    let set = [("ranker".to_owned(), ranker.to_owned())];
    let selection = selector("auto")?.run(&set, &run, engine.as_ref())?;
    let (alive, _) = engine.ask(&Moments)?.varying_within_queries();
    let chosen = selection.columns(known.features())?;
    let measure: Measure = "ndcg[ties=expected]@10".parse()?;
    let tuned = TunedRanker::new(ranker, &selection, &run, &known, &alive, &measure)?;
    let mean = |features: &[FeatureId]| -> Result<f64> {
        Ok(measure
            .summary(&measure.per_query(&tuned.fit(features)?.score(&test.view())?, &test.view())))
    };
    let (of_all, of_chosen) = (mean(&alive)?, mean(&chosen)?);
    let noise = noise(&truth);
    Ok(TrialOutcome {
        kept: chosen.len(),
        alive: alive.len(),
        noise_kept: selection.selected.iter().filter(|chosen| noise.contains(&chosen.id)).count(),
        noise: noise.len(),
        loss: (of_all - of_chosen) / of_all,
        margin: selection.advice.map_or(0.0, |advice| advice.demand.margin),
    })
}

/// Trains the ranker as a user would: one query in five is held out to tune settings, with all
/// features, and for early stopping.
struct TunedRanker<'a> {
    ranker: &'static RankerSpec,
    settings: Settings,
    run: &'a Run,
    train: View<'a>,
    valid: View<'a>,
}

impl<'a> TunedRanker<'a> {
    fn new(
        name: &str,
        selection: &Selection,
        run: &'a Run,
        data: &'a Dataset,
        all: &[FeatureId],
        measure: &Measure,
    ) -> Result<Self> {
        let ranker = ranker(name)?;
        let (valid, train): (Vec<usize>, Vec<usize>) =
            (0..data.queries().len()).partition(|q| q % 5 == 0);
        let (train, valid) = (data.view().with_queries(train), data.view().with_queries(valid));
        let fixed: Settings =
            selection.advice.iter().flat_map(|advice| advice.settings.clone()).collect();
        let grid = if fixed.is_empty() { declared_grid(ranker, &fixed) } else { Vec::new() };
        let with_all = |view: &View<'a>| view.with_features(all.to_vec());
        let tuned =
            tune(ranker, &fixed, &grid, run, &with_all(&train), &with_all(&valid), measure)?;
        Ok(TunedRanker { ranker, settings: tuned.settings, run, train, valid })
    }

    fn fit(&self, features: &[FeatureId]) -> Result<Model> {
        let (train, valid) =
            (self.train.with_features(features), self.valid.with_features(features));
        self.ranker.fit(&self.settings, self.run, &train, Some(&valid))
    }
}

fn noise(truth: &Truth) -> Vec<u32> {
    truth.with_role(Role::Noisy).map(|feature| feature.id).collect()
}
