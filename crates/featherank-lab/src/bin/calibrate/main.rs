//! Measures how often `auto` recommends a set that loses more than the margin.
//!
//! `calibrate FILE [WORD …]` appends one line of JSON for every run to FILE and prints a Markdown
//! table of all runs in it. Runs that the file contains are not repeated, so that the program can
//! be interrupted at any time. A word is the name of a population or ranker, a number of queries,
//! or `runs=N` (default 100); without words all are calibrated. Remove the file when `auto` has
//! changed.

mod one_run;
mod populations;
mod table;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use featherank_lab::AnyError;
use one_run::{CalibrationRun, RunKey};
use populations::Population;
use rayon::prelude::*;

/// Rankers that use the features.
const RANKERS: [&str; 2] = ["rankrls", "lambdamart"];

/// Numbers of queries available to `auto`.
const QUERIES: [usize; 4] = [100, 300, 1000, 3000];

/// The default number of runs for each population, ranker and number of queries.
const RUNS: u64 = 100;

/// The runs that the arguments request: all combinations.
struct RequestedRuns {
    populations: Vec<&'static Population>,
    rankers: Vec<&'static str>,
    queries: Vec<usize>,
    runs: u64,
}

impl RequestedRuns {
    fn of(words: &[String]) -> Result<Self, AnyError> {
        let mut requested = RequestedRuns {
            populations: Vec::new(),
            rankers: Vec::new(),
            queries: Vec::new(),
            runs: RUNS,
        };
        for word in words {
            let population = populations::ALL.iter().find(|one| one.name == word);
            let ranker = RANKERS.iter().find(|one| *one == word);
            match (population, ranker, word.strip_prefix("runs="), word.parse::<usize>()) {
                (Some(population), ..) => requested.populations.push(population),
                (_, Some(ranker), ..) => requested.rankers.push(ranker),
                (.., Some(runs), _) => requested.runs = runs.parse()?,
                (.., Ok(queries)) => requested.queries.push(queries),
                _ => return Err(format!("`{word}` is no population, ranker or number").into()),
            }
        }
        if requested.populations.is_empty() {
            requested.populations = populations::ALL.iter().collect();
        }
        if requested.rankers.is_empty() {
            requested.rankers = RANKERS.to_vec();
        }
        if requested.queries.is_empty() {
            requested.queries = QUERIES.to_vec();
        }
        Ok(requested)
    }

    /// All runs, those with few queries first: they take seconds, the last ones take minutes.
    fn keys(&self) -> Vec<RunKey> {
        let mut keys = Vec::new();
        for &queries in &self.queries {
            for seed in 1..=self.runs {
                for population in &self.populations {
                    for ranker in &self.rankers {
                        let (population, ranker) = (population.name.into(), (*ranker).into());
                        keys.push(RunKey { population, ranker, queries, seed });
                    }
                }
            }
        }
        keys
    }
}

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, words @ ..] = &arguments[..] else {
        return Err("usage: calibrate FILE [POPULATION | RANKER | QUERIES | runs=N …]".into());
    };
    let requested = RequestedRuns::of(words)?;
    let mut runs = finished(path)?;
    let known: BTreeSet<&RunKey> = runs.iter().map(|run| &run.key).collect();
    let missing: Vec<RunKey> =
        requested.keys().into_iter().filter(|key| !known.contains(key)).collect();
    let file = Mutex::new(OpenOptions::new().create(true).append(true).open(path)?);
    // In order: the file and the table are useful before the last run has ended.
    let added: Vec<CalibrationRun> = missing
        .par_iter()
        .with_max_len(1)
        .map(|key| -> Result<Option<CalibrationRun>, AnyError> {
            let Some(run) = CalibrationRun::of(key)? else { return Ok(None) };
            let line = serde_json::to_string(&run)? + "\n";
            file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())?;
            Ok(Some(run))
        })
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?;
    runs.extend(added);
    table::print(&runs);
    Ok(())
}

/// The runs in a file; none if there is no file.
fn finished(path: &str) -> Result<Vec<CalibrationRun>, AnyError> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    // An interrupted run may have left half a line.
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
