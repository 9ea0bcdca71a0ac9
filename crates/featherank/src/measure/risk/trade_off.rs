//! Losses against gains: F_RISK, F_REWARD, U_RISK and T_RISK.
//!
//! Wang, Bennett, Collins-Thompson, *Robust ranking models via risk-sensitive optimization*, SIGIR
//! 2012 (F, U); Dinçer, Macdonald, Ounis, *Hypothesis testing for the risk-sensitive evaluation of
//! retrieval systems*, SIGIR 2014 (T). With d = model − baseline on each of c queries and α ≥ 0:
//!
//! * F_RISK = mean max(0, −d), F_REWARD = mean max(0, d)
//! * t_q = d_q if d_q ≥ 0, else (1+α) d_q; U_RISK = mean t_q = F_REWARD − (1+α) F_RISK
//! * T_RISK = U_RISK / SE, SE = s(t)/√c: Student's t with c−1 degrees of freedom
//! * T_q = t_q / SE, whose mean is T_RISK; a query with |T_q| beyond the two-sided critical value
//!   is significant
//!
//! SE = 0 or U_RISK = 0 gives T_RISK = 0 and p = 1, as in the authors' own programs; with SE = 0
//! every T_q is 0. T grows with √c: pool the test queries of all folds before computing it instead
//! of averaging it over folds.

use serde::{Deserialize, Serialize};

use crate::measure::significance::pairs::{self, QueryPair};
use crate::measure::significance::student;
use crate::measure::significance::t_test::SampleMean;

/// The balance of a model's losses and gains against a baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TradeOff {
    /// The additional weight of a loss.
    pub alpha: f64,
    /// Mean loss per query, as a positive number.
    pub f_risk: f64,
    /// Mean gain per query.
    pub f_reward: f64,
    /// Mean trade-off: gains minus (1+α) times the losses.
    pub u_risk: f64,
    /// Standard error of that mean.
    pub standard_error: f64,
    /// The mean in standard errors: below −2 the risk is significant, above 2 the reward.
    pub t_risk: f64,
    /// Two-sided p-value of `t_risk`.
    pub p: f64,
    /// Significance level for the single queries.
    pub level: f64,
    /// Every query that counts, in order.
    pub per_query: Vec<QueryTradeOff>,
    /// Positions of queries that lose significantly.
    pub risky: Vec<usize>,
    /// Positions of queries that gain significantly.
    pub rewarding: Vec<usize>,
}

/// One query's contribution to the trade-off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryTradeOff {
    /// Position of the query in the given vectors.
    pub query: usize,
    /// t_q: the gain, or 1+α times the loss.
    pub trade_off: f64,
    /// T_q: the same in standard errors.
    pub contribution: f64,
}

/// Compares `model` with `baseline`; `level` (.05) is the significance level for single queries.
///
/// # Panics
/// If the lengths differ.
pub fn trade_off(model: &[f64], baseline: &[f64], alpha: f64, level: f64) -> TradeOff {
    let WeightedTest { queries, u_risk, standard_error, t_risk, p } = test(model, baseline, alpha);
    let contribution =
        |trade_off: f64| if standard_error > 0.0 { trade_off / standard_error } else { 0.0 };
    let per_query: Vec<QueryTradeOff> = pairs::counted(model, baseline)
        .map(|pair| (pair.query, weighted(&pair, alpha)))
        .map(|(query, trade_off)| QueryTradeOff {
            query,
            trade_off,
            contribution: contribution(trade_off),
        })
        .collect();
    let critical = if queries < 2 {
        f64::INFINITY
    } else {
        student::quantile(1.0 - level / 2.0, (queries - 1) as f64)
    };
    let beyond = |sign: f64| -> Vec<usize> {
        let significant = per_query.iter().filter(|query| sign * query.contribution > critical);
        significant.map(|query| query.query).collect()
    };
    TradeOff {
        alpha,
        f_risk: f_risk(model, baseline),
        f_reward: f_reward(model, baseline),
        u_risk,
        standard_error,
        t_risk,
        p,
        level,
        risky: beyond(-1.0),
        rewarding: beyond(1.0),
        per_query,
    }
}

/// Mean loss per query, as a positive number.
///
/// # Panics
/// If the lengths differ.
pub fn f_risk(model: &[f64], baseline: &[f64]) -> f64 {
    pairs::mean(pairs::counted(model, baseline).map(|pair| (pair.b - pair.a).max(0.0)))
}

