//! The result of a selection: a versioned document of the chosen features, the data, the method and
//! the reasons.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::{DataSources, Feature, FeatureId, FeatureTable};
use crate::document;
use crate::engine::Schema;
use crate::engine::passes::{FeatureMoments, FeatureStatistics};
use crate::error::Result;
use crate::params::Params;
use crate::rank::{Model, Training};
use crate::run::Run;
use crate::select::auto::Advice;
use crate::select::{Findings, RecordedConstraints, Searched, SelectionVerdict, SelectorSpec};

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
    /// The greatest total cost that was allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// The other constraints.
    #[serde(default, skip_serializing_if = "RecordedConstraints::is_empty")]
    pub constraints: RecordedConstraints,
    /// The files of the data, if the front end knows them.
    #[serde(default, skip_serializing_if = "DataSources::is_empty")]
    pub sources: DataSources,
    /// The chosen features, best first.
    pub selected: Vec<ChosenFeature>,
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
    pub fits: Vec<FittedModel>,
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
    /// Whether the run was stopped before the method finished: the result is the best so far.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

/// A model that a method fitted along its path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedModel {
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
pub struct ChosenFeature {
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
    pub reason: Exclusion,
}

/// Why a feature was excluded before any method ran. Documents hold its text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Exclusion {
    /// It has one value everywhere.
    Constant,
    /// It has one value within every query: only trees can use it.
    ConstantWithinQueries,
    /// It has the same values as the feature with this name or id.
    EqualTo(String),
}

impl Exclusion {
    const EQUAL: &str = "equal to feature ";

    /// The reason for excluding this many features.
    pub fn of(&self, features: usize) -> String {
        let them = if features == 1 { "it" } else { "them" };
        match self {
            Exclusion::Constant => "constant".into(),
            Exclusion::ConstantWithinQueries => {
                format!("constant within queries: only trees can use {them}")
            }
            Exclusion::EqualTo(other) => format!("{}{other}", Self::EQUAL),
        }
    }
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of(1))
    }
}

impl From<Exclusion> for String {
    fn from(reason: Exclusion) -> Self {
        reason.to_string()
    }
}

impl TryFrom<String> for Exclusion {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        let known = [Exclusion::Constant, Exclusion::ConstantWithinQueries];
        if let Some(known) = known.into_iter().find(|reason| reason.of(1) == text) {
            return Ok(known);
        }
        match text.strip_prefix(Self::EQUAL) {
            Some(other) => Ok(Exclusion::EqualTo(other.to_owned())),
            None => Err(format!("unknown reason to exclude a feature: {text}")),
        }
    }
}

pub(super) const KIND: &str = "selection";
/// Version 2: boolean parameters are written as true or false. Version 3: with a checksum.
const VERSION: u32 = 3;

impl Selection {
    /// The document of what a method found in the data of `schema`.
    pub(super) fn new(
        spec: &SelectorSpec,
        params: &Params,
        run: &Run,
        schema: &Schema,
        statistics: &FeatureStatistics,
        found: Findings,
    ) -> Self {
        let table = &schema.features;
        let data = DataSummary::of(schema);
        let parameters = params.to_map();
        let trained = || Training {
            ranker: spec.name.to_owned(),
            params: parameters.clone(),
            seed: run.seed,
            data: Some(data.fingerprint.clone()),
            first_id: table.iter().map(|(_, feature)| feature.id).min().unwrap_or(1),
            queries: schema.queries(),
            documents: schema.documents() as usize,
        };
        let model = found.model.map(|model| Model { trained: Some(trained()), ..model });
        let chosen = |(f, score): (FeatureId, f64)| {
            let Feature { id, name } = table.get(f).clone();
            ChosenFeature { id, name, score, cost: run.constraints.cost(f) }
        };
        let set_aside = found
            .set_aside
            .iter()
            .map(|&f| SetAside::new(table.get(f), &statistics.features[f.index()]));
        let duplicates = found.duplicates.iter().map(|&(f, other)| {
            let Feature { id, name } = table.get(f).clone();
            SetAside { id, name, reason: Exclusion::EqualTo(table.label(other)) }
        });
        Selection {
            method: spec.name.to_owned(),
            seed: run.seed,
            budget: run.constraints.budget,
            constraints: RecordedConstraints::of(&run.constraints, table),
            sources: run.sources.clone(),
            selected: found.selected.into_iter().map(chosen).collect(),
            path: path(run, table, &found.path),
            set_aside: set_aside.chain(duplicates).collect(),
            model,
            fits: found.fits,
            certificate: found.certificate,
            searched: found.searched,
            advice: found.advice,
            notes: found.notes,
            unfinished: found.unfinished,
            parameters,
            data,
        }
    }

