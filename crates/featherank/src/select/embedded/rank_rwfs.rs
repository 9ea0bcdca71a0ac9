//! RankRWFS and Rank-ℓ2-AROM: RankSVM retrained on columns scaled by its last weights, until few
//! features are left.
//!
//! Laporte et al., Document numérique 2015, Algorithm 1. From scales v = 1: train RankSVM-Primal
//! (½‖w‖² + (C/2) Σ max(0, 1 − wᵀδ)²) on columns scaled by v; the effective weights are w ∘ v;
//! update v by the rule; remove features whose effective weight is below s; stop when at most r are
//! left, and train once more on those, unscaled.
//!
//! | Method | Update | Fixed points |
//! |---|---|---|
//! | `rankrwfs-l1` | v ← √\|w ∘ v\| | minima of ‖w‖₁ + (C/2) Σ max(0, 1 − wᵀδ)² |
//! | `rankrwfs-l0` | v ← \|w ∘ v\| | stationary for Σ log\|wₖ\| + (C/2) Σ max(0, 1 − wᵀδ)² |
//! | `rank-l2-arom` | v ← w ∘ v | those of `rankrwfs-l0` |
//!
//! In `rank-l2-arom` the sign of a scale flips the sign of its weight, and the product is the same.
//! The last two are therefore one implementation with two names. Weights are scaled instead of
//! columns, so nothing is copied, and every round starts from the weights of the previous one; the
//! first round of each C starts from its neighbour's.
//!
//! The text and the algorithm of the paper disagree in places; this implementation follows the
//! algorithm, but removes features in every round as the text does. C is chosen on validation data
//! among the values that reach r; a round that removes all features does not reach r. There are at
//! most 50 rounds, and none after one that changes nothing. The paper does not specify the values
//! of C; the independent figures in docs/reproduction.md are for whole powers of ten, here the
//! default is quarters of powers. With `k`, r = k: if a round skips k, or copies of one feature
//! keep equal weights indefinitely, the features that stay longest are taken, and of those removed
//! together the ones with the largest |weight| × standard deviation; the same applies if no C
//! reaches r. Kept features are never scaled or removed. The certificate `gradient` is the largest
//! gradient component after the last training, of the mean squared hinge and the penalty. The path
//! is the reverse order of removal, with the number of rounds that a feature stayed.

use super::path::{Family, PathSearch, SparseModel};
use super::proximal_newton::{Penalty, Solution, minimise_until};
use super::sample::{Sample, ten_digits};
use super::tuning::Tuning;
use crate::declare::method;
use crate::engine::passes::Moments;
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::memory::check_pairs;
use crate::run::Run;
use crate::select::shared_params::{standardise_param, tuning_params};
use crate::select::{Findings, Selector};

/// The maximum number of rounds.
const ROUNDS: u64 = 50;

/// Weights with a smaller relative change in a round have converged.
const CONVERGENCE_TOLERANCE: f64 = 1e-5;

/// The largest gradient component that training may leave.
const TOLERANCE: f64 = 1e-10;

/// The values of C are powers of ten in quarters of their exponents for which C times the number of
/// pairs is in this range. On OHSUMED that is 1e-6 to 0.1.
const WEIGHTS: std::ops::RangeInclusive<f64> = 0.3..=37_000.0;

/// Parameters of the three methods that train on reweighted features, with the rule that
/// distinguishes them.
macro_rules! reweighting_params {
    ({$($state:tt)*} {$($rest:tt)*} $rule:expr) => {
        $crate::method! { $($state)*
            /// Share of the varying features to keep; overridden by k.
            let share: Real(0.0..=1.0) = "0.1",
            /// Features with smaller weights are removed.
            let threshold: Real(1e-12..=1.0) = "1e-5",
            /// Stop a round when a step would lower its objective by less than this share; 0:
            /// exact.
            let precision: Real(0.0..=0.1) = "1e-4",
            /// Weight of the summed pair losses relative to the squared weights; auto: tuned on
            /// validation data.
            let c: Values(1e-12..=1e12) = "auto",
            use tuning_params!();
            derive method: RankRwfs = RankRwfs { rule: $rule, share, threshold, precision, c };
            $($rest)*
        }
    };
}

method! {
    /// RankSVM iteratively reweighted by the roots of its weights (l1): the features that remain.
    pub struct RankRWFSL1: Selector as "rankrwfs-l1" in Embedded,
        cites ["laporte2015"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        use reweighting_params!(ReweightingRule::L1);
    }
}

