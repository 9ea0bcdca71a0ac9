//! RankWrapper: Relief for ranking, with distances between documents weighted by a trained ranker.
//!
//! Yu, Oh & Han, "Efficient feature weighting methods for ranking", CIKM 2009, beside
//! [`RankFilter`](crate::select::RankFilter). The formula of the paper was not available, so
//! this is a reconstruction: a ranker is trained on all features, and the weight of a feature in
//! the distance between documents is its effect on the scores. That is the absolute weight times
//! the feature's range, for linear rankers, and the gain of its splits, for trees. Documents with
//! nearly equal scores are thus near even if they differ in features that the ranker does not use.
//! The weights of the features are then computed as in RankFilter.

use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::passes::{FeatureStatistics, Moments};
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::rank::tree::Importance;
use crate::rank::{Model, Scorer};
use crate::run::Run;
use crate::select::filter::rank_filter::compared;
use crate::select::rows::rows;
use crate::select::shared_params::{ranker_params, relief_params};
use crate::select::subsets::on_threads_of;
use crate::select::{Findings, Selector};

method! {
    /// Relief for ranking, with distances between documents weighted by a trained ranker.
    pub struct RankWrapper: Selector as "rank-wrapper" in Wrapper,
        cites ["yu2009", "robnik1997"], Reconstruction, Rows
    {
        use ranker_params!("ranksvm-primal");
        use relief_params!();
    }
}

impl Selector for RankWrapper {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let data = rows("rank-wrapper", engine)?;
        let (features, unusable) = compared(run, engine)?;
        let view = data.view().with_features(&features[..]);
        let model = on_threads_of(engine, || self.ranker.learn(run, &view, None))?;
        let weights = distance_weights(&model, &features, &engine.ask(&Moments)?, |f| {
            data.features().label(f)
        });
        self.relief.weigh(run, engine, features, &unusable, Some(weights))
    }
}

/// The effect of each feature on a model's scores, as a share of all; equal shares if the model is
/// constant.
fn distance_weights(
    model: &Model,
    features: &[FeatureId],
    moments: &FeatureStatistics,
    label: impl Fn(FeatureId) -> String,
) -> Vec<f32> {
    let sizes: Vec<f64> = match &model.scorer {
        Scorer::Trees(trees) => trees.importance(Importance::Gain),
        Scorer::Linear(linear) => linear.weights().iter().map(|w| w.weight.abs()).collect(),
    };
    let labels: Vec<String> = model.features().into_iter().map(|feature| feature.label()).collect();
    let effect = |&f: &FeatureId| {
        let own = label(f);
        let size = labels.iter().position(|other| *other == own).map_or(0.0, |place| sizes[place]);
        let range =
            f64::from(moments.features[f.index()].max) - f64::from(moments.features[f.index()].min);
        if matches!(model.scorer, Scorer::Linear(_)) { size * range } else { size }
    };
    let effects: Vec<f64> = features.iter().map(effect).collect();
    let total: f64 = effects.iter().sum();
    let share = |effect: &f64| if total > 0.0 { (effect / total) as f32 } else { 1.0 };
    effects.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;
    use crate::rank::LinearModel;

    /// Weights 2 and −1 on features with ranges 1 and 6, and none on the third: 2 and 6 of 8.
    #[test]
    fn features_count_as_they_move_scores() {
        let values = vec![0., 1., 2., 8., 5., 6.];
        let data = Dataset::new(
            values,
            vec![0., 1.],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(3, 1),
        );
        let f = FeatureId;
        let model: Model = LinearModel::new(data.features(), &[(f(1), -1.0), (f(0), 2.0)]).into();
        let engine = LocalEngine::new(data.clone(), 1).unwrap();
        let moments = engine.ask(&Moments).unwrap();
        let found =
            distance_weights(&model, &[f(0), f(1), f(2)], &moments, |f| data.features().label(f));
        assert_eq!(found, [0.25, 0.75, 0.0]);
    }
}
