//! Means of a measure over all queries, for many that are measured: sums, so that an answer is as
//! small for many queries as for few.

use serde::{Deserialize, Serialize};

use crate::measure::Measure;

/// What a measure adds up to over queries, for each that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Means {
    /// The sum over queries that count of what the measure adds up, and how many count.
    sums: Vec<(f64, u64)>,
}

impl Means {
    /// From the values of each in every query; NaN where a query does not count.
    pub(crate) fn of<V: AsRef<[f64]>>(measure: &Measure, per_query: &[V]) -> Self {
        let sum = |values: &V| {
            let counted =
                measure.additive(values.as_ref()).into_iter().filter(|value| !value.is_nan());
            counted.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1))
        };
        Means { sums: per_query.iter().map(sum).collect() }
    }

    /// Those of some things, then those of others, over the same queries.
    pub(crate) fn side_by_side(means: impl IntoIterator<Item = Means>) -> Self {
        Means { sums: means.into_iter().flat_map(|means| means.sums).collect() }
    }

    /// Those of the same over these queries and others.
    #[must_use]
    pub(crate) fn merge(mut self, next: Self) -> Self {
        for ((sum, count), (more, others)) in self.sums.iter_mut().zip(next.sums) {
            *sum += more;
            *count += others;
        }
        self
    }

    /// One number for each; NaN where no query counts.
    pub fn summaries(&self, measure: &Measure) -> Vec<f64> {
        self.sums.iter().map(|&(sum, count)| measure.from_additive(sum / count as f64)).collect()
    }
}
