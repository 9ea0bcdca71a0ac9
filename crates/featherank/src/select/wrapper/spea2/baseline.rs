//! The baseline that risk is measured against.

use std::path::{Path, PathBuf};

use crate::data::FeatureId;
use crate::engine::passes::{FeatureMeasures, Moments};
use crate::engine::{Ask, Engine};
use crate::error::{Error, Result};
use crate::evaluate::read_scores;
use crate::measure::Measure;
use crate::measure::risk::{max_baseline, mean_baseline};
use crate::select::rows::rows;

/// The accepted values, for help texts.
pub const WORDS: &str = "full, mean, max, feature:NAME or scores:FILE";

/// A system against which a loss on a query is a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Baseline {
    /// The same ranker with all features, as published.
    Full,
    /// The mean over all features, each ranking alone.
    Mean,
    /// The best feature of every query.
    Max,
    /// One feature, by name or id.
    Feature(String),
    /// Scores of the training documents, as `featherank rank` writes them.
    Scores(PathBuf),
}

impl Baseline {
    /// Reads a baseline's name.
    pub fn parse(text: &str) -> Result<Self> {
        match text.split_once(':') {
            None if text == "full" => Ok(Baseline::Full),
            None if text == "mean" => Ok(Baseline::Mean),
            None if text == "max" => Ok(Baseline::Max),
            Some(("feature", name)) if !name.is_empty() => Ok(Baseline::Feature(name.into())),
            Some(("scores", path)) if !path.is_empty() => Ok(Baseline::Scores(path.into())),
            _ => Err(Error::invalid("baseline", text, WORDS)),
        }
    }

    /// Its value on each query that counts; `full` computes the values of the ranker trained on all
    /// features.
    pub fn per_query(
        &self,
        engine: &dyn Engine,
        measure: &Measure,
        full: impl FnOnce() -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let alone = |features: &[FeatureId]| {
            Ok(engine.ask(&FeatureMeasures::new(measure, features))?.per_query)
        };
        let values = match self {
            Baseline::Full => full()?,
            Baseline::Mean => {
                mean_baseline(&alone(&engine.ask(&Moments)?.varying_within_queries().0)?)
            }
            Baseline::Max => {
                max_baseline(&alone(&engine.ask(&Moments)?.varying_within_queries().0)?)
            }
            Baseline::Feature(name) => {
                alone(&[engine.schema().features.resolve(name)?])?.swap_remove(0)
            }
            Baseline::Scores(path) => of_scores(path, engine, measure)?,
        };
        Ok(measure.additive(&values).into_iter().filter(|value| !value.is_nan()).collect())
    }
}

fn of_scores(path: &Path, engine: &dyn Engine, measure: &Measure) -> Result<Vec<f64>> {
    let data = rows("a baseline of scores", engine)?;
    let scores = read_scores(path, data)?.scores;
    Ok(measure.per_query(&scores, &data.view()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Baseline::parse("max").unwrap(), Baseline::Max);
        assert_eq!(Baseline::parse("feature:bm25").unwrap(), Baseline::Feature("bm25".into()));
        assert_eq!(
            Baseline::parse("scores:C:/a.txt").unwrap(),
            Baseline::Scores("C:/a.txt".into())
        );
        for wrong in ["", "best", "feature:", "scores:", "feature", "full:1"] {
            assert!(
                Baseline::parse(wrong).unwrap_err().to_string().contains("scores:FILE"),
                "{wrong}"
            );
        }
    }
}
