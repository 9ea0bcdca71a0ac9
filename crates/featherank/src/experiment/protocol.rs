//! The protocol of LETOR: in every fold settings are chosen on validation data, the model that won is tested once, and the
//! test values of the folds are averaged.
//!
//! Settings are chosen fold by fold. An average of validation values over folds must not choose them: in LETOR's rotation
//! each validation part is another fold's test part.

use crate::data::folds::Fold;
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::RankerSpec;
use crate::rank::tune::{Grid, Settings, tune};
use crate::run::Run;

/// What is chosen by, and what is reported.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// The measure on validation data that chooses settings.
    pub choose: Measure,
    /// The measures on test data that are reported.
    pub report: Vec<Measure>,
}

/// One fold's outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldOutcome {
    /// The fold's number, from 1.
    pub fold: usize,
    /// The settings that won on validation data.
    pub settings: Settings,
    /// What they were worth there.
    pub valid: f64,
    /// Test values of the reported measures, one a query each.
    pub test: Vec<Vec<f64>>,
    /// How many features the model needs.
    pub features: usize,
}

/// A row of a table of results.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Means over folds of the reported measures.
    pub means: Vec<f64>,
    /// Mean number of features that the models need.
    pub features: f64,
    /// The folds, in order.
    pub folds: Vec<FoldOutcome>,
}

impl Protocol {
    /// Tunes and tests a ranker on every fold.
    pub fn run(
        &self,
        spec: &RankerSpec,
        fixed: &[(String, String)],
        grid: &Grid,
        run: &Run,
        folds: &[Fold],
    ) -> Result<Row> {
        let folds: Vec<FoldOutcome> =
            folds.iter().map(|fold| self.fold(spec, fixed, grid, run, fold)).collect::<Result<_>>()?;
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let of_measure = |(i, measure): (usize, &Measure)| {
            mean(folds.iter().map(|fold| measure.summary(&fold.test[i])).collect())
        };
        Ok(Row {
            means: self.report.iter().enumerate().map(of_measure).collect(),
            features: mean(folds.iter().map(|fold| fold.features as f64).collect()),
            folds,
        })
    }

    fn fold(
        &self,
        spec: &RankerSpec,
        fixed: &[(String, String)],
        grid: &Grid,
        run: &Run,
        fold: &Fold,
    ) -> Result<FoldOutcome> {
        let tuned = tune(spec, fixed, grid, run, &fold.train.view(), &fold.valid.view(), &self.choose)?;
        let scores = tuned.model.score(&fold.test.view())?;
        Ok(FoldOutcome {
            fold: fold.number,
            settings: tuned.settings,
            valid: tuned.value,
            test: self.report.iter().map(|measure| measure.per_query(&scores, &fold.test.view())).collect(),
            features: tuned.model.features().len(),
        })
    }
}
