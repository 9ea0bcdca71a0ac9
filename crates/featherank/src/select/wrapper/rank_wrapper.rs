//! RankWrapper: Relief for ranking, with near documents as a ranking SVM sees them.
//!
//! Yu, Oh & Han, "Efficient feature weighting methods for ranking", CIKM 2009, beside
//! [RankFilter](crate::select::filter::rank_filter). Its formula could not be read, hence a
//! reconstruction: a ranker is trained on all features, and features count for how near documents
//! are as much as they move its scores. That is the size of the weight times the feature's range,
//! for linear rankers, and the gain of its splits, for trees. Documents that the ranker cannot tell
//! apart are near, whatever else they differ in. The weights of the features are then RankFilter's.

use super::training::{SETTINGS, on_threads_of, ranker, ranker_param};
use crate::data::FeatureId;
use crate::engine::passes::{FeatureStatistics, Moments};
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::rank::tree::Importance;
use crate::rank::{Model, Ranker, Scorer};
use crate::registry::{Category, Status};
use crate::run::Run;
use crate::select::filter::rank_filter::{PARAMS, RankFilter, compared};
use crate::select::rows::rows;
use crate::select::{Selection, Selector, SelectorSpec};

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `ranker` | `ranksvm-primal` | any ranker | what says how much each feature counts for how near documents are |
/// | `settings` | none | name=value;name=value | parameters of the ranker |
/// | `neighbours` | `10` | 1 to 100000 | nearest documents that each document is compared with |
/// | `scale` | `overall` | `overall`, `query` | whether features are scaled to [0, 1] over all documents or within each query |
/// | `balance` | `yes` | `yes`, `no` | whether pairs of different and of equal relevance count alike in sum |
/// | `sample` | `1` | 0.000001 to 1 | share of the queries to look at |
pub struct RankWrapper {
    ranker: Box<dyn Ranker>,
    filter: RankFilter,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "rank-wrapper",
    summary: "features in which documents of different relevance differ that are near to a ranker: Relief for ranking",
    category: Category::Wrapper,
    cites: &["yu2009", "robnik1997"],
    status: Status::Reconstruction,
    scales_out: false,
    resumes: false,
    uses_valid: false,
    leaves_model: false,
    params: &{
        let [neighbours, scale, balance, sample] = PARAMS;
        [ranker_param("ranksvm-primal"), SETTINGS, neighbours, scale, balance, sample]
    },
    build: |params| {
        Ok(Box::new(RankWrapper { ranker: ranker(params, &[])?, filter: RankFilter::new(params)? }))
    },
};

impl Selector for RankWrapper {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let data = rows("rank-wrapper", engine)?;
        let (features, dead) = compared(run, engine)?;
        let view = data.view().with_features(&features[..]);
        let model = on_threads_of(engine, || self.ranker.fit(run, &view, None))?;
        let weights = distance_weights(&model, &features, &engine.ask(&Moments)?, |f| {
            data.features().label(f)
        });
        self.filter.weigh(run, engine, features, &dead, Some(weights))
    }
}

/// How far each feature moves a model's scores, as a share of all; all alike where the model moves
/// nothing.
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
