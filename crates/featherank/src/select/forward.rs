//! Forward selection: the greedy loop of every method that adds one feature at a time.
//!
//! A method scores each candidate given the features chosen so far, and decides when to stop. The
//! loop does the rest: it adds kept features first and dropped ones never, and satisfies the budget
//! and `k`. After the choice it continues to the last feature, because the whole path shows the
//! effect of more features.

use crate::data::FeatureId;
use crate::engine::Schema;
use crate::error::Result;
use crate::run::Run;
use crate::select::Findings;

/// The rule by which a greedy method scores candidates.
pub trait Criterion {
    /// The score of each candidate given the chosen features, which are in the order they were
    /// chosen; higher is better.
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>>;

    /// Whether scoring the features after the choice takes as long as before it. If not, progress
    /// is measured up to `k` features.
    fn scores_rest(&self) -> bool {
        true
    }

    /// The method's own stopping rule, applied before the best candidate is added to at least one
    /// feature.
    fn enough(&self, _best: f64, _chosen: usize) -> bool {
        false
    }
}

/// Adds the candidate with the highest score until the method stops, `k` is reached or the budget
/// is spent; ties by column.
pub fn forward(
    run: &Run,
    schema: &Schema,
    usable: &[FeatureId],
    unusable: &[FeatureId],
    criterion: &mut dyn Criterion,
) -> Result<Findings> {
    let (order, left) = grow(run, usable, criterion)?;
    let chosen: Vec<FeatureId> = order.iter().map(|(f, _)| *f).collect();
    let total = chosen.len() + if criterion.scores_rest() { left.len() } else { 0 };
    let rest = extend(run, &chosen, &left, total, criterion)?;
    Findings::in_order(run, schema, &order, &rest, unusable)
}

/// Features in order, each with its score.
pub(crate) type Scored = Vec<(FeatureId, f64)>;

/// The greedy loop alone: the chosen features in order with their scores, and the remaining allowed
/// features.
pub(crate) fn grow(
    run: &Run,
    usable: &[FeatureId],
    criterion: &mut dyn Criterion,
) -> Result<(Scored, Vec<FeatureId>)> {
    let constraints = &run.constraints;
    let allowed = usable.iter().copied().filter(|f| !constraints.drop.contains(f));
    let (kept, mut candidates): (Vec<_>, Vec<_>) =
        allowed.partition(|f| constraints.keep.contains(f));
    // Unusable kept features count towards `k` too.
    let unusable_kept = constraints.keep.iter().filter(|f| !usable.contains(f)).count();
    let wanted = constraints.k.map(|k| k.saturating_sub(unusable_kept));
    let all = kept.len() + candidates.len();
    let total = wanted.filter(|_| !criterion.scores_rest()).map_or(all, |k| k.min(all));
    report(run, 0, total)?;
    let mut spent: f64 = constraints.keep.iter().map(|&f| constraints.cost(f)).sum();
    let mut order = extend(run, &[], &kept, total, criterion)?;
    let mut chosen: Vec<FeatureId> = order.iter().map(|(f, _)| *f).collect();
    while wanted.is_none_or(|k| chosen.len() < k) {
        let is_affordable = |f: &FeatureId| {
            constraints.budget.is_none_or(|most| spent + constraints.cost(*f) <= most)
        };
        let affordable: Vec<FeatureId> = candidates.iter().copied().filter(is_affordable).collect();
        if affordable.is_empty() {
            break;
        }
        let best = best_of(&affordable, &criterion.scores(&chosen, &affordable)?);
        if wanted.is_none() && !chosen.is_empty() && criterion.enough(best.1, chosen.len()) {
            break;
        }
        spent += constraints.cost(best.0);
        chosen.push(best.0);
        order.push(best);
        candidates.retain(|&f| f != best.0);
        report(run, chosen.len(), total)?;
    }
    Ok((order, candidates))
}

