//! Elimination by importance: each round removes the features that are least important to a model.

use crate::data::FeatureId;
use crate::error::Result;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::forward::Scored;

/// The number of features after a round. A wanted size in between is not skipped.
pub fn next_size(step: f64, size: usize, wanted: usize) -> usize {
    let leaving = if step < 1.0 { step * size as f64 } else { step };
    let next = size.saturating_sub((leaving.floor() as usize).max(1)).max(1);
    if size > wanted { next.max(wanted) } else { next }
}

/// The features that remain after a round, by column; none if no more can be removed. Those that
/// the budget does not allow are removed first, and kept features never.
pub fn survivors(
    ranked: &[(FeatureId, f64)],
    candidates: &Candidates,
    step: f64,
    wanted: usize,
) -> Vec<FeatureId> {
    let features = ranked.iter().map(|(f, _)| *f);
    let mut left: Vec<FeatureId> =
        match ranked.iter().any(|(f, _)| candidates.unaffordable.contains(f)) {
            true => features.filter(|f| !candidates.unaffordable.contains(f)).collect(),
            false => {
                let size = next_size(step, ranked.len(), wanted).max(candidates.keep.len());
                let (kept, free): (Vec<_>, Vec<_>) =
                    features.partition(|f| candidates.keep.contains(f));
                kept.iter().chain(&free[..size - kept.len()]).copied().collect()
            }
        };
    left.sort_unstable();
    if left.len() == ranked.len() { Vec::new() } else { left }
}

/// The progress of an elimination, measured in features that rankers have been trained on: rounds
/// become shorter as features leave.
pub struct EliminationProgress {
    /// Subsets in each round after the first.
    population: usize,
    done: u64,
    total: u64,
}

impl EliminationProgress {
    /// What training takes besides the work on each feature, in features.
    const OVERHEAD: usize = 10;

    /// Before the first round; `sizes` are the numbers of features of all rounds.
    pub fn new(sizes: impl Iterator<Item = usize>, population: usize) -> Self {
        let work = |(round, size)| Self::work(size, if round == 0 { 1 } else { population });
        EliminationProgress { population, done: 0, total: sizes.enumerate().map(work).sum() }
    }

    fn work(size: usize, subsets: usize) -> u64 {
        (subsets * (size + Self::OVERHEAD)) as u64
    }

    /// Reports a round on `size` features, after which `left` remain; none after the last round.
    pub fn round(&mut self, run: &Run, size: usize, left: usize) -> Result<()> {
        self.done += Self::work(size, if self.done == 0 { 1 } else { self.population });
        let done = if left == 0 { self.total } else { self.done.min(self.total) };
        run.step("eliminating features", done, Some(self.total))
    }
}

/// All features, those that stayed longest first; those removed together by importance. The score
/// is the last share.
pub fn order(rounds: &[Scored]) -> Scored {
    let mut order: Scored = Vec::new();
    for ranked in rounds.iter().rev() {
        let known: Vec<FeatureId> = order.iter().map(|(f, _)| *f).collect();
        order.extend(ranked.iter().filter(|(f, _)| !known.contains(f)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference's schedules: each round removes a share of the remaining features, at least
    /// one, and reaches the target exactly.
    #[test]
    fn sizes_shrink_as_the_fixture_says() {
        let text = include_str!("../../../tests/fixtures/btfs.json");
        let fixture: serde_json::Value = serde_json::from_str(text).unwrap();
        let schedules = fixture["schedules"].as_object().unwrap();
        assert_eq!(schedules.len(), 12);
        for (name, sizes) in schedules {
            let (ends, step) = name.split_once(" rate ").unwrap();
            let (from, to) = ends.split_once("->").unwrap();
            let (step, wanted): (f64, usize) = (step.parse().unwrap(), to.parse().unwrap());
            let next = |&size: &usize| (size > wanted).then(|| next_size(step, size, wanted));
            let found: Vec<usize> =
                std::iter::successors(Some(from.parse().unwrap()), next).collect();
            let expected: Vec<usize> = sizes
                .as_array()
                .unwrap()
                .iter()
                .map(|size| size.as_u64().unwrap() as usize)
                .collect();
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!((next_size(3.0, 10, 9), next_size(3.0, 9, 9), next_size(3.0, 2, 9)), (9, 6, 1));
    }

    #[test]
    fn features_removed_last_rank_first() {
        let f = FeatureId;
        let rounds = [
            vec![(f(2), 0.5), (f(0), 0.3), (f(1), 0.2)],
            vec![(f(0), 0.6), (f(2), 0.4)],
            vec![(f(2), 1.0)],
        ];
        assert_eq!(order(&rounds), [(f(2), 1.0), (f(0), 0.6), (f(1), 0.2)]);
    }
}
