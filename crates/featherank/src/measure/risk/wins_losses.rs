//! Wins and losses: on how many queries a model beats a baseline, and on how many it is much worse.
//!
//! As in Sousa et al., *Incorporating risk-sensitiveness into feature selection for learning to
//! rank*, CIKM 2016. A win is M > B, a loss M < B, with unrounded values. A large loss is one with
//! (B−M)/B ≥ 0.2: the tables call it "> 20 %", but the program behind them uses ≥, and so does
//! this. If B = 0 nothing can be lost.
//!
//! Large losses compare values rounded to four decimals, as that program does: .5 → .4 is a loss of
//! exactly 20 %, but (.5−.4)/.5 is .19999999999999996.

use serde::{Deserialize, Serialize};

use crate::measure::significance::pairs;

/// The definition of a large loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LossRule {
    /// The least share of the baseline's value whose loss is large. Default .2.
    pub share: f64,
    /// Decimals to which values are rounded before this comparison, `None` for no rounding. Default
    /// 4.
    pub decimals: Option<u8>,
}

impl Default for LossRule {
    fn default() -> Self {
        LossRule { share: 0.2, decimals: Some(4) }
    }
}

/// Numbers of queries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WinsLosses {
    /// The model is better.
    pub wins: usize,
    /// The baseline is better.
    pub losses: usize,
    /// Both are equal.
    pub ties: usize,
    /// Losses that are large by the [`LossRule`].
    pub large_losses: usize,
}

/// Counts the queries where `model` is better, worse, and much worse than `baseline`.
///
/// # Panics
/// If the lengths differ.
pub fn wins_losses(model: &[f64], baseline: &[f64], rule: &LossRule) -> WinsLosses {
    let mut counts = WinsLosses::default();
    for pair in pairs::counted(model, baseline) {
        if pair.a > pair.b {
            counts.wins += 1;
        } else if pair.a < pair.b {
            counts.losses += 1;
            counts.large_losses += usize::from(rule.is_large(pair.a, pair.b));
        } else {
            counts.ties += 1;
        }
    }
    counts
}

impl LossRule {
    fn is_large(&self, model: f64, baseline: f64) -> bool {
        let Some(decimals) = self.decimals else {
            return baseline > 0.0
                && model < baseline
                && (baseline - model) / baseline >= self.share;
        };
        // In whole units of the last decimal the difference is exact; only share · baseline needs a
        // tolerance.
        let unit = 10f64.powi(i32::from(decimals));
        let (model, baseline) = ((model * unit).round(), (baseline * unit).round());
        baseline > 0.0
            && model < baseline
            && baseline - model >= self.share * baseline * (1.0 - 1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_is_large_despite_rounding_errors() {
        let count = |rule: &LossRule| wins_losses(&[0.4], &[0.5], rule).large_losses;
        assert_eq!(count(&LossRule::default()), 1);
        assert_eq!(count(&LossRule { decimals: None, ..LossRule::default() }), 0);
        assert_eq!(count(&LossRule { share: 0.3, ..LossRule::default() }), 0);
    }

    /// Every loss of exactly a fifth in ten-thousandths, and of one unit less.
    #[test]
    fn every_fifth_is_recognised() {
        for fifth in 1..=2000u32 {
            let (baseline, model) = (f64::from(5 * fifth) / 1e4, f64::from(4 * fifth) / 1e4);
            let above = f64::from(4 * fifth + 1) / 1e4;
            assert_eq!(
                wins_losses(&[model, above], &[baseline; 2], &LossRule::default()).large_losses,
                1
            );
        }
    }

    #[test]
    fn counts_each_query_once() {
        let found = wins_losses(
            &[0.2, 0.1, 0.3, f64::NAN, 0.0],
            &[0.1, 0.2, 0.3, 0.4, 0.0],
            &LossRule::default(),
        );
        assert_eq!(found, WinsLosses { wins: 1, losses: 1, ties: 2, large_losses: 1 });
    }

    #[test]
    fn a_baseline_of_zero_permits_no_losses() {
        let found = wins_losses(&[-0.1], &[0.0], &LossRule::default());
        assert_eq!((found.losses, found.large_losses), (1, 0));
    }

    /// A loss of 1e-6 is a loss, but disappears when rounded to four decimals.
    #[test]
    fn rounding_applies_to_large_losses_only() {
        let found = wins_losses(&[0.0], &[1e-6], &LossRule::default());
        assert_eq!((found.losses, found.large_losses), (1, 0));
    }
}
