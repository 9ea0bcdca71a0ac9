//! The objectives: effectiveness, risk, size and cost, alone or up to three at once.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::measure::risk::{f_risk, geo_risk, loss_weighted, t_risk};
use crate::measure::significance::PerQuery;

/// Combinations under the names of Sousa et al.
const PUBLISHED: [(&str, &[Objective]); 5] = [
    ("e", &[Objective::Effectiveness]),
    ("e-f", &[Objective::Features, Objective::Effectiveness]),
    ("e-r", &[Objective::FRisk, Objective::Effectiveness]),
    ("t-f", &[Objective::Features, Objective::TRisk]),
    ("t", &[Objective::TRisk]),
];

/// The accepted values, for help texts.
pub const WORDS: &str = "e, e-f, e-r, t-f, t, or one to three of effectiveness, frisk, trisk, georisk, features, cost, joined by +";

/// One objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The mean of the measure over queries; more is better.
    Effectiveness,
    /// The mean loss against the baseline; less is better.
    FRisk,
    /// Gains against weighted losses, in standard errors; more is better.
    TRisk,
    /// Effectiveness and safety together; more is better.
    GeoRisk,
    /// The number of features; less is better.
    Features,
    /// The total cost of the features; less is better.
    Cost,
}

impl Objective {
    const ALL: [Objective; 6] = [
        Objective::Effectiveness,
        Objective::FRisk,
        Objective::TRisk,
        Objective::GeoRisk,
        Objective::Features,
        Objective::Cost,
    ];

    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Effectiveness => "effectiveness",
            Objective::FRisk => "frisk",
            Objective::TRisk => "trisk",
            Objective::GeoRisk => "georisk",
            Objective::Features => "features",
            Objective::Cost => "cost",
        }
    }

    /// Reads one of the published names, or names joined by `+`.
    pub fn parse(text: &str) -> Result<Vec<Objective>> {
        if let Some((_, published)) = PUBLISHED.iter().find(|(name, _)| *name == text) {
            return Ok(published.to_vec());
        }
        let refused = || Error::invalid("objectives", text, WORDS);
        let read = |name: &str| {
            Objective::ALL.into_iter().find(|one| one.name() == name.trim()).ok_or_else(refused)
        };
        let objectives: Vec<Objective> = text.split('+').map(read).collect::<Result<_>>()?;
        let repeats =
            (1..objectives.len()).any(|place| objectives[..place].contains(&objectives[place]));
        if repeats || objectives.len() > 3 {
            return Err(refused());
        }
        Ok(objectives)
    }

    /// 1 if less is better, −1 if more is.
    pub fn sign(self) -> f64 {
        match self {
            Objective::Effectiveness | Objective::TRisk | Objective::GeoRisk => -1.0,
            Objective::FRisk | Objective::Features | Objective::Cost => 1.0,
        }
    }
}

/// The scores of a subset.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetScores {
    /// The measure over all queries.
    pub effectiveness: f64,
    /// The values that the mean is taken of, one for each query that counts.
    pub per_query: Arc<PerQuery>,
    /// Its number of features.
    pub features: usize,
    /// Their cost.
    pub cost: f64,
    /// Its score by each objective.
    pub objectives: Vec<ObjectiveScore>,
}

/// The score of a subset by one objective.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectiveScore {
    /// Less is better.
    pub value: f64,
    /// The same for each query, if it can be tested.
    pub per_query: Option<Arc<PerQuery>>,
}

/// Computes objectives of subsets, against a baseline.
#[derive(Debug, Clone)]
pub struct SubsetJudge {
    /// The objectives.
    pub objectives: Vec<Objective>,
    /// The measure of effectiveness.
    pub measure: Measure,
    /// The baseline's value in each query that counts.
    pub baseline: Vec<f64>,
    /// A loss weighs 1 + α times as much as a gain.
    pub alpha: f64,
}

