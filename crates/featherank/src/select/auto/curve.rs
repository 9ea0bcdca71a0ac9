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

use super::cell::CellResult;
use super::sizes::Size;
use crate::measure::risk::loss_weighted;
use crate::measure::significance::{NonInferiority, jointly_non_inferior};

/// The requirements on a smaller set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NonInferiorityDemand {
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
    /// The standard error of the difference in effectiveness.
    pub standard_error: f64,
    /// The share of the squared standard error that the variation between repetitions has; none if
    /// there is one repetition.
    pub noise: Option<f64>,
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
    /// The curve of finished cells.
    pub fn of(
        cells: &[&CellResult],
        sizes: &[Size],
        methods: usize,
        demand: NonInferiorityDemand,
    ) -> Self {
        let mut queries: Vec<usize> =
            cells.iter().flat_map(|cell| cell.queries.iter().copied()).collect();
        queries.sort_unstable();
        queries.dedup();
        let all = averaged(&queries, cells, &|cell| Some(values(&cell.all)));
        let shrunk = |cell: &CellResult| {
            values(&cell.all).iter().map(|value| (1.0 - demand.margin) * value).collect::<Vec<_>>()
        };
        let risk_lost =
            averaged(&queries, cells, &|cell| Some(risk_change(cell, &shrunk(cell), demand.alpha)));
        let risk_margin = -mean(&risk_lost.means);
        let mean_of_all = mean(&all.means);
        let margin = demand.margin * mean_of_all.abs();
        let places: Vec<(usize, usize)> = (0..sizes.len())
            .flat_map(|size| (0..methods).map(move |method| (size, method)))
            .collect();
        let own = |cell: &CellResult, (size, method): (usize, usize)| {
            cell.tried[method][size].as_ref().map(|tried| values(&tried.per_query))
        };
        let changes = |change: &dyn Fn(&CellResult, Vec<f64>) -> Vec<f64>| -> Vec<QueryMeans> {
            let of = |&place: &(usize, usize)| {
                let change = |cell: &CellResult| Some(change(cell, own(cell, place)?));
                averaged(&queries, cells, &change)
            };
            places.iter().map(of).collect()
        };
        let lost = changes(&|cell, own| {
            own.iter().zip(values(&cell.all)).map(|(own, all)| own - all).collect()
        });
        let risks = changes(&|cell, own| risk_change(cell, &own, demand.alpha));
        // The margin is a share of a mean that is estimated, too.
        let tested: Vec<Vec<f64>> = lost
            .iter()
            .map(|one| {
                let shift = |all: &f64| demand.margin * (all - mean_of_all);
                one.means.iter().zip(&all.means).map(|(own, all)| own + shift(all)).collect()
            })
            .collect();
        let risks: Vec<Vec<f64>> = risks.into_iter().map(|one| one.means).collect();
        let is_allowed: Vec<bool> =
            places.iter().map(|&(size, _)| sizes[size].is_allowed).collect();
        let test = |differences: &[Vec<f64>], margin: f64| {
            tests_of_families(differences, &is_allowed, margin, demand.level)
        };
        let (effectiveness, risk) = (test(&tested, margin), test(&risks, risk_margin));
        let candidate = |place: usize| {
            let (size, method) = places[place];
            let sets = cells.iter().filter_map(|cell| cell.tried[method][size].as_ref());
            let (standard_error, noise) = lost[place].spread(&tested[place]);
            Candidate {
                size,
                method,
                features: sets.map(|tried| tried.set.len()).max().unwrap_or(0),
                per_query: lost[place]
                    .means
                    .iter()
                    .zip(&all.means)
                    .map(|(d, all)| d + all)
                    .collect(),
                effectiveness: effectiveness[place].clone(),
                risk: risk[place].clone(),
                standard_error,
                noise,
            }
        };
        let candidates = (0..places.len()).map(candidate).collect();
        Curve { queries, all: all.means, candidates }
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

/// The values of queries, averaged over the cells that held them out.
struct QueryMeans {
    /// For each query; NaN if the query does not count.
    means: Vec<f64>,
    /// The variance of a query's mean that the variation between repetitions causes, averaged over
    /// the queries; none if there is one repetition.
    noise: Option<f64>,
}

impl QueryMeans {
    /// The standard error of the mean over queries, and the share of its square that the variation
    /// between repetitions has. `tested` are the values that the test compares.
    fn spread(&self, tested: &[f64]) -> (f64, Option<f64>) {
        let counted: Vec<f64> = tested.iter().copied().filter(|value| !value.is_nan()).collect();
        let count = counted.len() as f64;
        let centre = mean(&counted);
        let squares: f64 = counted.iter().map(|value| (value - centre).powi(2)).sum();
        let variance = squares / (count - 1.0).max(1.0);
        let share = |noise: f64| if variance > 0.0 { noise / variance } else { 0.0 };
        ((variance / count.max(1.0)).sqrt(), self.noise.map(share))
    }
}

/// Averages the values of each query over the cells that have them.
fn averaged(
    queries: &[usize],
    cells: &[&CellResult],
    of: &dyn Fn(&CellResult) -> Option<Vec<f64>>,
) -> QueryMeans {
    let zeros = || vec![0.0; queries.len()];
    let (mut sums, mut squares, mut counts) = (zeros(), zeros(), zeros());
    for cell in cells {
        for (query, value) in cell.queries.iter().zip(of(cell).into_iter().flatten()) {
            let place = queries.partition_point(|other| other < query);
            sums[place] += value;
            squares[place] += value * value;
            counts[place] += 1.0;
        }
    }
    let means: Vec<f64> = sums.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
    let repeated = (0..queries.len()).filter(|&q| counts[q] > 1.0 && !means[q].is_nan());
    let noises: Vec<f64> = repeated
        .map(|q| {
            let deviation = (squares[q] - means[q] * sums[q]).max(0.0);
            deviation / (counts[q] - 1.0) / counts[q]
        })
        .collect();
    QueryMeans { means, noise: (!noises.is_empty()).then(|| mean(&noises)) }
}

/// The mean over the queries that count.
fn mean(values: &[f64]) -> f64 {
    let counted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    counted.iter().sum::<f64>() / (counted.len() as f64).max(1.0)
}
