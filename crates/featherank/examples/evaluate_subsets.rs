//! Evaluates subsets of features for a search in another program: the evaluation of `spea2`, without its search.
//!
//! `evaluate_subsets DATA` prints the number of features and the seconds that it needed after reading, and then one line for each line it
//! reads: subsets as strings of 0 and 1 with spaces between them in, `NDCG@10,T_RISK` of each with spaces between them out. Least squares on the
//! subset, judged on the data it was trained on; risk is against all features, with losses weighing six times as much as gains.

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::time::Instant;

use featherank::data::{FeatureId, ReadOptions, read};
use featherank::engine::passes::{Centring, GramPass, LinearMeasuresPass};
use featherank::engine::{Engine, LocalEngine};
use featherank::measure::Measure;
use featherank::measure::risk::t_risk;
use featherank::rank::linear::gram_solver::GramSolver;

const ALPHA: f64 = 5.0;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: evaluate_subsets DATA")?;
    let engine = LocalEngine::new(read(&[PathBuf::from(path)], &ReadOptions::default())?, 0)?;
    let start = Instant::now();
    let black_box = Subsets::new(&engine)?;
    let mut out = stdout().lock();
    writeln!(out, "{} {}", black_box.features.len(), start.elapsed().as_secs_f64())?;
    out.flush()?;
    for line in stdin().lock().lines() {
        let line = line?;
        let subsets: Vec<Vec<usize>> = line.split_whitespace().map(ones).collect();
        let answers = black_box.objectives(&subsets)?;
        let cells: Vec<String> = answers.iter().map(|(ndcg, risk)| format!("{ndcg},{risk}")).collect();
        writeln!(out, "{}", cells.join(" "))?;
        out.flush()?;
    }
    Ok(())
}

fn ones(subset: &str) -> Vec<usize> {
    subset.bytes().enumerate().filter(|(_, byte)| *byte == b'1').map(|(place, _)| place).collect()
}

/// Everything that all subsets share.
struct Subsets<'a> {
    engine: &'a dyn Engine,
    measure: Measure,
    features: Vec<FeatureId>,
    solver: GramSolver,
    /// NDCG@10 of every query with all features.
    full: Vec<f64>,
}

impl<'a> Subsets<'a> {
    fn new(engine: &'a LocalEngine) -> featherank::Result<Self> {
        let engine: &dyn Engine = engine;
        let features = engine.alive()?.0;
        let gram = engine.gram(GramPass::new(features.clone(), Centring::Overall))?;
        let measure: Measure = "ndcg[ties=expected]@10".parse()?;
        let mut subsets =
            Subsets { engine, measure, features, solver: GramSolver::new(gram, 0.0), full: Vec::new() };
        subsets.full = subsets.per_query(&[(0..subsets.features.len()).collect()])?.remove(0);
        Ok(subsets)
    }

    fn per_query(&self, subsets: &[Vec<usize>]) -> featherank::Result<Vec<Vec<f64>>> {
        let weights = |subset: &Vec<usize>| {
            let mut weights = vec![0.0; self.features.len()];
            let solved = self.solver.solve(subset).weights;
            subset.iter().zip(solved).for_each(|(&place, weight)| weights[place] = weight as f32);
            weights
        };
        let pass = LinearMeasuresPass {
            measure: self.measure.clone(),
            features: self.features.clone(),
            weights: subsets.iter().map(weights).collect(),
        };
        Ok(self.engine.linear_measures(pass)?.per_query)
    }

    fn objectives(&self, subsets: &[Vec<usize>]) -> featherank::Result<Vec<(f64, f64)>> {
        let objectives =
            |values: &Vec<f64>| (self.measure.summary(values), t_risk(values, &self.full, ALPHA));
        Ok(self.per_query(subsets)?.iter().map(objectives).collect())
    }
}
