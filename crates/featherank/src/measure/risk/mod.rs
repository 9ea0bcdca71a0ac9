//! Risk: the losses of single queries when a model replaces a baseline.
//!
//! A mean hides that half the queries got worse. Risk measures weight losses more than gains, count
//! them, and show which are significant. [`risk_report`] computes all of them for one model and one
//! baseline.
//!
//! | measure | function | meaning |
//! |---|---|---|
//! | F_RISK, F_REWARD, U_RISK, T_RISK | [`trade_off()`] | balance of losses and gains, overall and per query |
//! | wins, losses, losses of 20 % | [`wins_losses()`] | how many queries change |
//! | Z_RISK, GeoRisk | [`geo_risk()`] | risk against several systems at once |
//! | mean and max baselines | [`mean_baseline`], [`max_baseline`] | effectiveness of single features |
//!
//! NaN means that a query does not count; it is omitted for both systems.

mod baselines;
mod geo_risk;
mod trade_off;
mod wins_losses;

pub use baselines::{max_baseline, mean_baseline};
pub use geo_risk::{GeoRisk, geo_risk, geo_risk_with_baseline};
pub(crate) use trade_off::loss_weighted;
pub use trade_off::{QueryTradeOff, TradeOff, f_reward, f_risk, t_risk, trade_off, u_risk};
pub use wins_losses::{LossRule, WinsLosses, wins_losses};

use serde::{Deserialize, Serialize};

use super::significance::{LEVEL, pairs};

/// All risk measures of one model against one baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RiskReport {
    /// Queries that count.
    pub queries: usize,
    /// The model's mean effectiveness over them.
    pub model_mean: f64,
    /// The baseline's mean effectiveness over them.
    pub baseline_mean: f64,
    /// F_RISK, F_REWARD, U_RISK and T_RISK, and the queries that are significant at level .05.
    pub trade_off: TradeOff,
    /// How many queries gain and lose.
    pub wins_losses: WinsLosses,
    /// Z_RISK of the model among these two systems.
    pub z_risk: f64,
    /// GeoRisk of the model among these two systems.
    pub geo_risk: f64,
}

/// All risk measures of `model` against `baseline`, with losses weighted 1 + `alpha` times as much
/// as gains.
///
/// ```
/// use featherank::measure::risk::risk_report;
/// let report = risk_report(&[0.5, 0.3, 0.8], &[0.4, 0.5, 0.6], 1.0);
/// assert_eq!((report.wins_losses.wins, report.wins_losses.losses), (2, 1));
/// assert!(report.trade_off.u_risk < 0.0, "one loss of .2 outweighs gains of .3");
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn risk_report(model: &[f64], baseline: &[f64], alpha: f64) -> RiskReport {
    let counted = pairs::counted(model, baseline);
    let columns = [
        counted.clone().map(|pair| pair.a).collect(),
        counted.map(|pair| pair.b).collect::<Vec<f64>>(),
    ];
    let geo = geo_risk(&columns, alpha);
    RiskReport {
        queries: columns[0].len(),
        model_mean: pairs::mean(columns[0].iter().copied()),
        baseline_mean: pairs::mean(columns[1].iter().copied()),
        trade_off: trade_off(model, baseline, alpha, LEVEL),
        wins_losses: wins_losses(model, baseline, &LossRule::default()),
        z_risk: geo.z_risk[0],
        geo_risk: geo.geo_risk[0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_does_not_count_only_changes_positions() {
        let with = risk_report(&[f64::NAN, 0.5, 0.3, 0.8], &[0.9, 0.4, 0.5, 0.6], 5.0);
        let without = risk_report(&[0.5, 0.3, 0.8], &[0.4, 0.5, 0.6], 5.0);
        assert_eq!(with.queries, 3);
        assert_eq!(
            (with.trade_off.t_risk, with.geo_risk),
            (without.trade_off.t_risk, without.geo_risk)
        );
        assert_eq!(with.wins_losses, without.wins_losses);
        assert_eq!(with.trade_off.per_query[0].query, 1);
    }

    #[test]
    fn no_queries_give_a_report_of_finite_numbers() {
        let report = risk_report(&[], &[], 1.0);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<RiskReport>(&text).unwrap(), report);
        assert_eq!((report.geo_risk, report.trade_off.t_risk, report.trade_off.p), (0.0, 0.0, 1.0));
    }
}
