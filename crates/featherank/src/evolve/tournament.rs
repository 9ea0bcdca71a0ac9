//! Tournament selection of parents.

use rand::{Rng, seq::SliceRandom};

/// A sequence of tournaments among the same candidates. An entrant wins if none drawn after it
/// beats it.
///
/// Entrants are drawn without replacement from a shuffled list, which is shuffled again when it is
/// used up, so that all candidates enter equally often. Drawing with replacement would leave out
/// one in seven candidates if each enters two tournaments on average.
#[derive(Debug)]
pub struct Tournaments {
    candidates: usize,
    size: usize,
    queue: Vec<usize>,
}

impl Tournaments {
    /// Tournaments of `size` entrants, at least one.
    #[must_use]
    pub fn new(candidates: usize, size: usize) -> Self {
        Tournaments { candidates, size: size.max(1), queue: Vec::new() }
    }

    /// The winner of the next tournament; none if there are no candidates.
    pub fn next(
        &mut self,
        beats: impl Fn(usize, usize) -> bool,
        rng: &mut impl Rng,
    ) -> Option<usize> {
        let mut best = self.draw(rng)?;
        for _ in 1..self.size {
            let other = self.draw(rng)?;
            if beats(other, best) {
                best = other;
            }
        }
        Some(best)
    }

    fn draw(&mut self, rng: &mut impl Rng) -> Option<usize> {
        if self.queue.is_empty() {
            self.queue.extend(0..self.candidates);
            self.queue.shuffle(rng);
        }
        self.queue.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// In pairs from four candidates, the best wins 1 of 2 tournaments. The second best wins the
    /// other unless it met the best, that is in 2 of 3 cases; otherwise the third best wins it.
    #[test]
    fn every_individual_enters_equally_often_and_the_fittest_wins() {
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
    fn equals_win_equally_often() {
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
        // A single candidate enters twice.
        assert_eq!(Tournaments::new(1, 2).next(|_, _| true, &mut rng), Some(0));
    }
}
