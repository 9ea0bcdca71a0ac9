//! Every selector and every ranker ends within two seconds of a stop request. A program of its own,
//! one method after the other, because it measures time.
//!
//! For measurements at other sizes, `FEATHERANK_STOP_DOCUMENTS` sets the size of the data (with 136
//! features), `FEATHERANK_STOP_SECONDS` the time after which methods are stopped, and
//! `FEATHERANK_STOP_METHODS` the methods.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail loudly")]

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use featherank::data::Dataset;
use featherank::data::synth::{SynthConfig, generate};
use featherank::engine::LocalEngine;
use featherank::registry::{RANKERS, SELECTORS};
use featherank::run::{Constraints, Observer, Run, Step, StopToken};
use featherank::select::SelectionJob;
use featherank::{Error, Result, Stop};

/// Held by the test that runs.
static ALONE: Mutex<()> = Mutex::new(());

/// How long it may take to end.
const ENDING: Duration = Duration::from_secs(2);

/// Attempts for each method: others use the machine, too.
const ATTEMPTS: usize = 3;

/// Parameters with which a method takes tens of seconds. The others do so by default, or are
/// repeated until they are stopped.
const EXPENSIVE: &[(&str, &[(&str, &str)])] = &[
    ("adarank-map", &[("rounds", "500"), ("repeats", "allow")]),
    ("adarank-ndcg", &[("rounds", "500"), ("repeats", "allow")]),
    ("lambdamart", &[("trees", "100000")]),
    ("mart", &[("trees", "100000")]),
    ("random-forest", &[("trees", "10000")]),
    ("listnet", &[("epochs", "100000")]),
    ("lambdarank", &[("epochs", "100000")]),
    ("coordinate-ascent", &[("restarts", "100")]),
];

struct Stopped(StopToken);

impl Observer for Stopped {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    fn stop(&self) -> &StopToken {
        &self.0
    }
}

/// A number of the environment.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn data() -> Dataset {
    let documents = number("FEATHERANK_STOP_DOCUMENTS", 40_000);
    let config = SynthConfig {
        queries: documents / 100,
        documents,
        min_documents: 5,
        max_documents: 1200,
        useful: 20,
        redundant: 40,
        noisy: 60,
        query_dependent: 8,
        risky: 8,
        constant: 0,
        ..SynthConfig::default()
    };
    generate(&config).unwrap().0
}

fn is_wanted(name: &str) -> bool {
    std::env::var("FEATHERANK_STOP_METHODS")
        .map_or(true, |names| names.split(',').any(|wanted| wanted == name))
}

fn settings(name: &str) -> Vec<(String, String)> {
    let known = EXPENSIVE.iter().find(|(method, _)| *method == name);
    let settings = known.map_or(&[][..], |(_, settings)| settings).iter();
    settings.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A method, ready to run.
type Work<'r> = Box<dyn Fn() -> Result<()> + Send + Sync + 'r>;

/// The time from the stop request to the end of the work, which is repeated until it is stopped.
fn time_to_end(prepared: impl FnOnce(&Run) -> Work<'_>) -> Duration {
    let token = StopToken::new();
    let run = Run {
        observer: Arc::new(Stopped(token.clone())),
        ..Run::new(1, Constraints { k: Some(10), ..Constraints::default() })
    };
    let work = prepared(&run);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            loop {
                match work() {
                    Ok(()) if !run.stop().is_stopped() => {}
                    Ok(()) | Err(Error::Stopped(Stop::Interrupted)) => return Instant::now(),
                    Err(error) => panic!("{error}"),
                }
            }
        });
        std::thread::sleep(Duration::from_secs(number("FEATHERANK_STOP_SECONDS", 1) as u64));
        let requested = Instant::now();
        token.stop(Stop::Interrupted);
        worker.join().unwrap().saturating_duration_since(requested)
    })
}

fn check(
    kind: &str,
    name: &str,
    late: &mut Vec<String>,
    prepared: impl for<'r> Fn(&'r Run) -> Work<'r>,
) {
    if !is_wanted(name) {
        return;
    }
    let mut times = Vec::new();
    while times.len() < ATTEMPTS && times.last().is_none_or(|time| *time > ENDING) {
        times.push(time_to_end(&prepared));
    }
    println!("{kind} {name}: {times:.2?}");
    if times.iter().all(|time| *time > ENDING) {
        late.push(format!("{kind} {name}: {times:.2?}"));
    }
}

#[test]
fn every_method_ends_within_two_seconds() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let data = data();
    let mut late = Vec::new();
    for spec in RANKERS {
        let set = settings(spec.name);
        check("ranker", spec.name, &mut late, |run| {
            let (set, data) = (set.clone(), data.clone());
            Box::new(move || spec.fit(&set, run, &data.view(), None).map(drop))
        });
    }
    for spec in SELECTORS {
        let set = settings(spec.name);
        check("selector", spec.name, &mut late, |run| {
            let engine = LocalEngine::new(data.clone(), 0).unwrap();
            let (set, engine) = (set.clone(), engine.observed_by(run.observer.clone()));
            Box::new(move || spec.run(&set, run, &engine).map(drop))
        });
    }
    assert!(late.is_empty(), "too late:\n{}", late.join("\n"));
}

/// A time limit is exceeded by less than five seconds, with or without a result.
#[test]
fn methods_with_a_time_limit_end_in_time() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let data = data();
    let limit = Duration::from_secs(1);
    for spec in SELECTORS.iter().filter(|spec| spec.resumes || spec.name == "boruta") {
        let run = Run::new(1, Constraints::default());
        let set = settings(spec.name);
        let engine = LocalEngine::new(data.clone(), 0).unwrap();
        let start = Instant::now();
        let job = SelectionJob::new(spec, set, run).time_limit(Some(limit));
        let outcome = job.run(&engine.observed_by(job.observer()));
        let time = start.elapsed();
        println!("{}: {time:.2?}", spec.name);
        assert!(time < limit + Duration::from_secs(5), "{}: {time:.2?}", spec.name);
        match outcome {
            Ok(outcome) => assert_eq!(outcome.stopped, Some(Stop::TimeLimit), "{}", spec.name),
            Err(Error::Stopped(Stop::TimeLimit)) => {}
            Err(error) => panic!("{}: {error}", spec.name),
        }
    }
}
