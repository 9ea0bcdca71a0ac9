//! The result of a selection: a versioned document of the chosen features, the data, the method and
//! the reasons.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::{Feature, FeatureId, FeatureTable};
use crate::document;
use crate::engine::Schema;
use crate::error::{Error, Result, Setting};
use crate::params::Params;
use crate::rank::{Model, Training};
use crate::remedy;
use crate::run::{Constraints, Run};
use crate::select::Searched;
use crate::select::auto::Advice;

/// A selection, as it is printed, saved and loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The method's name.
    pub method: String,
    /// All its parameters.
    pub parameters: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
    /// The data that features were selected from.
    pub data: DataSummary,
    /// The chosen features, best first.
    pub selected: Vec<Chosen>,
    /// One step for every size.
    pub path: Vec<PathStep>,
    /// Features excluded before any method ran, with reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SetAside>,
    /// The model of an embedded method, restricted to the chosen features.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "crate::rank::embedded_model"
    )]
    pub model: Option<Model>,
    /// The models that an embedded method fitted along its path, by family, from sparse to dense.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<Fit>,
    /// The distance of the model from the optimum, by name: the violation of the optimality
    /// conditions, or a gap.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub certificate: BTreeMap<String, f64>,
    /// The course of a search among subsets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// The reasons for the choice of `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// Notes for users about this result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether the time limit was reached before the method finished: the result is the best so
    /// far.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

/// A model that a method fitted along its path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Its settings.
    pub settings: BTreeMap<String, f64>,
    /// The number of features it uses.
    pub features: usize,
    /// Its measure on validation data, if it was evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its distance from the optimum.
    pub certificate: BTreeMap<String, f64>,
    /// Whether this is the model that was chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
}

/// A summary of the data of a selection.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DataSummary {
    /// The number of queries.
    pub queries: u64,
    /// The number of documents.
    pub documents: u64,
    /// The number of features.
    pub features: u64,
    /// A hash that changes with any value, label, query or feature.
    pub fingerprint: String,
}

/// A chosen feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The id in the user's data.
    pub id: u32,
    /// The name in the user's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The score by the method; higher is better.
    pub score: f64,
    /// Its cost.
    pub cost: f64,
}

/// One step of the path from no features to all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathStep {
    /// The number of features including this one.
    pub size: usize,
    /// The id of the feature that was added.
    pub feature: u32,
    /// The method's own measure at this step.
    pub value: f64,
    /// The total cost of the features so far.
    pub cost: f64,
}

/// A feature that was excluded before any method ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The id in the user's data.
    pub id: u32,
    /// The name in the user's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The reason.
    pub reason: String,
}

const KIND: &str = "selection";
/// Version 2: boolean parameters are written as true or false.
const VERSION: u32 = 2;

impl Selection {
    /// Chooses by score: kept features first, then the best that the constraints allow. Ties by
    /// column.
    pub fn by_score(
        run: &Run,
        schema: &Schema,
        scored: &[(FeatureId, f64)],
        dead: &[FeatureId],
    ) -> Result<Self> {
        let mut order = scored.to_vec();
        order.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
        Self::in_order(run, schema, &order, &[], dead)
    }

    /// Chooses the set that a method has found, as far as the constraints allow: kept features
    /// first, then `chosen`, best first. With `k` exactly that many, continuing with `rest`, the
    /// order in which the method would add the others.
    pub fn in_order(
        run: &Run,
        schema: &Schema,
        chosen: &[(FeatureId, f64)],
        rest: &[(FeatureId, f64)],
        dead: &[FeatureId],
    ) -> Result<Self> {
        let constraints = &run.constraints;
        let is_kept = |f: &FeatureId| constraints.keep.contains(f);
        let live = chosen.iter().chain(rest).copied();
        let (kept, free): (Vec<_>, Vec<_>) =
            live.filter(|(f, _)| !constraints.drop.contains(f)).partition(|(f, _)| is_kept(f));
        let dead_kept = dead.iter().filter(|f| is_kept(f)).map(|&f| (f, 0.0));
        let order: Vec<(FeatureId, f64)> = kept.into_iter().chain(dead_kept).chain(free).collect();
        if let Some((f, _)) = order.iter().find(|(_, score)| !score.is_finite()) {
            return Err(Error::nothing_counts(
                format!(
                    "feature {} has no score: the measure counts no query",
                    schema.features.label(*f)
                ),
                "choose another measure, or data with relevant documents",
            ));
        }
        let is_own = |f: &FeatureId| is_kept(f) || chosen.iter().any(|(own, _)| own == f);
        let own = order.iter().filter(|(f, _)| is_own(f)).count();
        let selected =
            Self::affordable(run, schema, &order[..constraints.k.map_or(own, |_| order.len())]);
        Self::refuse_too_few(run, selected.len(), order.len(), dead.len())?;
        let set_aside = dead.iter().filter(|f| !is_kept(f));
        let data = DataSummary {
            queries: schema.queries() as u64,
            documents: schema.documents(),
            features: schema.features.len() as u64,
            fingerprint: schema.fingerprint.clone(),
        };
        Ok(Selection {
            method: String::new(),
            parameters: BTreeMap::new(),
            seed: run.seed,
            data,
            selected,
            path: path(run, &schema.features, &order),
            set_aside: set_aside.map(|&f| SetAside::dead(schema.features.get(f))).collect(),
            model: None,
            fits: Vec::new(),
            certificate: BTreeMap::new(),
            searched: None,
            advice: None,
            notes: Vec::new(),
            unfinished: false,
        })
    }

