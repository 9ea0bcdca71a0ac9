//! The protocol of LETOR: in every fold features are selected on training data, settings are chosen
//! on validation data, the model that won is tested once, and the test values of the folds are
//! averaged.
//!
//! Settings are chosen fold by fold. An average of validation values over folds must not choose
//! them: in LETOR's rotation each validation part is another fold's test part.

use serde::{Deserialize, Serialize};

use crate::data::folds::Fold;
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::tune::Settings;
use crate::run::Run;

use super::method::{Fitted, Selections};
use super::{Method, Selected};

/// What is chosen by, and what is reported.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// The measure on validation data that chooses settings.
    pub choose: Measure,
    /// The measures on test data that are reported.
    pub report: Vec<Measure>,
    /// Selections of earlier rows.
    made: Selections,
}

/// One fold's outcome.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoldOutcome {
    /// The fold's number, from 1.
    pub fold: usize,
    /// The ranker's settings that won on validation data.
    pub settings: Settings,
    /// What they were worth there.
    pub valid: f64,
    /// The reported measures on training data.
    pub train: Vec<f64>,
    /// Test values of the reported measures, one a query each.
    pub test: Vec<Vec<f64>>,
    /// Ids of the features that were selected, best first; without a selector of those that the
    /// model needs.
    pub features: Vec<u32>,
    /// How they were selected.
    pub selected: Option<Selected>,
    /// Seconds that selections took which were made for another ranker.
    pub borrowed: f64,
}

/// A row of a table of results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// Means over folds of the reported measures.
    pub means: Vec<f64>,
    /// Mean number of features of the folds.
    pub features: f64,
    /// The folds, in order.
    pub folds: Vec<FoldOutcome>,
}

impl Protocol {
    /// As LETOR tables are made: settings by MAP, then MAP and NDCG at 1, 5 and 10 by the rules of
    /// the data's own scripts. Tied documents count by their expected value where settings are
    /// chosen: a file's order must not choose them.
    pub fn letor() -> Result<Self> {
        let report = ["map", "ndcg[letor]@1", "ndcg[letor]@5", "ndcg[letor]@10"];
        let report = report.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        Ok(Self::new("map[ties=expected]".parse()?, report))
    }

    /// By these measures.
    pub fn new(choose: Measure, report: Vec<Measure>) -> Self {
        Protocol { choose, report, made: Selections::default() }
    }

    /// Selects, tunes and tests on every fold.
    pub fn run(&self, method: &Method, run: &Run, folds: &[Fold]) -> Result<Row> {
        let folds: Vec<FoldOutcome> =
            folds.iter().map(|fold| self.fold(method, run, fold)).collect::<Result<_>>()?;
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let of_measure = |(i, measure): (usize, &Measure)| {
            mean(folds.iter().map(|fold| measure.summary(&fold.test[i])).collect())
        };
        Ok(Row {
            means: self.report.iter().enumerate().map(of_measure).collect(),
            features: mean(folds.iter().map(|fold| fold.features.len() as f64).collect()),
            folds,
        })
    }

    /// Selects, tunes and tests on one fold.
    pub(super) fn fold(&self, method: &Method, run: &Run, fold: &Fold) -> Result<FoldOutcome> {
        let Fitted { selected, tuned, borrowed } =
            method.fit(run, fold, &self.choose, &self.made)?;
        let scores = tuned.model.score(&fold.test.view())?;
        let features = match &selected {
            Some(selected) => selected.selection.selected.iter().map(|chosen| chosen.id).collect(),
            None => tuned.model.features().iter().map(|feature| feature.id).collect(),
        };
        let seen = tuned.model.score(&fold.train.view())?;
        let on_train =
            |measure: &Measure| measure.summary(&measure.per_query(&seen, &fold.train.view()));
        Ok(FoldOutcome {
            fold: fold.number,
            train: self.report.iter().map(on_train).collect(),
            settings: tuned.settings,
            valid: tuned.value,
            test: self
                .report
                .iter()
                .map(|measure| measure.per_query(&scores, &fold.test.view()))
                .collect(),
            features,
            selected,
            borrowed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::folds::split;
    use crate::data::synth::{Preset, generate};
    use crate::experiment::Selecting;
    use crate::registry::{ranker, selector};
    use crate::run::Constraints;

    /// Each fold takes the feature that is best on its own validation part, and reports what that
    /// is worth on its test part.
    #[test]
    fn settings_are_chosen_fold_by_fold() {
        let folds = split(&generate(&Preset::Tiny.config()).unwrap().0, 5, 3).unwrap();
        let protocol = Protocol::letor().unwrap();
        let features: Vec<String> = (1..=20).map(|id| id.to_string()).collect();
        let grid = vec![("feature".to_owned(), features.clone())];
        let run = Run::new(1, Constraints::default());
        let method = Method::ranker(ranker("single-feature").unwrap(), Vec::new(), grid);
        let row = protocol.run(&method, &run, &folds).unwrap();
        let mut sum = 0.0;
        for (fold, outcome) in folds.iter().zip(&row.folds) {
            let value = |measure: &Measure, data: &crate::data::Dataset, id: usize| {
                let column = data.column(crate::data::FeatureId::from(id - 1));
                measure.summary(&measure.per_query(column, &data.view()))
            };
            let chosen: usize = outcome.settings[0].1.parse().unwrap();
            assert_eq!((outcome.fold, &outcome.features[..]), (fold.number, &[chosen as u32][..]));
            assert_eq!(outcome.valid, value(&protocol.choose, &fold.valid, chosen));
            assert!((1..=20).all(|id| value(&protocol.choose, &fold.valid, id) <= outcome.valid));
            sum += value(&protocol.report[0], &fold.test, chosen);
        }
        assert!((row.means[0] - sum / 5.0).abs() < 1e-12);
        assert_eq!((row.means.len(), row.features), (4, 1.0));
    }

    /// The number of features is chosen on each fold's own validation part, among selections of its
    /// training part.
    #[test]
    fn selections_are_made_and_sized_fold_by_fold() {
        let folds = split(&generate(&Preset::Tiny.config()).unwrap().0, 5, 3).unwrap();
        let protocol = Protocol::letor().unwrap();
        let run = Run::new(1, Constraints::default());
        let with_sizes = |sizes: &[usize]| {
            let selecting = Selecting {
                selector: selector("top-k").unwrap(),
                fixed: vec![("measure".to_owned(), "map[ties=expected]".to_owned())],
                grid: Vec::new(),
                sizes: sizes.to_vec(),
            };
            let ridge = vec![("ridge".to_owned(), vec!["1".to_owned(), "1000".to_owned()])];
            let method = Method::ranker(ranker("linear-regression").unwrap(), Vec::new(), ridge);
            protocol.run(&method.after(selecting), &run, &folds).unwrap()
        };
        let (one, nine, chosen) = (with_sizes(&[1]), with_sizes(&[9]), with_sizes(&[1, 9]));
        assert_eq!((one.features, nine.features), (1.0, 9.0));
        for (i, outcome) in chosen.folds.iter().enumerate() {
            let winner = if nine.folds[i].valid > one.folds[i].valid { &nine } else { &one };
            assert_eq!(outcome.features, winner.folds[i].features);
            assert_eq!(outcome.test, winner.folds[i].test);
            assert_eq!(
                outcome.features[0], one.folds[i].features[0],
                "the best feature of the training part"
            );
            assert_eq!(outcome.selected.as_ref().unwrap().k, Some(outcome.features.len()));
        }
    }
}
