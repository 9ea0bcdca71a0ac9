//! Evaluation: compares several rankings of the same queries, with significance and risk.
//!
//! [`evaluate()`] compares scores of rows in memory, [`evaluate_on`] models and features on any
//! engine. [`read_scores`] reads files of scores, and [`write_run`] writes runs.

pub(crate) mod letters;
mod on_engine;
mod run_file;
mod scores;
mod source;

use std::cell::Cell;

use serde::Serialize;

use crate::data::Dataset;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::measure::risk::{RiskReport, geo_risk_with_baseline, risk_report};
use crate::measure::significance::{
    Interval, WilcoxonMethod, holm, observed_bootstrap_mean, paired_t, resample_blocks, wilcoxon,
};
use crate::progress::Step;
use crate::stop::StopToken;
pub use letters::PairedTest;
#[cfg(feature = "experiments")]
pub(crate) use letters::{beaten, letter};
pub use on_engine::{OverFeatures, RankedBy, evaluate_on};
pub use run_file::{RunForm, RunOptions, write_run};
use scores::feature_name;
pub use scores::{feature_scores, read_scores};
pub use source::{BaselineSource, RankingSource, evaluate_sources};

/// The name of the ranking by a constant score.
const CONSTANT: &str = "constant score";

/// A ranking to be evaluated: a name and one score per document.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Its name.
    pub name: String,
    /// Scores in the order of the data.
    pub scores: Vec<f32>,
}

impl Ranking {
    /// The ranking by a constant score: file order if ties keep input order. A ranker that does not
    /// beat it has learnt nothing.
    pub fn constant(data: &Dataset) -> Self {
        Ranking { name: CONSTANT.into(), scores: vec![0.0; data.documents()] }
    }
}

/// The baseline for risk measures.
#[derive(Debug, Clone, PartialEq)]
pub struct RiskBaseline {
    /// Its name.
    pub name: String,
    /// Its value for every query under the first measure of the plan.
    pub per_query: Vec<f64>,
}

/// The maximum number of resamples: beyond it intervals no longer change, and every one is kept.
const MOST_RESAMPLES: usize = 1_000_000;

/// What to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationPlan {
    /// The measures; risk is computed under the first.
    pub measures: Vec<Measure>,
    /// Weight of losses in risk measures.
    pub alpha: f64,
    /// Resamples of queries for confidence intervals.
    pub resamples: usize,
    /// Seed of the resamples.
    pub seed: u64,
}

impl EvaluationPlan {
    /// Returns an error for a setting out of range.
    pub fn check(&self) -> Result<()> {
        if self.measures.is_empty() {
            return Err(Error::invalid("number of measures", 0, "at least 1"));
        }
        if !(self.alpha >= 0.0 && self.alpha.is_finite()) {
            return Err(Error::invalid("alpha", self.alpha, "a number of 0 or more"));
        }
        match self.resamples {
            1..=MOST_RESAMPLES => Ok(()),
            other => {
                let expected = format!("1 to {MOST_RESAMPLES}");
                Err(Error::invalid("number of resamples", other, expected))
            }
        }
    }
}

/// The results of several rankings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// The measures, in order.
    pub measures: Vec<Measure>,
    /// The queries, in order.
    pub queries: Vec<String>,
    /// The rankings, in order.
    pub rankings: Vec<RankingResult>,
    /// Every pair of rankings under every measure.
    pub comparisons: Vec<PairComparison>,
    /// The risk baseline, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_baseline: Option<String>,
    /// Whether features of a saved model were found by id, because the data has no names.
    #[serde(skip)]
    pub found_by_id: bool,
}

/// One ranking's results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankingResult {
    /// Its name.
    pub name: String,
    /// One entry per measure.
    pub values: Vec<MeasureResult>,
    /// Risk under the first measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<RankingRisk>,
}

/// One measure of one ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasureResult {
    /// The value over all queries.
    pub value: f64,
    /// A confidence interval of the mean over queries.
    pub interval: Interval,
    /// The value of each query; null if the query does not count.
    pub per_query: Vec<f64>,
}