    /// The same selection with another path: all features in the order in which they enter, and the
    /// method's value for each step.
    #[must_use]
    pub(super) fn with_path(self, run: &Run, schema: &Schema, order: &[(FeatureId, f64)]) -> Self {
        Selection { path: path(run, &schema.features, order), ..self }
    }

    /// The first `k` features within the budget; features that exceed it are skipped.
    fn affordable(run: &Run, schema: &Schema, order: &[(FeatureId, f64)]) -> Vec<Chosen> {
        let constraints = &run.constraints;
        let (mut selected, mut cost) = (Vec::new(), 0.0);
        for &(f, score) in order {
            let price = constraints.cost(f);
            let wanted = constraints.k.is_none_or(|k| selected.len() < k);
            if wanted && constraints.budget.is_none_or(|budget| cost + price <= budget) {
                let Feature { id, name } = schema.features.get(f).clone();
                selected.push(Chosen { id, name, score, cost: price });
                cost += price;
            }
        }
        selected
    }

    /// The error for fewer features than wanted, or none at all.
    fn refuse_too_few(run: &Run, selected: usize, available: usize, dead: usize) -> Result<()> {
        let Constraints { k, budget, drop, .. } = &run.constraints;
        let wanted = k.unwrap_or(1);
        if selected >= wanted {
            return Ok(());
        }
        let what = match k {
            Some(k) => format!("only {selected} of {k} features can be selected"),
            None => "no feature can be selected".into(),
        };
        let (help, alternative) = match budget {
            Some(budget) if available >= wanted => {
                let help = format!("the budget of {budget} allows no more; raise ");
                (remedy![help, Budget], " or lower ")
            }
            _ => {
                let dropped = drop.len();
                let help = format!(
                    "{dead} features do not vary within any query and {dropped} are dropped"
                );
                (help.into(), "; lower ")
            }
        };
        let help = if k.is_some() { help.then(alternative).then(Setting::K) } else { help };
        Err(Error::constraint(what, help))
    }

    pub(super) fn sign(
        &mut self,
        method: &str,
        params: &Params,
        run: &Run,
        features: &FeatureTable,
    ) {
        self.method = method.to_owned();
        self.parameters =
            params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.seed = run.seed;
        if let Some(model) = &mut self.model {
            model.trained = Some(Training {
                ranker: self.method.clone(),
                params: self.parameters.clone(),
                seed: run.seed,
                data: Some(self.data.fingerprint.clone()),
                first_id: features.iter().map(|(_, feature)| feature.id).min().unwrap_or(1),
                queries: self.data.queries as usize,
                documents: self.data.documents as usize,
            });
        }
    }

    /// The chosen features as columns of a table, in its order, so that a trained ranker depends on
    /// the set only: trees take the first of equally good splits. Fails if the table lacks one of
    /// them.
    pub fn columns(&self, features: &FeatureTable) -> Result<Vec<FeatureId>> {
        let find = |chosen: &Chosen| match &chosen.name {
            Some(name) => features.resolve(name),
            None => features.resolve(&chosen.id.to_string()),
        };
        let mut columns: Vec<FeatureId> = self.selected.iter().map(find).collect::<Result<_>>()?;
        columns.sort_unstable();
        Ok(columns)
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Result<String> {
        document::to_json(KIND, VERSION, self)
    }

    /// Writes the document atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        document::save(KIND, VERSION, self, path)
    }

    /// Loads a document.
    pub fn load(path: &Path) -> Result<Self> {
        document::load(KIND, VERSION, path)
    }
}

fn path(run: &Run, features: &FeatureTable, order: &[(FeatureId, f64)]) -> Vec<PathStep> {
    let mut cost = 0.0;
    let steps = order.iter().enumerate().map(|(i, &(f, value))| {
        cost += run.constraints.cost(f);
        PathStep { size: i + 1, feature: features.get(f).id, value, cost }
    });
    steps.collect()
}

impl SetAside {
    fn dead(feature: &Feature) -> Self {
        let Feature { id, name } = feature.clone();
        SetAside { id, name, reason: "constant within every query".into() }
    }
}
