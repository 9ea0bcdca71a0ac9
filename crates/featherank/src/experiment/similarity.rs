//! Correlations of features on the training data of the first fold, for the results.

use super::FeatureSimilarity;
use super::fold_data::best_alone;
use crate::data::Dataset;
use crate::engine::passes::Correlation;
use crate::engine::{LocalEngine, Scope};
use crate::error::Result;
use crate::measure::Measure;
use crate::redundancy::{RedundancyOptions, redundancy};
use crate::run::Run;

/// The maximum number of features of the matrix; the best single features are kept.
const MOST: usize = 300;

/// Absolute correlation above which two features are redundant.
const LEVEL: f64 = 0.9;

/// Spearman's correlation within queries of at most [`MOST`] varying features.
pub(super) fn feature_similarity(
    run: &Run,
    train: &Dataset,
    measure: &Measure,
) -> Result<FeatureSimilarity> {
    let threads = rayon::current_num_threads();
    let engine_on = |data| {
        let engine = LocalEngine::new(data, threads);
        engine.map(|engine| engine.observed_by(run.observer.clone()))
    };
    let mut engine = engine_on(train.clone())?;
    if train.features().len() > MOST {
        let columns = best_alone(&engine, measure, MOST)?;
        engine = engine_on(train.view().copy(&columns))?;
    }
    let options = RedundancyOptions {
        correlation: Correlation::Spearman,
        scope: Scope::Query,
        level: LEVEL,
        measure: measure.clone(),
    };
    let found = redundancy(&engine, &options)?;
    let group = |group: &crate::redundancy::RedundantGroup| {
        std::iter::once(&group.best).chain(&group.others).map(|member| member.feature.id).collect()
    };
    Ok(FeatureSimilarity {
        correlation: "spearman".into(),
        features: found.features.iter().map(|compared| compared.feature.id).collect(),
        matrix: found.matrix,
        groups: found.groups.iter().map(group).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{FeatureTable, Queries};
    use crate::run::Constraints;

    /// Of 310 varying features the best 300 are compared; feature 301 duplicates feature 1, and
    /// both are among them.
    #[test]
    fn only_the_best_features_are_compared() {
        let documents = 6;
        let value =
            |feature: usize, document: usize| ((feature % 12 + 1) * (document + 1) % 13) as f32;
        let mut values: Vec<f32> =
            (0..310).flat_map(|f| (0..documents).map(move |d| value(f, d))).collect();
        values[..documents].copy_from_slice(&[0., 1., 2., 3., 4., 5.]);
        values[300 * documents..301 * documents].copy_from_slice(&[0., 10., 20., 30., 40., 50.]);
        let labels = vec![0., 0., 0., 1., 1., 2.];
        let data = Dataset::new(
            values,
            labels,
            Queries::from_sizes(&[documents]),
            FeatureTable::numbered(310, 1),
        );
        let run = Run::new(1, Constraints::default());
        let found = feature_similarity(&run, &data, &"ndcg@10".parse().unwrap()).unwrap();
        assert_eq!((found.features.len(), found.matrix.len()), (MOST, MOST));
        assert!(found.groups.iter().any(|group| group.contains(&1) && group.contains(&301)));
    }
}
