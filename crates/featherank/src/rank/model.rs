//! A trained model: its scoring function and the scaling of its features.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{LinearModel, Training, TreeEnsemble};
use crate::data::{Feature, FeatureId, FeatureTable, Normaliser, Scaler, View};
use crate::document;
use crate::error::{Error, Result};
use crate::remedy;
use crate::stop::StopToken;

/// A trained model, as it is saved and loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedModel")]
pub struct Model {
    /// Provenance of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained: Option<Training>,
    /// The scaling to apply to the model's features, in their order, before scoring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaler: Option<Scaler>,
    /// The scoring function.
    #[serde(flatten)]
    pub scorer: Scorer,
}

/// The model as stored in a file, before validation.
#[derive(Deserialize)]
struct SavedModel {
    #[serde(default)]
    trained: Option<Training>,
    #[serde(default)]
    scaler: Option<Scaler>,
    #[serde(flatten)]
    scorer: Scorer,
}

impl TryFrom<SavedModel> for Model {
    type Error = String;
    fn try_from(SavedModel { trained, scaler, scorer }: SavedModel) -> Result<Self, String> {
        let model = Model { trained, scaler, scorer };
        let mut seen = HashSet::new();
        if let Some(twice) = model.features().into_iter().find(|f| !seen.insert(f.label())) {
            return Err(format!("it lists feature {} twice", twice.label()));
        }
        let features = model.features().len();
        match &model.scaler {
            Some(scaler) if !scaler.fits(features) => {
                Err(format!("its scaler does not fit {features} features"))
            }
            _ => Ok(model),
        }
    }
}

/// The scoring function of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scorer {
    /// A weighted sum of features.
    Linear(LinearModel),
    /// A sum of trees.
    Trees(TreeEnsemble),
}

const KIND: &str = "model";
/// Version 2: boolean parameters are written as `true` and `false`. Version 3: with a checksum.
const VERSION: u32 = 3;

impl Model {
    /// The number of trees; 0 for linear models.
    pub fn trees(&self) -> usize {
        match &self.scorer {
            Scorer::Trees(trees) => trees.trees().len(),
            Scorer::Linear(_) => 0,
        }
    }

    /// Scores of a view's documents, in the view's order, all finite. Fails if the data lacks one
    /// of the model's features or has missing values that the model does not support.
    pub fn score(&self, view: &View<'_>) -> Result<Vec<f32>> {
        self.score_until(view, &StopToken::default())
    }