/// Mean gain per query.
///
/// # Panics
/// If the lengths differ.
pub fn f_reward(model: &[f64], baseline: &[f64]) -> f64 {
    pairs::mean(pairs::counted(model, baseline).map(|pair| (pair.a - pair.b).max(0.0)))
}

/// Mean gain minus 1 + `alpha` times the mean loss; the mean difference for `alpha` = 0.
///
/// # Panics
/// If the lengths differ.
pub fn u_risk(model: &[f64], baseline: &[f64], alpha: f64) -> f64 {
    test(model, baseline, alpha).u_risk
}

/// U_RISK in standard errors.
///
/// # Panics
/// If the lengths differ.
pub fn t_risk(model: &[f64], baseline: &[f64], alpha: f64) -> f64 {
    test(model, baseline, alpha).t_risk
}

/// The t-test of the weighted differences.
struct WeightedTest {
    queries: usize,
    u_risk: f64,
    standard_error: f64,
    t_risk: f64,
    p: f64,
}

fn test(model: &[f64], baseline: &[f64], alpha: f64) -> WeightedTest {
    let trade_offs = pairs::counted(model, baseline).map(|pair| weighted(&pair, alpha));
    let SampleMean { n: queries, mean: u_risk, standard_error } = SampleMean::of(trade_offs);
    if standard_error == 0.0 || u_risk == 0.0 {
        return WeightedTest { queries, u_risk, standard_error, t_risk: 0.0, p: 1.0 };
    }
    let t_risk = u_risk / standard_error;
    WeightedTest {
        queries,
        u_risk,
        standard_error,
        t_risk,
        p: student::two_sided(t_risk, (queries - 1) as f64),
    }
}

/// The weighted difference t_q.
fn weighted(pair: &QueryPair, alpha: f64) -> f64 {
    loss_weighted(pair.a - pair.b, alpha)
}

/// A change against the baseline as U_RISK weighs it: a loss counts 1 + α times as much as a gain.
pub(crate) fn loss_weighted(change: f64, alpha: f64) -> f64 {
    if change < 0.0 { (1.0 + alpha) * change } else { change }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// d = (1, −1, 3), α = 1: t = (1, −2, 3), U = 2/3; the squared deviations sum to 38/3, SE =
    /// √(38/3/2/3) = √(19/9).
    #[test]
    fn three_queries_by_hand() {
        let found = trade_off(&[2.0, 1.0, 5.0], &[1.0, 2.0, 2.0], 1.0, 0.05);
        assert!(
            (found.f_risk - 1.0 / 3.0).abs() < 1e-15 && (found.f_reward - 4.0 / 3.0).abs() < 1e-15
        );
        assert!((found.u_risk - 2.0 / 3.0).abs() < 1e-15);
        assert!((found.standard_error - (19f64 / 9.0).sqrt()).abs() < 1e-12);
        assert!((found.t_risk - 2.0 / 19f64.sqrt()).abs() < 1e-12);
    }

    /// One query of 40 loses everything: it is significant, under its own position, and no other
    /// is.
    #[test]
    fn reports_the_significant_queries() {
        let mut model = vec![0.5; 41];
        let baseline = vec![0.49; 41];
        model[7] = f64::NAN;
        model[20] = 0.0;
        let found = trade_off(&model, &baseline, 1.0, 0.05);
        assert_eq!(found.risky, [20]);
        assert!(found.rewarding.is_empty());
        let swapped = trade_off(&baseline, &model, 0.0, 0.05);
        assert_eq!(swapped.rewarding, [20]);
        assert_eq!(swapped.per_query.len(), 40);
    }

    #[test]
    fn no_spread_is_no_evidence() {
        let lost = trade_off(&[0.1; 5], &[0.2; 5], 5.0, 0.05);
        assert_eq!((lost.standard_error, lost.t_risk, lost.p), (0.0, 0.0, 1.0));
        assert!((lost.u_risk + 0.6).abs() < 1e-12 && lost.risky.is_empty());
        let one = trade_off(&[0.1], &[0.2], 5.0, 0.05);
        assert_eq!((one.t_risk, one.p), (0.0, 1.0));
    }

    #[test]
    fn gains_that_equal_losses_are_no_evidence() {
        let even = trade_off(&[1.0, 0.0], &[0.0, 1.0], 0.0, 0.05);
        assert_eq!((even.u_risk, even.t_risk, even.p), (0.0, 0.0, 1.0));
    }
}
