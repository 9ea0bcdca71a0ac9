//! RankFilter: Relief for ranking. A feature is good where near documents of different relevance
//! differ.
//!
//! Yu, Oh & Han, "Efficient feature weighting methods for ranking", CIKM 2009, replace the nearest
//! hits and misses of Relief by nearest documents and the distance of their ranks. Its formula
//! could not be read, hence a reconstruction: over all documents i and their k nearest neighbours j
//! in the same query,
//!
//! w_f = Σ |x_if − x_jf| (2 |yᵢ − yⱼ|/r − 1) / (k n)
//!
//! with r the range of the query's labels and n the documents of queries that have one. Features
//! are scaled to [0, 1] over all documents (`scale = query`: over each query, which suits raw
//! features with long tails), and documents are as far apart as the sum of absolute differences of
//! all live features that are not dropped. Lists shorter than k + 1 documents count with the
//! neighbours they have. Weights do not know redundancy: a copy gets its original's weight.
//!
//! Where most neighbours are about equally relevant, as with long lists and few relevant documents,
//! 2 |yᵢ − yⱼ|/r − 1 is mostly negative, and the features that vary least come first. Unless
//! `balance = no`, the weight is therefore the mean difference weighted by |yᵢ − yⱼ|/r less that
//! weighted by 1 − |yᵢ − yⱼ|/r, as Robnik-Šikonja & Kononenko (1997) do for Relief in regression:
//! noise then gets about 0. Of the first 20 features on synthetic web data none is noise then, 6
//! are without it.
//!
//! Work grows with the square of a list's length; `sample` looks at a share of the queries, drawn
//! by the seed and the query's id.

use crate::data::FeatureId;
use crate::engine::passes::{Moments, QuerySample, Relief};
use crate::engine::{Ask, Engine};
use crate::error::{Error, Result};
use crate::params::{Kind, Param, Params};
use crate::registry::{Category, Status};
use crate::remedy;
use crate::run::Run;
use crate::select::{Selection, Selector, SelectorSpec};

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `neighbours` | `10` | 1 to 100000 | nearest documents that each document is compared with |
/// | `scale` | `overall` | `overall`, `query` | whether features are scaled to [0, 1] over all documents or within each query |
/// | `balance` | `yes` | `yes`, `no` | whether pairs of different and of equal relevance count alike in sum |
/// | `sample` | `1` | 0.000001 to 1 | share of the queries to look at |
pub struct RankFilter {
    neighbours: usize,
    within_queries: bool,
    balance: bool,
    share: f64,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "rank-filter",
    summary: "features in which near documents of different relevance differ: Relief for ranking",
    category: Category::Filter,
    cites: &["yu2009", "robnik1997"],
    status: Status::Reconstruction,
    scales_out: true,
    resumes: false,
    uses_valid: false,
    leaves_model: false,
    params: &PARAMS,
    build: |params| Ok(Box::new(RankFilter::new(params)?)),
};

/// The parameters of methods that compare near documents.
pub(in crate::select) const PARAMS: [Param; 4] = [
    Param {
        name: "neighbours",
        kind: Kind::Whole { min: 1, max: 100_000 },
        default: "10",
        meaning: "nearest documents that each document is compared with",
    },
    Param {
        name: "scale",
        kind: Kind::Choice(&["overall", "query"]),
        default: "overall",
        meaning: "scale features to [0, 1] over all documents, or within each query",
    },
    Param {
        name: "balance",
        kind: Kind::Choice(&["yes", "no"]),
        default: "yes",
        meaning: "let pairs of different and of equal relevance count alike in sum",
    },
    Param {
        name: "sample",
        kind: Kind::Real { min: 0.000_001, max: 1.0 },
        default: "1",
        meaning: "share of the queries to look at",
    },
];

impl Selector for RankFilter {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let (features, dead) = compared(run, engine)?;
        self.weigh(run, engine, features, &dead, None)
    }
}

/// The live features that are not dropped, and the dead ones.
pub(in crate::select) fn compared(
    run: &Run,
    engine: &dyn Engine,
) -> Result<(Vec<FeatureId>, Vec<FeatureId>)> {
    let (mut features, dead) = engine.ask(&Moments)?.alive();
    features.retain(|f| !run.constraints.drop.contains(f));
    Ok((features, dead))
}

impl RankFilter {
    /// From the parameters of [`PARAMS`].
    pub(in crate::select) fn new(params: &Params) -> Result<Self> {
        Ok(RankFilter {
            neighbours: params.whole("neighbours")? as usize,
            within_queries: params.text("scale") == "query",
            balance: params.text("balance") == "yes",
            share: params.real("sample")?,
        })
    }

    /// Chooses by the weights of these features, where each may count more or less for how near
    /// documents are.
    pub(in crate::select) fn weigh(
        &self,
        run: &Run,
        engine: &dyn Engine,
        features: Vec<FeatureId>,
        dead: &[FeatureId],
        distance_weights: Option<Vec<f32>>,
    ) -> Result<Selection> {
        let pass = Relief {
            neighbours: self.neighbours,
            ranges: self.ranges(engine, &features)?,
            sample: (self.share < 1.0).then_some(QuerySample { share: self.share, seed: run.seed }),
            features,
            distance_weights,
        };
        let relief = engine.ask(&pass.clone())?;
        run.step("choosing features", 1, Some(1))?;
        if relief.documents == 0 {
            return Err(Error::nothing_counts(
                "no sampled query has documents of different relevance",
                match pass.sample {
                    Some(_) => remedy!["raise ", Parameter("sample")],
                    None => "check the labels".into(),
                },
            ));
        }
        let weights =
            if self.balance { relief.balanced_weights() } else { relief.weights(self.neighbours) };
        let scored: Vec<_> = pass.features.into_iter().zip(weights).collect();
        Selection::by_score(run, engine.schema(), &scored, dead)
    }

    fn ranges(
        &self,
        engine: &dyn Engine,
        features: &[FeatureId],
    ) -> Result<Option<Vec<(f32, f32)>>> {
        if self.within_queries {
            return Ok(None);
        }
        let moments = engine.ask(&Moments)?.features;
        let range = |f: &FeatureId| (moments[f.index()].min, moments[f.index()].max);
        Ok(Some(features.iter().map(range).collect()))
    }
}
