//! The queries that count: those for which every value is a number.

/// One query that counts for both systems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QueryPair {
    /// Position of the query in the given vectors.
    pub query: usize,
    /// The first system's value.
    pub a: f64,
    /// The second system's value.
    pub b: f64,
}

/// The queries where neither value is NaN, in order.
///
/// # Panics
/// If the lengths differ: the vectors are then not about the same queries.
pub(crate) fn counted<'v>(
    a: &'v [f64],
    b: &'v [f64],
) -> impl Iterator<Item = QueryPair> + Clone + 'v {
    assert_eq!(a.len(), b.len(), "both systems need one value for every query");
    a.iter()
        .zip(b)
        .enumerate()
        .map(|(query, (&a, &b))| QueryPair { query, a, b })
        .filter(|pair| !pair.a.is_nan() && !pair.b.is_nan())
}

/// `a − b` of the queries that count.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    counted(a, b).map(|pair| pair.a - pair.b).collect()
}

/// The mean, and 0 if there are no values: a report without queries shows a number, never NaN.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0u64), |(sum, n), value| (sum + value, n + 1));
    if n == 0 { 0.0 } else { sum / n as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omits_queries_that_do_not_count_and_keeps_positions() {
        let pairs: Vec<QueryPair> =
            counted(&[1.0, f64::NAN, 3.0, 4.0], &[0.5, 1.0, f64::NAN, 1.0]).collect();
        assert_eq!(
            pairs,
            [QueryPair { query: 0, a: 1.0, b: 0.5 }, QueryPair { query: 3, a: 4.0, b: 1.0 }]
        );
    }

    #[test]
    #[should_panic(expected = "one value for every query")]
    fn rejects_vectors_of_different_lengths() {
        differences(&[1.0], &[1.0, 2.0]);
    }

    #[test]
    fn the_mean_of_nothing_is_zero() {
        assert_eq!(mean([].into_iter()), 0.0);
        assert_eq!(mean([1.0, 2.0].into_iter()), 1.5);
    }
}