/// Risk of one ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankingRisk {
    /// Against the baseline.
    #[serde(flatten)]
    pub report: RiskReport,
    /// Z_RISK among all rankings of the evaluation and the baseline, which counts once.
    pub z_risk_of_all: f64,
    /// GeoRisk among all rankings of the evaluation and the baseline, which counts once.
    pub geo_risk_of_all: f64,
}

impl RankingRisk {
    /// The indices of the queries on which the ranking is significantly worse than the baseline,
    /// largest loss first.
    pub fn significant_losses(&self) -> Vec<usize> {
        let trade_off = &self.report.trade_off;
        let mut losses: Vec<(f64, usize)> = trade_off
            .per_query
            .iter()
            .filter(|query| trade_off.risky.contains(&query.query))
            .map(|query| (query.contribution, query.query))
            .collect();
        losses.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        losses.into_iter().map(|(_, query)| query).collect()
    }
}

/// Two rankings under one measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairComparison {
    /// Index of the measure.
    pub measure: usize,
    /// Index of the first ranking.
    pub a: usize,
    /// Index of the second ranking.
    pub b: usize,
    /// Mean of a − b over queries; for the geometric mean, of their logarithms.
    pub difference: f64,
    /// Paired t-test, two-sided.
    pub t_p: f64,
    /// The same, corrected for all pairs of this measure (Holm).
    pub t_p_holm: f64,
    /// Wilcoxon signed-rank test, two-sided.
    pub wilcoxon_p: f64,
    /// The same, corrected for all pairs of this measure (Holm).
    pub wilcoxon_p_holm: f64,
}

/// Returns an error if a measure does not accept the labels of a data set.
pub fn check_labels(measures: &[Measure], data: &Dataset) -> Result<()> {
    let largest = data.labels().iter().copied().fold(0.0, f32::max);
    measures.iter().try_for_each(|measure| measure.check_labels(largest))
}

/// Evaluates rankings of one data set.
pub fn evaluate(
    data: &Dataset,
    rankings: &[Ranking],
    plan: &EvaluationPlan,
    baseline: Option<&RiskBaseline>,
) -> Result<Evaluation> {
    evaluate_rows(data, rankings, plan, baseline, &Resampling::unobserved(plan, rankings.len()))
}

/// As [`evaluate()`], observed by an engine.
fn evaluate_rows(
    data: &Dataset,
    rankings: &[Ranking],
    plan: &EvaluationPlan,
    baseline: Option<&RiskBaseline>,
    resampling: &Resampling<'_>,
) -> Result<Evaluation> {
    check_labels(&plan.measures, data)?;
    let view = data.view();
    let values = |ranking: &Ranking| {
        let per_query = |measure: &Measure| measure.per_query(&ranking.scores, &view);
        (ranking.name.clone(), plan.measures.iter().map(per_query).collect())
    };
    let rankings = rankings.iter().map(values).collect();
    summarise(rankings, data.queries().ids().to_vec(), plan, baseline, resampling)
}

/// The progress of the confidence intervals, in blocks of resamples.
struct Resampling<'a> {
    engine: Option<&'a dyn Engine>,
    stop: StopToken,
    done: Cell<u64>,
    total: u64,
}

impl<'a> Resampling<'a> {
    /// Without an engine that is observed.
    fn unobserved(plan: &EvaluationPlan, rankings: usize) -> Self {
        let blocks = resample_blocks(plan.resamples);
        let total = (rankings * plan.measures.len() * blocks) as u64;
        Resampling { engine: None, stop: StopToken::NEVER, done: Cell::new(0), total }
    }

    /// Reports to the observer of an engine, which may stop it.
    fn of(engine: &'a dyn Engine, plan: &EvaluationPlan, rankings: usize) -> Self {
        let unobserved = Resampling::unobserved(plan, rankings);
        Resampling { engine: Some(engine), stop: engine.stop(), ..unobserved }
    }

    fn report(&self) -> Result<()> {
        let step = Step::stage("resampling", self.done.get(), Some(self.total));
        self.engine.map_or(Ok(()), |engine| engine.step(&step))
    }