impl SubsetJudge {
    /// The scores of a subset with these values per query, NaN for queries that do not count, and
    /// this number and cost of features.
    pub fn scores(&self, values: &[f64], features: usize, cost: f64) -> SubsetScores {
        let mut counted = self.measure.additive(values);
        counted.retain(|value| !value.is_nan());
        let effectiveness = self.measure.summary(values);
        let per_query = Arc::new(PerQuery::new(&counted));
        let tested = |values: &[f64]| Some(Arc::new(PerQuery::new(values)));
        let judged = |&objective: &Objective| {
            let (value, per_query) = match objective {
                Objective::Effectiveness => (effectiveness, Some(per_query.clone())),
                Objective::Features => (features as f64, None),
                Objective::Cost => (cost, None),
                Objective::FRisk => {
                    (f_risk(&counted, &self.baseline), tested(&self.losses(&counted)))
                }
                Objective::TRisk => (
                    t_risk(&counted, &self.baseline, self.alpha),
                    tested(&self.trade_offs(&counted)),
                ),
                Objective::GeoRisk => {
                    let systems = [counted.clone(), self.baseline.clone()];
                    (geo_risk(&systems, self.alpha).geo_risk[0], tested(&self.trade_offs(&counted)))
                }
            };
            ObjectiveScore { value: objective.sign() * value, per_query }
        };
        let objectives = self.objectives.iter().map(judged).collect();
        SubsetScores { effectiveness, per_query, features, cost, objectives }
    }

    fn losses(&self, values: &[f64]) -> Vec<f64> {
        values
            .iter()
            .zip(&self.baseline)
            .map(|(value, baseline)| (baseline - value).max(0.0))
            .collect()
    }

    /// Gains, and losses times 1 + α.
    fn trade_offs(&self, values: &[f64]) -> Vec<f64> {
        let weighed = |(value, baseline): (&f64, &f64)| loss_weighted(value - baseline, self.alpha);
        values.iter().zip(&self.baseline).map(weighed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_published_and_own() {
        use Objective::{Cost, Effectiveness, FRisk, Features, TRisk};
        assert_eq!(Objective::parse("e-r").unwrap(), [FRisk, Effectiveness]);
        assert_eq!(Objective::parse("t").unwrap(), [TRisk]);
        assert_eq!(
            Objective::parse("cost+effectiveness+frisk").unwrap(),
            [Cost, Effectiveness, FRisk]
        );
        assert_eq!(Objective::parse("features").unwrap(), [Features]);
        for wrong in
            ["", "e-g", "cost+cost", "effectiveness+", "effectiveness+frisk+trisk+cost", "+"]
        {
            let error = Objective::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("joined by +"), "{error}");
        }
    }

    /// The risk fixture's vectors: F_RISK .0466667, T_RISK −1.0635542 for α = 5.
    #[test]
    fn scores_by_hand() {
        let judge = SubsetJudge {
            objectives: Objective::ALL.to_vec(),
            measure: "ndcg@10".parse().unwrap(),
            baseline: vec![0.4, 0.5, 0.0, 0.6, 0.7, 0.4],
            alpha: 5.0,
        };
        let scores = judge.scores(&[0.5, 0.3, 0.0, 0.8, 0.62, 0.4], 7, 2.5);
        let values: Vec<f64> = scores.objectives.iter().map(|judged| judged.value).collect();
        for (value, expected) in values.iter().zip([-0.436_666_7, 0.046_666_7, 1.063_554_2]) {
            assert!((value - expected).abs() < 1e-7, "{values:?}");
        }
        assert_eq!(&values[4..], [7.0, 2.5]);
        let sums: Vec<Option<f64>> = scores
            .objectives
            .iter()
            .map(|judged| {
                judged.per_query.as_ref().map(|held| held.values().iter().sum::<f64>() / 6.0)
            })
            .collect();
        assert!(
            (sums[1].unwrap() - 0.046_666_7).abs() < 1e-7 && (sums[2].unwrap() + 0.23).abs() < 1e-8
        );
        assert!(sums[4].is_none() && sums[5].is_none());
    }
}