    /// Like [`Self::score`]; an error if the token is stopped.
    pub fn score_until(&self, view: &View<'_>, stop: &StopToken) -> Result<Vec<f32>> {
        let columns = self.columns(view.data().features())?;
        let has_missing = |f: FeatureId| {
            let column = view.data().column(f);
            view.rows().any(|rows| column[rows].iter().any(|x| x.is_nan()))
        };
        self.check_missing(view.data().features(), &columns, has_missing)?;
        let scores = self.unchecked_scores(view, &columns, stop)?;
        match scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err(Model::beyond_numbers()),
        }
    }

    /// Scores of a view's documents, without checks; `columns` are the model's features in the
    /// view.
    pub(crate) fn unchecked_scores(
        &self,
        view: &View<'_>,
        columns: &[FeatureId],
        stop: &StopToken,
    ) -> Result<Vec<f32>> {
        match &self.scaler {
            None => self.scorer.score(view, columns, stop),
            Some(scaler) => {
                let mut scaled = view.copy(columns);
                scaler.apply(&mut scaled);
                let columns: Vec<FeatureId> = (0..columns.len()).map(FeatureId::from).collect();
                self.scorer.score(&scaled.view(), &columns, stop)
            }
        }
    }

    /// The error for scores that are not finite.
    pub(crate) fn beyond_numbers() -> Error {
        Error::numerical(
            "the scores of the model on this data exceed the largest 32-bit number",
            "check the data for very large values, or train on normalised features",
        )
    }

    /// Rejects missing values for models that cannot score them.
    pub(crate) fn check_missing(
        &self,
        table: &FeatureTable,
        columns: &[FeatureId],
        has_missing: impl Fn(FeatureId) -> bool,
    ) -> Result<()> {
        if matches!(self.scorer, Scorer::Trees(_)) {
            return Ok(());
        }
        match columns.iter().find(|f| has_missing(**f)) {
            None => Ok(()),
            Some(&f) => Err(Error::unsupported(
                format!(
                    "a linear model cannot score missing values, and feature {} has some",
                    table.label(f)
                ),
                remedy!["use a tree model; to read missing values as 0, ", MissingAsZero.set()],
            )),
        }
    }

    /// The same model for data that is not yet scaled: includes the scaling parameters fitted to
    /// its features in `table`.
    #[must_use]
    pub(super) fn with_scaler(self, scaler: &Scaler, columns: &[FeatureId]) -> Self {
        let scaler = Some(scaler).filter(|scaler| scaler.normaliser() != Normaliser::None);
        Model { scaler: scaler.map(|scaler| scaler.restricted(columns)), ..self }
    }

    /// The features the model needs, with their external ids and names.
    pub fn features(&self) -> Vec<&Feature> {
        match &self.scorer {
            Scorer::Linear(model) => model.features().collect(),
            Scorer::Trees(model) => model.features().iter().collect(),
        }
    }

    /// Gives each feature without a name the name of the known feature with the same id.
    pub(crate) fn take_names(&mut self, known: &[Feature]) {
        let names: HashMap<u32, &String> =
            known.iter().filter_map(|f| Some((f.id, f.name.as_ref()?))).collect();
        let features: Vec<&mut Feature> = match &mut self.scorer {
            Scorer::Linear(model) => model.features_mut().collect(),
            Scorer::Trees(model) => model.features_mut().iter_mut().collect(),
        };
        for feature in features.into_iter().filter(|feature| feature.name.is_none()) {
            feature.name = names.get(&feature.id).copied().cloned();
        }
    }

    /// A model that needs these features and scores all documents alike, for exports of a list of
    /// features.
    pub(crate) fn of_features(features: Vec<Feature>) -> Self {
        let table = FeatureTable::from_features(features);
        let weights: Vec<_> = table.iter().map(|(id, _)| (id, 0.0)).collect();
        LinearModel::new(&table, &weights).into()
    }

    /// The features the model needs, as columns of a table.
    pub fn columns(&self, table: &FeatureTable) -> Result<Vec<FeatureId>> {
        self.features().into_iter().map(|feature| table.find(feature)).collect()
    }

    /// The model as a JSON document.
    pub fn to_json(&self) -> Result<String> {
        document::to_json(KIND, VERSION, self)
    }

    /// Parses a model from a JSON document.
    pub fn from_json(text: &str) -> Result<Self> {
        document::parse(KIND, VERSION, text, Path::new("the text of a model"))
    }

    /// Writes the model, atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        document::save(KIND, VERSION, self, path)
    }

    /// Loads a model.
    pub fn load(path: &Path) -> Result<Self> {
        document::load(KIND, VERSION, path)
    }
}

impl Scorer {
    fn score(&self, view: &View<'_>, columns: &[FeatureId], stop: &StopToken) -> Result<Vec<f32>> {
        match self {
            Scorer::Linear(model) => Ok(model.score(view, columns)),
            Scorer::Trees(model) => model.score(view, columns, stop),
        }
    }
}

/// A model embedded in another document, with its own kind and version.
pub(crate) mod embedded_model {
    use serde::{Deserializer, Serializer};

    use super::{KIND, Model, VERSION};
    use crate::document::inside;

