//! The LETOR protocol: in each fold, features are selected on training data, parameters are chosen
//! on validation data, and the best model is evaluated once on test data; test values are averaged
//! over folds.
//!
//! Parameters are chosen per fold. They must not be chosen by an average over folds, because in
//! LETOR's rotation each validation part is the test part of another fold.

use serde::{Deserialize, Serialize};

use crate::data::folds::Fold;
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::tune::Settings;
use crate::run::Run;

use super::method::{FittedMethod, SelectionCache};
use super::{ComparedMethod, FoldSelection};

/// The measures for choosing parameters and for reporting.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// The measure for choosing parameters on validation data.
    pub choose: Measure,
    /// The measures to report on test data.
    pub report: Vec<Measure>,
    /// Selections of earlier rows.
    cache: SelectionCache,
}

/// The outcome of a fold.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoldOutcome {
    /// The fold's number, from 1.
    pub fold: usize,
    /// The chosen parameters of the ranker.
    pub settings: Settings,
    /// Their value on validation data.
    pub valid: f64,
    /// The reported measures on training data.
    pub train: Vec<f64>,
    /// The reported measures on test data, one value per query.
    pub test: Vec<Vec<f64>>,
    /// Ids of the selected features, best first; without a selector, of those that the model uses.
    pub features: Vec<u32>,
    /// The selection, if there is a selector.
    pub selected: Option<FoldSelection>,
    /// Duration of the selections that were reused from another ranker.
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
    /// The protocol of the LETOR tables: parameters are chosen by MAP; MAP and NDCG at 1, 5 and 10
    /// are reported by the conventions of LETOR's scripts. Choosing uses expected-value ties, so
    /// that the order of the file has no influence.
    pub fn letor() -> Result<Self> {
        let report = ["map", "ndcg[letor]@1", "ndcg[letor]@5", "ndcg[letor]@10"];
        let report = report.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        Ok(Self::new("map[ties=expected]".parse()?, report))
    }

    /// A protocol with these measures.
    pub fn new(choose: Measure, report: Vec<Measure>) -> Self {
        Protocol { choose, report, cache: SelectionCache::default() }
    }

    /// Selects, tunes and evaluates on every fold.
    pub fn run(&self, method: &ComparedMethod, run: &Run, folds: &[Fold]) -> Result<Row> {
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

    /// Selects, tunes and evaluates on one fold.
    pub(super) fn fold(
        &self,
        method: &ComparedMethod,
        run: &Run,
        fold: &Fold,
    ) -> Result<FoldOutcome> {
        let FittedMethod { selected, tuned, borrowed } =
            method.fit(run, fold, &self.choose, &self.cache)?;
        let scores = tuned.model.score_until(&fold.test.view(), run.stop())?;
        let features = match &selected {
            Some(selected) => selected.selection.selected.iter().map(|chosen| chosen.id).collect(),
            None => tuned.model.features().iter().map(|feature| feature.id).collect(),
        };
        let train_scores = tuned.model.score_until(&fold.train.view(), run.stop())?;
        let on_train = |measure: &Measure| {
            measure.summary(&measure.per_query(&train_scores, &fold.train.view()))
        };
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
    use crate::experiment::ConfiguredSelector;
    use crate::registry::{ranker, selector};
    use crate::run::Constraints;

    /// Each fold uses the feature that is best on its own validation part, and reports its value on
    /// the test part.
    #[test]
    fn parameters_are_chosen_per_fold() {
        let folds = split(&generate(&Preset::Tiny.config()).unwrap().0, 5, 3).unwrap();
        let protocol = Protocol::letor().unwrap();
        let features: Vec<String> = (1..=20).map(|id| id.to_string()).collect();
        let grid = vec![("feature".to_owned(), features.clone())];
        let run = Run::new(1, Constraints::default());
        let method = ComparedMethod::ranker(ranker("single-feature").unwrap(), Vec::new(), grid);
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

    /// The number of features is chosen on the validation part of each fold.
    #[test]
    fn sizes_are_chosen_per_fold() {
        let folds = split(&generate(&Preset::Tiny.config()).unwrap().0, 5, 3).unwrap();
        let protocol = Protocol::letor().unwrap();
        let run = Run::new(1, Constraints::default());
        let with_sizes = |sizes: &[usize]| {
            let selecting = ConfiguredSelector {
                selector: selector("top-k").unwrap(),
                fixed: vec![("measure".to_owned(), "map[ties=expected]".to_owned())],
                grid: Vec::new(),
                sizes: sizes.to_vec(),
            };
            let ridge = vec![("ridge".to_owned(), vec!["1".to_owned(), "1000".to_owned()])];
            let method =
                ComparedMethod::ranker(ranker("linear-regression").unwrap(), Vec::new(), ridge);
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
