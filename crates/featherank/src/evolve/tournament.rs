//! Choosing parents.

use rand::{Rng, RngExt};

/// Draws entrants, each from all, and gives the one with the least fitness; of equals the earlier one. Nobody wins
/// where there is nobody. A tournament of less than one is a tournament of one.
pub fn tournament<'a, T>(
    all: &'a [T],
    fitness: impl Fn(&T) -> f64,
    size: usize,
    rng: &mut impl Rng,
) -> Option<&'a T> {
    if all.is_empty() {
        return None;
    }
    let entrants = (0..size.max(1)).map(|_| rng.random_range(0..all.len()));
    let best = entrants.min_by(|&a, &b| fitness(&all[a]).total_cmp(&fitness(&all[b])).then(a.cmp(&b)));
    best.map(|winner| &all[winner])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// Four entrants of whom the two best are equal. Of two drawn from four, the best of all wins in 7 of 16 cases, the
    /// next in 5, then 3, then 1; the earlier of the equals stands before the other.
    #[test]
    fn the_least_wins_and_the_earlier_of_equals() {
        let mut rng = stream(1, Purpose::Test, 0);
        let fitness = [3.0, 1.0, 2.0, 1.0];
        let mut wins = [0i32; 4];
        for _ in 0..16_000 {
            let winner = tournament(&[0, 1, 2, 3], |&one: &usize| fitness[one], 2, &mut rng);
            wins[*winner.unwrap()] += 1;
        }
        for (won, expected) in wins.iter().zip([1_000, 7_000, 3_000, 5_000]) {
            assert!((won - expected).abs() < 5 * 63, "{wins:?}");
        }
        assert!(tournament(&[] as &[f64], |&one| one, 2, &mut rng).is_none());
        assert!(tournament(&[1.0], |&one| one, 0, &mut rng).is_some());
    }
}
