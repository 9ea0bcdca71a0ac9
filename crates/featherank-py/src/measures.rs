//! Ranking measures by name.

use featherank::Error;
use featherank::measure::{Measure, RankingScratch};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::data::checked_labels;
use crate::errors::OrRaise;

/// The canonical name of a measure.
#[pyfunction]
pub fn canonical_measure(py: Python<'_>, name: &str) -> PyResult<String> {
    Ok(name.parse::<Measure>().or_raise(py)?.to_string())
}

/// The value of each query; NaN if a query does not count. Queries are consecutive rows of the
/// given sizes.
#[pyfunction]
pub fn measure_per_query<'py>(
    py: Python<'py>,
    name: &str,
    labels: PyReadonlyArray1<'py, f64>,
    scores: PyReadonlyArray1<'py, f64>,
    sizes: Vec<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let measure: Measure = name.parse().or_raise(py)?;
    let (labels, scores) = (labels.as_array().to_vec(), scores.as_array().to_vec());
    let values = py.detach(|| per_query(&measure, &labels, &scores, &sizes)).or_raise(py)?;
    Ok(PyArray1::from_vec(py, values))
}

fn per_query(
    measure: &Measure,
    labels: &[f64],
    scores: &[f64],
    sizes: &[usize],
) -> featherank::Result<Vec<f64>> {
    if scores.len() != labels.len() || sizes.iter().sum::<usize>() != labels.len() {
        return Err(Error::invalid(
            "number of scores",
            scores.len(),
            format!("{}, one per label", labels.len()),
        ));
    }
    if let Some(row) = scores.iter().position(|score| score.is_nan()) {
        return Err(Error::invalid(format!("score of document {row}"), "NaN", "a number"));
    }
    let labels = checked_labels(labels)?;
    measure.check_labels(labels.iter().copied().fold(0.0, f32::max))?;
    let mut scratch = RankingScratch::default();
    let (mut start, mut ranks) = (0, Ranks::default());
    let value = |&size: &usize| {
        let rows = start..start + size;
        start += size;
        scratch.labels(&labels[rows.clone()]);
        measure.of_ranking(&scratch.rank(ranks.of(&scores[rows])))
    };
    Ok(sizes.iter().map(value).collect())
}

/// Maps 64-bit scores to 32-bit ranks with the same order and ties; rounding would tie different
/// scores.
#[derive(Default)]
struct Ranks {
    order: Vec<usize>,
    ranks: Vec<f32>,
}

impl Ranks {
    fn of(&mut self, scores: &[f64]) -> &[f32] {
        self.order.clear();
        self.order.extend(0..scores.len());
        self.order.sort_unstable_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        self.ranks.clear();
        self.ranks.resize(scores.len(), 0.0);
        let (mut rank, mut last) = (0.0, f64::NAN);
        for &row in &self.order {
            // `!=` instead of `>`: 0 and -0 are the same score.
            if scores[row] != last {
                rank += 1.0;
                last = scores[row];
            }
            self.ranks[row] = rank;
        }
        &self.ranks
    }
}

/// Aggregates the values of all queries.
#[pyfunction]
pub fn measure_summary(
    py: Python<'_>,
    name: &str,
    per_query: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    let measure: Measure = name.parse().or_raise(py)?;
    Ok(measure.summary(&per_query.as_array().to_vec()))
}
