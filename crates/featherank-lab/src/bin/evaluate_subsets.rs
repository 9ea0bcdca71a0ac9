//! Evaluates and compares subsets of features for a search in another program, as `spea2` does for
//! its own search.
//!
//! `evaluate_subsets DATA` prints the number of features and the seconds of preparation after
//! reading, and then one line for each line it reads. Subsets are strings of 0 and 1. The reply to
//! subsets separated by spaces is `NDCG@10,F_RISK` of each: least squares on the subset, evaluated
//! on its training data; risk is the mean loss against all features. The reply to a `?` followed by
//! subsets that were evaluated before is a string for each of them, with a 1 for every subset that
//! it beats by Wilcoxon's tests and a 0 for the others.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::time::Instant;

use featherank::data::{FeatureId, ReadOptions, read};
use featherank::engine::passes::{Centring, Gram, LinearMeasures, Moments};
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::internals::evolve::pareto_dominates;
use featherank::internals::gram_solver::GramSolver;
use featherank::measure::Measure;
use featherank::measure::risk::f_risk;
use featherank::measure::significance::{LEVEL, PerQuery, SignedRankLevel};
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: evaluate_subsets DATA")?;
    let engine = LocalEngine::new(read(&[PathBuf::from(path)], &ReadOptions::default())?, 0)?;
    let start = Instant::now();
    let black_box = Subsets::new(&engine)?;
    let mut comparisons = Comparisons::default();
    let mut out = stdout().lock();
    writeln!(out, "{} {}", black_box.features.len(), start.elapsed().as_secs_f64())?;
    out.flush()?;
    for line in stdin().lock().lines() {
        let line = line?;
        let cells: Vec<String> = match line.strip_prefix('?') {
            Some(subsets) => comparisons.among(&subsets.split_whitespace().collect::<Vec<_>>())?,
            None => {
                let subsets: Vec<&str> = line.split_whitespace().collect();
                let objectives = black_box.objectives(&subsets)?;
                let cells = objectives
                    .iter()
                    .map(|objectives| format!("{},{}", objectives.ndcg, objectives.risk))
                    .collect();
                comparisons.remember(&subsets, objectives);
                cells
            }
        };
        writeln!(out, "{}", cells.join(" "))?;
        out.flush()?;
    }
    Ok(())
}

/// Objectives of a subset, overall and per query.
struct Objectives {
    ndcg: f64,
    risk: f64,
    gains: PerQuery,
    losses: PerQuery,
}

/// Data shared by all subsets.
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
        let features = engine.ask(&Moments)?.varying_within_queries().0;
        let gram = engine.ask(&Gram::new(features.clone(), Centring::Overall))?;
        let measure: Measure = "ndcg[ties=expected]@10".parse()?;
        let mut subsets = Subsets {
            engine,
            measure,
            features,
            solver: GramSolver::new(gram, 0.0),
            full: Vec::new(),
        };
        subsets.full = subsets.per_query(&["1".repeat(subsets.features.len()).as_str()])?.remove(0);
        Ok(subsets)
    }

    fn per_query(&self, subsets: &[&str]) -> featherank::Result<Vec<Vec<f64>>> {
        let weights = |subset: &&str| {
            let ones = subset.bytes().enumerate().filter(|(_, byte)| *byte == b'1');
            let subset: Vec<usize> = ones.map(|(place, _)| place).collect();
            let mut weights = vec![0.0; self.features.len()];
            let solved = self.solver.solve(&subset).weights;
            subset.iter().zip(solved).for_each(|(&place, weight)| weights[place] = weight as f32);
            weights
        };
        let pass = LinearMeasures {
            measure: self.measure.clone(),
            features: self.features.clone(),
            weights: subsets.par_iter().map(weights).collect(),
        };
        Ok(self.engine.ask(&pass)?.per_query)
    }

    fn objectives(&self, subsets: &[&str]) -> featherank::Result<Vec<Objectives>> {
        let objectives = |values: &Vec<f64>| {
            let losses = values.iter().zip(&self.full).map(|(value, full)| (full - value).max(0.0));
            Objectives {
                ndcg: self.measure.summary(values),
                risk: f_risk(values, &self.full),
                gains: PerQuery::new(values),
                losses: PerQuery::new(&losses.collect::<Vec<f64>>()),
            }
        };
        Ok(self.per_query(subsets)?.par_iter().map(objectives).collect())
    }
}

/// Dominance among all subsets so far; each pair is compared once.
#[derive(Default)]
struct Comparisons {
    /// Index of each subset, in order of first appearance.
    numbers: HashMap<String, usize>,
    objectives: Vec<Objectives>,
    /// Results by pair of indices, the smaller one first.
    known: HashMap<[usize; 2], [bool; 2]>,
}

impl Comparisons {
    fn remember(&mut self, subsets: &[&str], objectives: Vec<Objectives>) {
        self.numbers
            .extend(subsets.iter().map(|subset| (*subset).to_owned()).zip(self.objectives.len()..));
        self.objectives.extend(objectives);
    }

    fn among(&mut self, subsets: &[&str]) -> Result<Vec<String>, Box<dyn Error>> {
        let number =
            |subset: &&str| self.numbers.get(*subset).copied().ok_or("a subset was not evaluated");
        let numbers: Vec<usize> = subsets.iter().map(number).collect::<Result<_, _>>()?;
        let pairs = numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| [a, b]));
        let new: Vec<[usize; 2]> =
            pairs.filter(|pair| pair[0] < pair[1] && !self.known.contains_key(pair)).collect();
        let level = SignedRankLevel::new(LEVEL);
        let compare =
            |&[a, b]: &[usize; 2]| compare(&self.objectives[a], &self.objectives[b], &level);
        let found: Vec<[bool; 2]> = new.par_iter().map(compare).collect();
        self.known.extend(new.into_iter().zip(found));
        let beats = |a: usize, b: usize| match a.cmp(&b) {
            Ordering::Less => self.known[&[a, b]][0],
            Ordering::Equal => false,
            Ordering::Greater => self.known[&[b, a]][1],
        };
        let row =
            |&a: &usize| numbers.iter().map(|&b| if beats(a, b) { '1' } else { '0' }).collect();
        Ok(numbers.iter().map(row).collect())
    }
}

/// Whether the first beats the second, and the second the first.
fn compare(a: &Objectives, b: &Objectives, level: &SignedRankLevel) -> [bool; 2] {
    let tested = |order: Ordering, a: &PerQuery, b: &PerQuery| {
        if order.is_ne() && level.differ(a, b) { order } else { Ordering::Equal }
    };
    let by_risk = a.risk.total_cmp(&b.risk);
    let by_ndcg = b.ndcg.total_cmp(&a.ndcg);
    let risk = tested(by_risk, &a.losses, &b.losses);
    // If both objectives point the same way, one significant test is enough.
    let ndcg = if by_risk == by_ndcg && risk.is_ne() {
        by_ndcg
    } else {
        tested(by_ndcg, &a.gains, &b.gains)
    };
    [pareto_dominates([risk, ndcg]), pareto_dominates([risk.reverse(), ndcg.reverse()])]
}
