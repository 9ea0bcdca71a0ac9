//! Elimination by importance: the features that matter least to a model leave, a few a round.

use crate::data::FeatureId;
use crate::select::candidates::Candidates;
use crate::select::forward::Scored;

/// How many features are left after a round. A wanted size on the way is not jumped over.
pub fn next_size(step: f64, size: usize, wanted: usize) -> usize {
    let leaving = if step < 1.0 { step * size as f64 } else { step };
    let next = size.saturating_sub((leaving.floor() as usize).max(1)).max(1);
    if size > wanted { next.max(wanted) } else { next }
}

/// The features that are left after a round, by column; none where no more may leave. Those that
/// the budget cannot pay for leave first, and those that are to be kept never do.
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

/// All features, those that stayed longest first; those that left together by importance. The score
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

    /// The reference's schedules: a share of what is left, at least one, and the target is hit
    /// exactly.
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
    fn those_that_stayed_longest_come_first() {
        let f = FeatureId;
        let rounds = [
            vec![(f(2), 0.5), (f(0), 0.3), (f(1), 0.2)],
            vec![(f(0), 0.6), (f(2), 0.4)],
            vec![(f(2), 1.0)],
        ];
        assert_eq!(order(&rounds), [(f(2), 1.0), (f(0), 0.6), (f(1), 0.2)]);
    }
}