    /// The chosen features as columns of a table, in its order, so that a trained ranker depends on
    /// the set only: trees take the first of equally good splits. Fails if the table lacks one of
    /// them.
    pub fn columns(&self, features: &FeatureTable) -> Result<Vec<FeatureId>> {
        let chosen = self.features();
        let found = chosen.iter().map(|feature| features.find(feature));
        let mut columns: Vec<FeatureId> = found.collect::<Result<_>>()?;
        columns.sort_unstable();
        Ok(columns)
    }

    /// The chosen features, best first.
    pub fn features(&self) -> Vec<Feature> {
        let feature = |chosen: &ChosenFeature| Feature { id: chosen.id, name: chosen.name.clone() };
        self.selected.iter().map(feature).collect()
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Result<String> {
        document::to_json(KIND, VERSION, &self.with_verdict())
    }

    /// Writes the document atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        document::save(KIND, VERSION, &self.with_verdict(), path)
    }

    fn with_verdict(&self) -> WithVerdict<'_> {
        WithVerdict { verdict: self.verdict(), selection: self }
    }

    /// Loads a document.
    pub fn load(path: &Path) -> Result<Self> {
        document::load(KIND, VERSION, path)
    }
}

/// A selection as it is written. Its verdict is derived, and ignored when the document is read.
#[derive(Serialize)]
struct WithVerdict<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<SelectionVerdict>,
    #[serde(flatten)]
    selection: &'a Selection,
}

fn path(run: &Run, features: &FeatureTable, order: &[(FeatureId, f64)]) -> Vec<PathStep> {
    let mut cost = 0.0;
    let steps = order.iter().enumerate().map(|(i, &(f, value))| {
        cost += run.constraints.cost(f);
        PathStep { size: i + 1, feature: features.get(f).id, value, cost }
    });
    steps.collect()
}

impl DataSummary {
    fn of(schema: &Schema) -> Self {
        DataSummary {
            queries: schema.queries() as u64,
            documents: schema.documents(),
            features: schema.features.len() as u64,
            fingerprint: schema.fingerprint.clone(),
        }
    }
}

impl SetAside {
    /// Whether the feature was excluded because it equals another one.
    pub fn is_duplicate(&self) -> bool {
        matches!(self.reason, Exclusion::EqualTo(_))
    }

    fn new(feature: &Feature, moments: &FeatureMoments) -> Self {
        let Feature { id, name } = feature.clone();
        let reason = match moments.is_constant() {
            true => Exclusion::Constant,
            false => Exclusion::ConstantWithinQueries,
        };
        SetAside { id, name, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read_from_their_text() {
        let reasons = [
            Exclusion::Constant,
            Exclusion::ConstantWithinQueries,
            Exclusion::EqualTo("tf".into()),
        ];
        for reason in reasons {
            let text = serde_json::to_string(&reason).unwrap();
            assert_eq!(serde_json::from_str::<Exclusion>(&text).unwrap(), reason, "{text}");
        }
        assert!(serde_json::from_str::<Exclusion>("\"rare\"").is_err());
        let several = Exclusion::ConstantWithinQueries.of(2);
        assert_eq!(several, "constant within queries: only trees can use them");
    }
}