method! {
    /// RankSVM iteratively reweighted by its weights (l0): the features that remain.
    pub struct RankRWFSL0: Selector as "rankrwfs-l0" in Embedded,
        cites ["laporte2015"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        use reweighting_params!(ReweightingRule::L0);
    }
}

method! {
    /// RankSVM with features iteratively rescaled by its weights; equivalent to rankrwfs-l0.
    pub struct RankL2AROM: Selector as "rank-l2-arom" in Embedded,
        cites ["laporte2015"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        use reweighting_params!(ReweightingRule::L0);
    }
}

impl Selector for RankRWFSL1 {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        self.method.search(&self.tuning, run, engine)
    }
}

impl Selector for RankRWFSL0 {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        self.method.search(&self.tuning, run, engine)
    }
}

impl Selector for RankL2AROM {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        self.method.search(&self.tuning, run, engine)
    }
}

/// The parts that the three methods share.
struct RankRwfs {
    rule: ReweightingRule,
    share: f64,
    threshold: f64,
    precision: f64,
    c: Vec<f64>,
}

/// The rule that computes scales from effective weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReweightingRule {
    /// The square root of their absolute values.
    L1,
    /// Their absolute values; the sign in AROM makes no difference.
    L0,
}

impl RankRwfs {
    fn search(&self, tuning: &Tuning, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let given: Vec<f64> = self.c.iter().map(|c| c * engine.schema().pairs as f64).collect();
        let (varying, _) = engine.ask(&Moments)?.varying_within_queries();
        let of_share =
            ((self.share * varying.len() as f64) as usize).max(run.constraints.keep.len()).max(1);
        let target = run.constraints.k.unwrap_or(of_share);
        let loops = |exactly| Reweighted {
            rule: self.rule,
            threshold: self.threshold,
            target,
            exactly,
            precision: self.precision,
        };
        if run.constraints.k.is_none() {
            let search = PathSearch { families: &[&loops(false)], tuning, given: &given };
            if let Some(found) = search.select_if_any(run, engine)? {
                return Ok(found);
            }
        }
        PathSearch { families: &[&loops(true)], tuning, given: &given }.select(run, engine)
    }
}

/// The loop for one target size.
#[derive(Debug, Clone)]
pub struct Reweighted {
    /// The rule.
    pub rule: ReweightingRule,
    /// Features with smaller effective weights are removed.
    pub threshold: f64,
    /// The number of features at which to stop, including kept ones.
    pub target: usize,
    /// Whether exactly this number is wanted, or at most this number.
    pub exactly: bool,
    /// The training of a round stops when the predicted relative decrease of the objective is below
    /// this; 0 is exact.
    pub precision: f64,
}

/// The parameter is C times the number of pairs.
impl Family for Reweighted {
    fn settings(&self, sample: &Sample<'_>, value: f64) -> Vec<(&'static str, f64)> {
        vec![("c", value / sample.pairs())]
    }

    fn grid(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        let value = |quarters: i32| 10f64.powf(f64::from(quarters) / 4.0) * sample.pairs();
        let first = (4.0 * (WEIGHTS.start() / sample.pairs()).log10()).ceil() as i32;
        Ok((first..).map(value).take_while(|value| value <= WEIGHTS.end()).collect())
    }

    fn counts_itself(&self) -> bool {
        true
    }

    /// The result is empty if the target is not reached.
    fn fit(
        &self,
        sample: &Sample<'_>,
        value: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        let start =
            warm_start.map_or_else(|| vec![0.0; sample.width()], |model| model.state.clone());
        let rounds = self.rounds(sample, value, &start)?;
        let last = rounds.last().map_or(&start[..], |weights| weights);
        let order = stayed(sample, &rounds);
        let mut left: Vec<usize> = match self.exactly {
            true => {
                let (kept, free): (Vec<usize>, Vec<usize>) =
                    order.iter().map(|&(k, _)| k).partition(|&k| sample.is_kept(k));
                kept.into_iter().chain(free).take(self.target).collect()
            }
            false => (0..sample.width()).filter(|&k| self.stays(sample, k, last[k])).collect(),
        };
        left.sort_unstable();
        let mut model = SparseModel::new(vec![0.0; sample.width()], "gradient", 0.0);
        if !left.is_empty() && left.len() <= self.target {
            let Solution { weights, violation, .. } = train(
                &sample.restricted(&left),
                value,
                &vec![1.0; left.len()],
                &vec![0.0; left.len()],
                0.0,
            )?;
            left.iter().zip(weights).for_each(|(&k, w)| model.weights[k] = w);
            model.certificate.1 = violation;
        }
        // If the ℓ1 rule converges above the target, at the minimum of a lasso, it does so for all
        // larger C. The other rule can converge above the target for one C and not for a larger
        // one.
        let left_at_rest = (0..sample.width()).filter(|&k| self.stays(sample, k, last[k])).count();
        let ends_path = self.rule == ReweightingRule::L1 && left_at_rest > self.target;
        let state = rounds.into_iter().next().unwrap_or(start);
        Ok(vec![SparseModel { order, state, ends_path, ..model }])
    }
}

