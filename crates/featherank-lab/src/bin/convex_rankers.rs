//! Times linear rankers and prints JSON, for `bench/convex_rankers.py` to compare with other
//! libraries.
//!
//! `convex_rankers ranksvm C FILE…` trains RankSVM in the primal on LETOR files, several times.
//! `convex_rankers export FOLDER` writes synthetic data of the size of a WEB10K training part for
//! the other library. `convex_rankers population FOLDER` fits least squares on random halves of its
//! features and measures NDCG@10 per query.

use std::fs;
use std::path::Path;
use std::time::Instant;

use featherank::data::synth::{Preset, SynthConfig, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, ReadOptions, read};
use featherank::engine::passes::{Centring, Gram, LinearMeasures};
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::internals::design::Design;
use featherank::internals::gram_solver::GramSolver;
use featherank::internals::newton::SquaredHingeProblem;
use featherank::internals::random::{Purpose, stream};
use featherank::measure::Measure;
use featherank::run::{Constraints, Run};
use featherank_lab::AnyError;
use rand::seq::SliceRandom;
use serde_json::json;

/// Models in the population.
const POPULATION: usize = 75;

fn main() -> Result<(), AnyError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let report = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["ranksvm", c, ref files @ ..] => ranksvm(c.parse()?, files)?,
        ["export", folder] => export(Path::new(folder))?,
        ["population", folder] => population(Path::new(folder))?,
        _ => return Err("usage: ranksvm C FILE… | export FOLDER | population FOLDER".into()),
    };
    println!("{report}");
    Ok(())
}

fn ranksvm(c: f64, files: &[&str]) -> Result<serde_json::Value, AnyError> {
    let data = read(files, &ReadOptions::default())?;
    let mut seconds = Vec::new();
    let mut report = json!({});
    for _ in 0..11 {
        let start = Instant::now();
        let design = Design::new(&data.view())?;
        let problem = SquaredHingeProblem::new(&design)?;
        let (penalties, zero) = (vec![1.0; design.width()], vec![0.0; design.width()]);
        let solution =
            problem.solve(&Run::new(0, Constraints::default()), c, &penalties, &zero, 1e-9)?;
        seconds.push(start.elapsed().as_secs_f64());
        report = json!({
            "objective": solution.objectives.last(),
            "gradient_norm": solution.gradient_norm,
            "steps": solution.objectives.len() - 1,
            "pairs": problem.pairs(),
            "seconds": seconds,
        });
    }
    Ok(report)
}

/// The data as raw little-endian 32-bit numbers, column after column, with labels and query sizes.
fn export(folder: &Path) -> Result<serde_json::Value, AnyError> {
    let config = SynthConfig { queries: 6_000, documents: 727_623, ..Preset::Web10k.config() };
    let (data, _) = generate(&config)?;
    fs::create_dir_all(folder)?;
    let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    fs::write(folder.join("values.f32"), bytes(data.values()))?;
    fs::write(folder.join("labels.f32"), bytes(data.labels()))?;
    let sizes: Vec<f32> = data.queries().sizes().map(|size| size as f32).collect();
    fs::write(folder.join("sizes.f32"), bytes(&sizes))?;
    Ok(json!({ "documents": data.documents(), "features": data.features().len() }))
}

fn load(folder: &Path) -> Result<Dataset, AnyError> {
    let numbers = |name: &str| -> Result<Vec<f32>, AnyError> {
        let bytes = fs::read(folder.join(name))?;
        Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    };
    let (values, labels) = (numbers("values.f32")?, numbers("labels.f32")?);
    let sizes: Vec<usize> = numbers("sizes.f32")?.into_iter().map(|size| size as usize).collect();
    let width = values.len() / labels.len();
    Ok(Dataset::new(values, labels, Queries::from_sizes(&sizes), FeatureTable::numbered(width, 1)))
}

fn population(folder: &Path) -> Result<serde_json::Value, AnyError> {
    let engine = LocalEngine::new(load(folder)?, 0)?;
    let engine: &dyn Engine = &engine;
    let width = engine.schema().features.len();
    let features: Vec<FeatureId> = (0..width).map(FeatureId::from).collect();
    let half = |index: u64| {
        let mut all: Vec<usize> = (0..width).collect();
        all.shuffle(&mut stream(0, Purpose::Test, index));
        all.truncate(width / 2);
        all.sort_unstable();
        all
    };
    let subsets: Vec<Vec<usize>> = (0..POPULATION as u64).map(half).collect();
    let measure: Measure = "ndcg@10".parse()?;
    let start = Instant::now();
    let gram = engine.ask(&Gram::new(features.clone(), Centring::Overall))?;
    let gram_seconds = start.elapsed().as_secs_f64();
    let solver = GramSolver::new(gram, 0.0);
    let spread = |subset: &Vec<usize>| {
        let mut weights = vec![0.0; width];
        subset.iter().zip(solver.solve(subset).weights).for_each(|(&f, w)| weights[f] = w as f32);
        weights
    };
    let weights: Vec<Vec<f32>> = subsets.iter().map(spread).collect();
    let solve_seconds = start.elapsed().as_secs_f64() - gram_seconds;
    let measures = engine.ask(&LinearMeasures { measure: measure.clone(), features, weights })?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(json!({
        "seconds": seconds,
        "gram_seconds": gram_seconds,
        "solve_seconds": solve_seconds,
        "measure_seconds": seconds - gram_seconds - solve_seconds,
        "models": POPULATION,
        "means": measures.summaries(&measure),
        "subsets": subsets,
    }))
}
