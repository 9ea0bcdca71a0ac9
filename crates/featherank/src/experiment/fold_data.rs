//! Facts about a fold before any method runs: its queries, and the effectiveness of single features
//! on them.

use std::collections::BTreeMap;

use super::FoldData;
use crate::data::folds::Fold;
use crate::data::{Dataset, FeatureId};
use crate::engine::passes::{FeatureMeasures, Moments, feature_means};
use crate::engine::{Ask, Engine, LocalEngine};
use crate::error::Result;
use crate::measure::risk::{max_baseline, mean_baseline};
use crate::measure::{Measure, counted};
use crate::run::Run;

/// Baseline: the mean of all single features on each query.
pub(super) const MEAN: &str = "mean";
/// Baseline: the best single feature on each query.
pub(super) const MAX: &str = "max";
/// Baseline: the single feature that is best on training data.
pub(super) const SINGLE: &str = "single feature";

/// The queries, the size and the baselines of a fold. Features that are constant within
/// queries are excluded from baselines, because alone they only reflect the order of the file.
pub(super) fn fold_data(run: &Run, fold: &Fold, measure: &Measure) -> Result<FoldData> {
    let engine = |data: &Dataset| {
        let engine = LocalEngine::new(data.clone(), rayon::current_num_threads());
        engine.map(|engine| engine.observed_by(run.observer.clone()))
    };
    let train: &dyn Engine = &engine(&fold.train)?;
    let test: &dyn Engine = &engine(&fold.test)?;
    let (varying, _) = train.ask(&Moments)?.varying_within_queries();
    let learnt = feature_means(train, measure, &varying)?;
    let tested = test.ask(&FeatureMeasures::new(measure, &varying))?.per_query;
    let mut baselines = BTreeMap::new();
    if let Some(best) = best(&learnt) {
        baselines.insert(MEAN.to_owned(), counted(&mean_baseline(&tested)));
        baselines.insert(MAX.to_owned(), counted(&max_baseline(&tested)));
        baselines.insert(SINGLE.to_owned(), counted(&tested[best]));
    }
    Ok(FoldData {
        number: fold.number,
        queries: fold.test.queries().ids().to_vec(),
        documents: [&fold.train, &fold.valid, &fold.test].map(Dataset::documents),
        baselines,
    })
}

/// The index of the largest value that is not NaN; the first of equals.
fn best(values: &[f64]) -> Option<usize> {
    let measured = (0..values.len()).filter(|&i| !values[i].is_nan());
    measured.reduce(|best, other| if values[other] > values[best] { other } else { best })
}

/// The best single features on training data, at most `most`, in column order.
pub(super) fn best_alone(
    train: &dyn Engine,
    measure: &Measure,
    most: usize,
) -> Result<Vec<FeatureId>> {
    let (varying, _) = train.ask(&Moments)?.varying_within_queries();
    let values = feature_means(train, measure, &varying)?;
    let mut order: Vec<(f64, FeatureId)> = values
        .iter()
        .map(|value| if value.is_nan() { f64::NEG_INFINITY } else { *value })
        .zip(varying)
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut columns: Vec<FeatureId> =
        order.into_iter().take(most).map(|(_, column)| column).collect();
    columns.sort_unstable();
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{FeatureTable, Queries};
    use crate::run::Constraints;

    /// Feature 1 is constant, feature 2 ranks the training queries correctly and the first test
    /// query incorrectly, feature 3 the opposite.
    #[test]
    fn baselines_by_hand() {
        let data = |second: [f32; 4], third: [f32; 4]| {
            let values = [[7.0; 4], second, third].concat();
            Dataset::new(
                values,
                vec![1., 0., 1., 0.],
                Queries::from_sizes(&[2, 2]),
                FeatureTable::numbered(3, 1),
            )
        };
        let fold = Fold {
            number: 4,
            train: data([2., 1., 2., 1.], [1., 2., 1., 2.]),
            valid: data([2., 1., 2., 1.], [1., 2., 1., 2.]),
            test: data([1., 2., 2., 1.], [2., 1., 1., 2.]),
        };
        let run = Run::new(1, Constraints::default());
        let found = fold_data(&run, &fold, &"p@1".parse().unwrap()).unwrap();
        assert_eq!((found.number, found.documents), (4, [4, 4, 4]));
        assert_eq!(found.baselines[MEAN], [Some(0.5), Some(0.5)]);
        assert_eq!(found.baselines[MAX], [Some(1.0), Some(1.0)]);
        assert_eq!(found.baselines[SINGLE], [Some(0.0), Some(1.0)], "chosen on training data");
    }

    #[test]
    fn nan_is_never_the_best() {
        assert_eq!(best(&[f64::NAN, 0.5, 0.7, 0.7]), Some(2));
        assert_eq!(best(&[f64::NAN]), None);
    }
}