impl Reweighted {
    /// The effective weights of every round, 0 for features that were removed before it, for C
    /// times the number of pairs.
    pub fn rounds(&self, sample: &Sample<'_>, value: f64, start: &[f64]) -> Result<Vec<Vec<f64>>> {
        let width = sample.width();
        let (mut places, mut scales): (Vec<usize>, Vec<f64>) =
            ((0..width).collect(), vec![1.0; width]);
        let mut start = start.to_vec();
        let mut rounds: Vec<Vec<f64>> = Vec::new();
        for round in 1..=ROUNDS {
            sample.run.step("reweighting", round, None)?;
            let trained =
                train(&sample.restricted(&places), value, &scales, &start, self.precision)?.weights;
            let mut effective = vec![0.0; width];
            places.iter().zip(&trained).for_each(|(&k, &w)| effective[k] = w);
            places.retain(|&k| self.stays(sample, k, effective[k]));
            // Copies of a feature must keep equal weights; under the ℓ0 rule rounding errors would
            // decide between them.
            let scale = |&k: &usize| match self.rule {
                _ if sample.is_kept(k) => 1.0,
                ReweightingRule::L1 => ten_digits(effective[k].abs().sqrt()),
                ReweightingRule::L0 => ten_digits(effective[k].abs()),
            };
            scales = places.iter().map(scale).collect();
            start = places.iter().map(|&k| effective[k]).collect();
            let settled = rounds.last().is_some_and(|last| has_settled(last, &effective));
            rounds.push(effective);
            if places.len() <= self.target || settled {
                break;
            }
        }
        Ok(rounds)
    }

    fn stays(&self, sample: &Sample<'_>, k: usize, weight: f64) -> bool {
        weight.abs() >= self.threshold || sample.is_kept(k)
    }
}

/// Whether a round has changed no weight, so that no later round will. A decaying weight changes by
/// the same share in every round.
fn has_settled(before: &[f64], after: &[f64]) -> bool {
    before.iter().zip(after).all(|(a, b)| (a - b).abs() <= CONVERGENCE_TOLERANCE * b.abs())
}

/// RankSVM-Primal on columns scaled by `scales`, for C times the number of pairs: effective
/// weights.
fn train(
    sample: &Sample<'_>,
    value: f64,
    scales: &[f64],
    start: &[f64],
    precision: f64,
) -> Result<Solution> {
    check_pairs("the second derivative", scales.len(), 24, sample.engine().memory_limit())?;
    let penalty = Penalty::ridge(&vec![2.0 / value; scales.len()]);
    let start: Vec<f64> = start.iter().zip(scales).map(|(w, v)| w / v).collect();
    let solution =
        minimise_until(&sample.times(scales), &penalty, &start, TOLERANCE, 0.5 * precision)?;
    let effective = solution.weights.iter().zip(scales).map(|(w, v)| w * v).collect();
    Ok(Solution { weights: effective, ..solution })
}

/// Places of features by the number of rounds they stayed, then by their effect on the ranking in
/// the last of these.
fn stayed(sample: &Sample<'_>, rounds: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let of_feature = |k: usize| {
        let last = rounds.iter().rposition(|weights| weights[k] != 0.0);
        (
            last.map_or(0, |round| round + 1),
            last.map_or(0.0, |round| sample.effect(k, rounds[round][k])),
        )
    };
    let mut order: Vec<(usize, (usize, f64))> =
        (0..sample.width()).map(|k| (k, of_feature(k))).collect();
    order.sort_by(|(a, x), (b, y)| y.0.cmp(&x.0).then(y.1.total_cmp(&x.1)).then(a.cmp(b)));
    order.into_iter().map(|(k, (rounds, _))| (k, rounds as f64)).collect()
}
