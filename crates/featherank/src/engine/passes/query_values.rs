//! Values of a measure in every query, and their sums over all queries.

use serde::{Deserialize, Serialize};

use crate::engine::Merge;
use crate::measure::Measure;

/// Values of a measure in every query, for many rankings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryValues {
    /// For each ranking, its value in every query; NaN if the query does not count.
    pub per_query: Vec<Vec<f64>>,
}

impl QueryValues {
    /// One number for each ranking.
    pub fn summaries(&self, measure: &Measure) -> Vec<f64> {
        self.per_query.iter().map(|values| measure.summary(values)).collect()
    }
}

impl Merge for QueryValues {
    fn merge(mut self, next: Self) -> Self {
        append_queries(&mut self.per_query, next.per_query);
        self
    }
}

/// Appends the values of the queries that follow, ranking by ranking.
pub(crate) fn append_queries(all: &mut [Vec<f64>], next: Vec<Vec<f64>>) {
    all.iter_mut().zip(next).for_each(|(all, mut more)| all.append(&mut more));
}

/// Sums of a measure over all queries, for many rankings: an answer whose size does not depend on
/// the number of queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureSums {
    /// The sum over queries that count of what the measure adds up, and how many count.
    sums: Vec<(f64, u64)>,
}

impl MeasureSums {
    /// Sums the values of each ranking in every query; NaN if a query does not count.
    pub(crate) fn of<V: AsRef<[f64]>>(measure: &Measure, per_query: &[V]) -> Self {
        let sum = |values: &V| {
            let counted =
                measure.additive(values.as_ref()).into_iter().filter(|value| !value.is_nan());
            counted.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1))
        };
        MeasureSums { sums: per_query.iter().map(sum).collect() }
    }

    /// The sums of some rankings, then those of others, over the same queries.
    pub(crate) fn concat(sums: impl IntoIterator<Item = MeasureSums>) -> Self {
        MeasureSums { sums: sums.into_iter().flat_map(|sums| sums.sums).collect() }
    }

    /// One number for each ranking; NaN if no query counts.
    pub fn summaries(&self, measure: &Measure) -> Vec<f64> {
        self.sums.iter().map(|&(sum, count)| measure.summary_of_mean(sum / count as f64)).collect()
    }
}

impl Merge for MeasureSums {
    fn merge(mut self, next: Self) -> Self {
        for ((sum, count), (more, others)) in self.sums.iter_mut().zip(next.sums) {
            *sum += more;
            *count += others;
        }
        self
    }
}