    pub fn serialize<S: Serializer>(model: &Option<Model>, to: S) -> Result<S::Ok, S::Error> {
        inside::serialize(KIND, VERSION, model.as_ref(), to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Model>, D::Error> {
        inside::deserialize(KIND, VERSION, from)
    }
}

impl From<LinearModel> for Model {
    fn from(model: LinearModel) -> Self {
        Model { trained: None, scaler: None, scorer: Scorer::Linear(model) }
    }
}

impl From<TreeEnsemble> for Model {
    fn from(model: TreeEnsemble) -> Self {
        Model { trained: None, scaler: None, scorer: Scorer::Trees(model) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Queries};
    use crate::rank::tree::Tree;

    fn features(count: u32) -> Vec<Feature> {
        (1..=count).map(|id| Feature { id, name: None }).collect()
    }

    /// Two splits, three leaves, on z-scores.
    fn model() -> Model {
        let tree = Tree {
            feature: vec![0, 1],
            threshold: vec![0.25, -1.5],
            missing_left: vec![false, true],
            left: vec![1, -1],
            right: vec![-3, -2],
            gain: vec![2.0, 1.0],
            leaf: vec![0.1, -0.2, 0.3],
        };
        let values = vec![1., 2., 3., 5., 5., 8.];
        let queries = Queries::from_sizes(&[3]);
        let data = Dataset::new(values, vec![0.; 3], queries, FeatureTable::numbered(2, 1));
        let trees = Model::from(TreeEnsemble::new(features(2), vec![tree]));
        trees.with_scaler(&Normaliser::Zscore.fit(&data), &[FeatureId(0), FeatureId(1)])
    }

    fn load(text: &str) -> Result<Model> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        std::fs::write(&path, text).unwrap();
        Model::load(&path)
    }

    #[test]
    fn models_survive_a_round_trip() {
        let text = document::to_json(KIND, VERSION, &model()).unwrap();
        assert_eq!(load(&text).unwrap(), model());
    }

    #[test]
    fn truncated_models_are_rejected() {
        let text = document::to_json(KIND, VERSION, &model()).unwrap();
        for end in 0..text.trim_end().len() {
            assert!(matches!(load(&text[..end]), Err(Error::Document { .. })), "{}", &text[..end]);
        }
    }

    #[test]
    fn a_feature_that_is_listed_twice_is_rejected() {
        let text = document::to_json(KIND, VERSION, &model()).unwrap();
        // Edited on purpose: without the checksum.
        let text: Vec<&str> = text.lines().filter(|line| !line.contains("\"checksum\"")).collect();
        let text = text.join("\n");
        let error = load(&text.replace("\"id\": 2", "\"id\": 1")).unwrap_err().to_string();
        assert!(error.contains("lists feature 1 twice"), "{error}");
    }

    /// Replaces every number of the document by each of several unusual ones: the result is
    /// rejected, or scores without a panic.
    #[test]
    fn unusual_numbers_in_a_model_never_panic() {
        let whole = serde_json::to_value(model()).unwrap();
        let mut places = Vec::new();
        find_numbers(&whole, String::new(), &mut places);
        assert_eq!(places.len(), 19);
        let values = vec![1., f32::NAN, 3., 5., 5., f32::MAX];
        let queries = Queries::from_sizes(&[3]);
        let data = Dataset::new(values, vec![0.; 3], queries, FeatureTable::numbered(2, 1));
        let mut refused = 0;
        for place in &places {
            for odd in [
                "-1",
                "0",
                "1",
                "2",
                "99",
                "-2147483648",
                "1e30",
                "1e300",
                "4294967296",
                "null",
                "\"x\"",
                "[]",
            ] {
                let mut damaged = whole.clone();
                *damaged.pointer_mut(place).unwrap() = serde_json::from_str(odd).unwrap();
                match serde_json::from_value::<Model>(damaged) {
                    Err(_) => refused += 1,
                    Ok(model) => drop(model.score(&data.view())),
                }
            }
        }
        assert!(refused > places.len(), "{refused} refused");
    }

    fn find_numbers(value: &serde_json::Value, at: String, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Number(_) => found.push(at),
            serde_json::Value::Array(list) => {
                list.iter()
                    .enumerate()
                    .for_each(|(i, v)| find_numbers(v, format!("{at}/{i}"), found));
            }
            serde_json::Value::Object(map) => {
                map.iter().for_each(|(key, v)| find_numbers(v, format!("{at}/{key}"), found));
            }
            _ => {}
        }
    }

    #[test]
    fn a_scaler_of_other_features_is_rejected() {
        let text = document::to_json(KIND, VERSION, &model()).unwrap();
        let mut whole: serde_json::Value = serde_json::from_str(&text).unwrap();
        whole["scaler"]["scales"].as_array_mut().unwrap().pop();
        assert!(load(&whole.to_string()).unwrap_err().to_string().contains("checksum"));
        whole.as_object_mut().unwrap().remove("checksum");
        assert!(
            load(&whole.to_string()).unwrap_err().to_string().contains("does not fit 2 features")
        );
    }

    #[test]
    fn only_trees_accept_missing_values() {
        let values = vec![1., f32::NAN, 3., 5., 5., 8.];
        let queries = Queries::from_sizes(&[2, 1]);
        let data = Dataset::new(values, vec![0.; 3], queries, FeatureTable::numbered(2, 1));
        assert!(model().score(&data.view()).is_ok());
        let linear = Model::from(LinearModel::new(
            data.features(),
            &[(FeatureId(1), 1.0), (FeatureId(0), 1.0)],
        ));
        let error = linear.score(&data.view()).unwrap_err().to_string();
        assert!(
            error.contains("feature 1 has some") && error.contains("missing = zero"),
            "{error}"
        );
        assert_eq!(linear.score(&data.view().with_queries(vec![1])).unwrap(), [11.0]);
    }

    #[test]
    fn scores_are_finite_or_rejected() {
        let data = Dataset::new(
            vec![f32::MAX],
            vec![0.],
            Queries::from_sizes(&[1]),
            FeatureTable::numbered(1, 1),
        );
        let huge = Model::from(LinearModel::new(data.features(), &[(FeatureId(0), 1e30)]));
        assert!(huge.score(&data.view()).unwrap_err().to_string().contains("32-bit"));
    }
}