/// Adds all candidates to the chosen features, one at a time, each time the one with the highest
/// score (ties go to the first); returns them in that order with their scores. `total` is the
/// number of features that progress is measured by.
pub(crate) fn extend(
    run: &Run,
    chosen: &[FeatureId],
    candidates: &[FeatureId],
    total: usize,
    criterion: &mut dyn Criterion,
) -> Result<Vec<(FeatureId, f64)>> {
    let (mut chosen, mut left) = (chosen.to_vec(), candidates.to_vec());
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let best = best_of(&left, &criterion.scores(&chosen, &left)?);
        chosen.push(best.0);
        left.retain(|&f| f != best.0);
        order.push(best);
        report(run, chosen.len(), total)?;
    }
    Ok(order)
}

fn report(run: &Run, done: usize, total: usize) -> Result<()> {
    run.step("choosing features", done.min(total) as u64, Some(total as u64))
}

/// The candidate with the highest score; ties go to the first.
fn best_of(pool: &[FeatureId], scores: &[f64]) -> (FeatureId, f64) {
    let pairs = pool.iter().copied().zip(scores.iter().copied());
    pairs.fold((pool[0], f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::run::Constraints;

    /// Scores .5, .4, .3, .2, each minus .15 for every chosen neighbour; stops below .21.
    struct Neighbours;

    impl Criterion for Neighbours {
        fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
            let near =
                |f: FeatureId| chosen.iter().filter(|g| g.0.abs_diff(f.0) == 1).count() as f64;
            Ok(candidates.iter().map(|&f| 0.5 - 0.1 * f64::from(f.0) - 0.15 * near(f)).collect())
        }

        fn enough(&self, best: f64, _: usize) -> bool {
            best < 0.21
        }
    }

    fn run(constraints: Constraints) -> (Vec<u32>, Vec<u32>) {
        let table = FeatureTable::numbered(5, 1);
        let data = Dataset::new(vec![0.0; 10], vec![0., 1.], Queries::from_sizes(&[2]), table);
        let varying: Vec<FeatureId> = (0..4).map(FeatureId).collect();
        let run = Run::new(0, constraints);
        let schema = Schema::of(&data);
        let found = forward(&run, &schema, &varying, &[FeatureId(4)], &mut Neighbours).unwrap();
        let ids = |scored: &[(FeatureId, f64)]| {
            scored.iter().map(|(f, _)| schema.features.get(*f).id).collect()
        };
        (ids(&found.selected), ids(&found.path))
    }

    #[test]
    fn stops_by_the_method_s_rule_and_completes_the_path() {
        // 1 (.5); 3 (.3) before 2 (.25); then 2 has .1 and 4 .05: it stops.
        assert_eq!(run(Constraints::default()), (vec![1, 3], vec![1, 3, 2, 4]));
    }

    #[test]
    fn constraints_override_the_rule() {
        let with = |change: fn(&mut Constraints)| {
            let mut constraints = Constraints::default();
            change(&mut constraints);
            run(constraints)
        };
        assert_eq!(with(|c| c.k = Some(3)).0, [1, 3, 2]);
        assert_eq!(with(|c| c.k = Some(1)).0, [1]);
        assert_eq!(
            with(|c| c.keep = vec![FeatureId(1)]).0,
            [2, 1],
            "features to keep change the scores of the others"
        );
        assert_eq!(with(|c| c.drop = vec![FeatureId(0)]).0, [2]);
        let within_budget = with(|c| {
            c.costs = vec![5.0, 1.0, 1.0, 1.0, 1.0];
            c.budget = Some(2.0);
        });
        assert_eq!(within_budget, (vec![2], vec![2, 1, 4, 3]));
        // An unusable kept feature counts as one of the `k` features.
        let kept_dead = with(|c| {
            c.keep = vec![FeatureId(4)];
            c.k = Some(2);
        });
        assert_eq!(kept_dead.0, [5, 1]);
    }
}