    /// The interval of the mean over queries.
    fn interval(&self, values: &[f64], plan: &EvaluationPlan) -> Result<Interval> {
        observed_bootstrap_mean(values, 0.95, plan.resamples, plan.seed, &self.stop, || {
            self.done.set(self.done.get() + 1);
            self.report()
        })
    }
}

/// The evaluation of named rankings, from their per-query values under each measure of the plan.
fn summarise(
    rankings: Vec<(String, Vec<Vec<f64>>)>,
    queries: Vec<String>,
    plan: &EvaluationPlan,
    baseline: Option<&RiskBaseline>,
    resampling: &Resampling<'_>,
) -> Result<Evaluation> {
    resampling.report()?;
    let of_ranking = |(name, values): (String, Vec<Vec<f64>>)| -> Result<RankingResult> {
        let value = |(measure, per_query): (&Measure, Vec<f64>)| -> Result<MeasureResult> {
            let Interval { low, high, level } =
                resampling.interval(&measure.additive(&per_query), plan)?;
            let interval = Interval {
                low: measure.summary_of_mean(low),
                high: measure.summary_of_mean(high),
                level,
            };
            Ok(MeasureResult { value: measure.summary(&per_query), interval, per_query })
        };
        let values: Vec<MeasureResult> =
            plan.measures.iter().zip(values).map(value).collect::<Result<_>>()?;
        Ok(RankingResult { name, values, risk: None })
    };
    let mut results: Vec<RankingResult> =
        rankings.into_iter().map(of_ranking).collect::<Result<_>>()?;
    let of_measure = |(m, measure): (usize, &Measure)| {
        compare(
            m,
            measure,
            &results.iter().map(|result| &result.values[m].per_query[..]).collect::<Vec<_>>(),
        )
    };
    let comparisons = plan.measures.iter().enumerate().flat_map(of_measure).collect();
    if let Some(baseline) = baseline {
        add_risk(&mut results, &baseline.per_query, plan.alpha);
    }
    Ok(Evaluation {
        measures: plan.measures.clone(),
        queries,
        rankings: results,
        comparisons,
        risk_baseline: baseline.map(|baseline| baseline.name.clone()),
        found_by_id: false,
    })
}

/// Every pair of rankings under one measure, the one at `index`, from their per-query values.
pub fn compare(index: usize, measure: &Measure, per_query: &[&[f64]]) -> Vec<PairComparison> {
    let values: Vec<Vec<f64>> = per_query.iter().map(|values| measure.additive(values)).collect();
    let mut found = Vec::new();
    for a in 0..values.len() {
        for b in a + 1..values.len() {
            let (x, y) = (&values[a], &values[b]);
            let t = paired_t(x, y);
            let wilcoxon_p = wilcoxon(x, y, WilcoxonMethod::Auto).p;
            let difference = t.mean_difference;
            found.push(PairComparison {
                measure: index,
                a,
                b,
                difference,
                t_p: t.p,
                t_p_holm: 0.0,
                wilcoxon_p,
                wilcoxon_p_holm: 0.0,
            });
        }
    }
    let t = holm(&found.iter().map(|c| c.t_p).collect::<Vec<_>>());
    let w = holm(&found.iter().map(|c| c.wilcoxon_p).collect::<Vec<_>>());
    for (comparison, (t, w)) in found.iter_mut().zip(t.into_iter().zip(w)) {
        (comparison.t_p_holm, comparison.wilcoxon_p_holm) = (t, w);
    }
    found
}

fn add_risk(results: &mut [RankingResult], baseline: &[f64], alpha: f64) {
    let systems: Vec<Vec<f64>> = results.iter().map(|r| r.values[0].per_query.clone()).collect();
    let together = geo_risk_with_baseline(&systems, baseline, alpha);
    for (i, result) in results.iter_mut().enumerate() {
        result.risk = Some(RankingRisk {
            report: risk_report(&systems[i], baseline, alpha),
            z_risk_of_all: together.z_risk[i],
            geo_risk_of_all: together.geo_risk[i],
        });
    }
}
