//! Choosing parents.

use rand::{Rng, seq::SliceRandom};

/// Tournaments among the same candidates, one after the other: who is beaten by nobody who is drawn
/// later wins.
///
/// Entrants are dealt from a shuffled pack that is shuffled again when it has run out, so that
/// everyone enters as often as everyone else. Drawing each entrant from all would leave out one in
/// seven of those who enter two tournaments on average.
#[derive(Debug)]
pub struct Tournaments {
    candidates: usize,
    size: usize,
    pack: Vec<usize>,
}

impl Tournaments {
    /// Tournaments of `size` entrants. A tournament of less than one is a tournament of one.
    #[must_use]
    pub fn new(candidates: usize, size: usize) -> Self {
        Tournaments { candidates, size: size.max(1), pack: Vec::new() }
    }

    /// The next winner, if `beats` says who beats whom; nobody where there is nobody.
    pub fn next(
        &mut self,
        beats: impl Fn(usize, usize) -> bool,
        rng: &mut impl Rng,
    ) -> Option<usize> {
        let mut best = self.deal(rng)?;
        for _ in 1..self.size {
            let other = self.deal(rng)?;
            if beats(other, best) {
                best = other;
            }
        }
        Some(best)
    }

    fn deal(&mut self, rng: &mut impl Rng) -> Option<usize> {
        if self.pack.is_empty() {
            self.pack.extend(0..self.candidates);
            self.pack.shuffle(rng);
        }
        self.pack.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// Two by two from a pack of four, the best of all wins 1 of 2 tournaments. Of the other three,
    /// the next best wins the other one unless it met the best, 2 of 3 times, and the third then
    /// beats the last.
    #[test]
    fn everyone_enters_as_often_and_the_least_wins() {
        let mut rng = stream(1, Purpose::Test, 0);
        let fitness = [3.0, 1.0, 2.0, 4.0];
        let mut tournaments = Tournaments::new(4, 2);
        let mut wins = [0i32; 4];
        for _ in 0..12_000 {
            wins[tournaments.next(|a, b| fitness[a] < fitness[b], &mut rng).unwrap()] += 1;
        }
        assert_eq!((wins[1], wins[3]), (6_000, 0));
        assert!((wins[2] - 4_000).abs() < 200 && (wins[0] - 2_000).abs() < 200, "{wins:?}");
    }

    #[test]
    fn of_equals_each_wins_as_often() {
        let mut rng = stream(2, Purpose::Test, 0);
        let mut tournaments = Tournaments::new(2, 2);
        let firsts =
            (0..4_000).filter(|_| tournaments.next(|_, _| false, &mut rng) == Some(0)).count();
        assert!(firsts.abs_diff(2_000) < 160, "{firsts}");
    }

    #[test]
    fn small_tournaments_have_a_winner() {
        let mut rng = stream(3, Purpose::Test, 0);
        assert_eq!(Tournaments::new(0, 2).next(|_, _| true, &mut rng), None);
        assert_eq!(Tournaments::new(1, 0).next(|_, _| true, &mut rng), Some(0));
        // The same one enters twice where there is only one.
        assert_eq!(Tournaments::new(1, 2).next(|_, _| true, &mut rng), Some(0));
    }
}
