//! The curve of quality against size, with joint tests of non-inferiority against all features.
//!
//! Every candidate, a size of one method, has a value for each query from models that were not
//! trained on the query, averaged over the repetitions; so have all features. The averages estimate
//! the expected loss of sets of this size that this method finds, over training sets of this kind:
//! the variation between training sets, which is most of the variation of a single comparison,
//! averages out. Two families of tests are made:
//!
//! - *effectiveness*: the mean of (candidate − all) lies above −m · mean(all);
//! - *risk*: the same for u(candidate − baseline) − u(all − baseline), where u weights a loss
//!   against the baseline by 1 + α (U_RISK). Its margin is the loss of a model whose value is lower
//!   than that of all features by the share m on every query.
//!
//! Each family is tested jointly ([`jointly_non_inferior`]), so that any candidate that passes may
//! be chosen, by any rule. A test for a difference would not be valid: with few queries it finds no
//! difference and accepts any set.

use serde::{Deserialize, Serialize};

use super::cell::{CellResult, TriedSet};
use super::sizes::Size;
use crate::measure::risk::loss_weighted;
use crate::measure::significance::{NonInferiority, jointly_non_inferior};

/// The requirements on a smaller set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// The share of effectiveness that may be lost, such as .02.
    pub margin: f64,
    /// The probability of recommending a set that loses more, such as .05.
    pub level: f64,
    /// The additional weight of a loss against the baseline.
    pub alpha: f64,
}

/// The factor on standard errors: repetitions share their queries, so that the averages do not
/// show all of the variation between training sets. Chosen by calibration (docs/auto.md).
const WIDENING: f64 = 1.5;

/// A size of one method, and its tests.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The place of the size and of the method.
    pub size: usize,
    pub method: usize,
    /// The largest number of features of its sets.
    pub features: usize,
    /// Its measure on each query, averaged over the repetitions; NaN if the query does not count.
    pub per_query: Vec<f64>,
    pub effectiveness: NonInferiority,
    pub risk: NonInferiority,
}

/// All candidates and the reference.
pub struct Curve {
    /// The places of the queries that were held out at least once.
    pub queries: Vec<usize>,
    /// The measure of all features on each of them, averaged over the repetitions.
    pub all: Vec<f64>,
    pub candidates: Vec<Candidate>,
}

impl Curve {
    /// The curve of finished cells. `usable` is the number of features that the ranker can use.
    pub fn of(cells: &[CellResult], sizes: &[Size], methods: usize, demand: Demand) -> Self {
        let mut queries: Vec<usize> =
            cells.iter().flat_map(|cell| cell.queries.iter().copied()).collect();
        queries.sort_unstable();
        queries.dedup();
        let average = |of: &dyn Fn(&CellResult) -> Vec<f64>| averaged(&queries, cells, of);
        let all = average(&|cell| values(&cell.all));
        let shrunk = |cell: &CellResult| {
            values(&cell.all).iter().map(|value| (1.0 - demand.margin) * value).collect::<Vec<_>>()
        };
        let risk_lost = average(&|cell| risk_change(cell, &shrunk(cell), demand.alpha));
        let risk_margin = -mean(&risk_lost);
        let margin = demand.margin * mean(&all).abs();
        let places: Vec<(usize, usize)> = (0..sizes.len())
            .flat_map(|size| (0..methods).map(move |method| (size, method)))
            .collect();
        let tried = |cell: &CellResult, (size, method): (usize, usize)| -> TriedSet {
            cell.tried[method][size].clone()
        };
        let per_query: Vec<Vec<f64>> = places
            .iter()
            .map(|&place| average(&|cell| values(&tried(cell, place).per_query)))
            .collect();
        let lost: Vec<Vec<f64>> = per_query
            .iter()
            .map(|values| values.iter().zip(&all).map(|(own, all)| own - all).collect())
            .collect();
        let risks: Vec<Vec<f64>> = places
            .iter()
            .map(|&place| {
                let of = |cell: &CellResult| {
                    risk_change(cell, &values(&tried(cell, place).per_query), demand.alpha)
                };
                average(&of)
            })
            .collect();
        let is_allowed: Vec<bool> =
            places.iter().map(|&(size, _)| sizes[size].is_allowed).collect();
        let test = |differences: &[Vec<f64>], margin: f64| {
            tests_of_families(differences, &is_allowed, margin, demand.level)
        };
        let tests = test(&lost, margin).into_iter().zip(test(&risks, risk_margin));
        let candidate = |((&(size, method), per_query), (effectiveness, risk))| Candidate {
            size,
            method,
            features: cells
                .iter()
                .map(|cell| cell.tried[method][size].set.len())
                .max()
                .unwrap_or(0),
            per_query,
            effectiveness,
            risk,
        };
        let candidates = places.iter().zip(per_query).zip(tests).map(candidate).collect();
        Curve { queries, all, candidates }
    }

    /// The best candidate of a size: the one with the highest lower bound.
    pub fn best(&self, size: usize) -> Option<&Candidate> {
        let of_size = self.candidates.iter().filter(|candidate| candidate.size == size);
        of_size.reduce(|best, next| {
            let bound = |candidate: &Candidate| candidate.effectiveness.lower_bound;
            if bound(next) > bound(best) { next } else { best }
        })
    }
}

/// Candidates that may be returned are one family, the others another one.
fn tests_of_families(
    differences: &[Vec<f64>],
    is_allowed: &[bool],
    margin: f64,
    level: f64,
) -> Vec<NonInferiority> {
    let test = |allowed: bool| {
        let family: Vec<Vec<f64>> = differences
            .iter()
            .zip(is_allowed)
            .filter(|(_, is_allowed)| **is_allowed == allowed)
            .map(|(values, _)| values.clone())
            .collect();
        jointly_non_inferior(&family, margin, level, WIDENING).into_iter()
    };
    let (mut own, mut others) = (test(true), test(false));
    is_allowed
        .iter()
        .filter_map(|&allowed| if allowed { own.next() } else { others.next() })
        .collect()
}

/// u(values − baseline) − u(all − baseline) on each query of a cell.
fn risk_change(cell: &CellResult, of: &[f64], alpha: f64) -> Vec<f64> {
    let reference = values(&cell.all);
    let both = of.iter().zip(&reference).zip(values(&cell.baseline));
    both.map(|((own, all), baseline)| {
        loss_weighted(own - baseline, alpha) - loss_weighted(all - baseline, alpha)
    })
    .collect()
}

fn values(of: &[Option<f64>]) -> Vec<f64> {
    of.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}

/// The mean over the cells that held a query out, for each of the queries.
fn averaged(
    queries: &[usize],
    cells: &[CellResult],
    of: &dyn Fn(&CellResult) -> Vec<f64>,
) -> Vec<f64> {
    let (mut sums, mut counts) = (vec![0.0; queries.len()], vec![0.0; queries.len()]);
    for cell in cells {
        for (query, value) in cell.queries.iter().zip(of(cell)) {
            let place = queries.partition_point(|other| other < query);
            sums[place] += value;
            counts[place] += 1.0;
        }
    }
    sums.iter().zip(counts).map(|(sum, count)| sum / count).collect()
}

/// The mean over the queries that count.
fn mean(values: &[f64]) -> f64 {
    let counted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    counted.iter().sum::<f64>() / (counted.len() as f64).max(1.0)
}
