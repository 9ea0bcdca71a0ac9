//! The driver of training, used by the command and by Python.
//!
//! A [`TrainingJob`] holds everything that training needs besides the data: the ranker and its
//! parameters, the features, the normaliser, the measures to report and to tune by, and the file of
//! the model. The driver rejects wrong settings before any data is read ([`TrainingJob::check`])
//! and validation data that shares queries with the training data.

mod report;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::data::{
    Dataset, Feature, FeatureId, FeatureTable, Normaliser, PathRole, PathUse, check_disjoint,
    check_paths,
};
use crate::error::{Error, Result};
use crate::evaluate::check_labels;
use crate::measure::{FittedMeasures, RequestedMeasures, label_frequencies};
use crate::params::{Settings, check_set_once};
use crate::rank::{ImportanceKind, Model, RankerSpec, TrainingPlan, train};
use crate::run::Run;
pub use report::{TrainingReport, TrainingResult};

/// The features that a ranker may use.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum OfferedFeatures {
    /// All features of the data.
    #[default]
    All,
    /// Names, ids, ranges of ids and patterns, separated by commas: `tf,3,10-15,bm25.*`.
    Listed(String),
    /// Those of a selection, see [`Selection::features`](crate::select::Selection::features).
    Selected(Vec<Feature>),
}

impl OfferedFeatures {
    /// The columns of these features; `None` for all.
    fn columns(&self, table: &FeatureTable) -> Result<Option<Vec<FeatureId>>> {
        let mut columns = match self {
            OfferedFeatures::All => return Ok(None),
            OfferedFeatures::Listed(list) => table.resolve_list(list)?,
            OfferedFeatures::Selected(features) => {
                features.iter().map(|feature| table.find(feature)).collect::<Result<_>>()?
            }
        };
        // In the order of the table, so that a trained ranker depends on the set only.
        columns.sort_unstable();
        Ok(Some(columns))
    }
}

/// A model to train.
///
/// ```
/// use featherank::data::folds::train_valid_test;
/// use featherank::data::synth::{Preset, generate};
/// use featherank::registry;
/// use featherank::run::{Constraints, Run};
/// use featherank::training::TrainingJob;
///
/// let (data, _) = generate(&Preset::Tiny.config())?;
/// let parts = train_valid_test(&data, 1)?;
/// let run = Run::new(1, Constraints::default());
/// let job = TrainingJob::new(registry::ranker("rankrls")?, Vec::new(), run)
///     .measures(vec!["ndcg@10".parse()?])
///     .tune(true);
/// job.check()?;
/// let outcome = job.run(parts.train, Some(parts.valid))?;
/// assert!(!outcome.report.trials.is_empty());
/// # Ok::<(), featherank::Error>(())
/// ```
pub struct TrainingJob {
    ranker: &'static RankerSpec,
    parameters: Settings,
    run: Run,
    features: OfferedFeatures,
    normaliser: Normaliser,
    measures: RequestedMeasures,
    tune: bool,
    importance: Option<ImportanceKind>,
    output: Option<PathBuf>,
}

/// The result of a [`TrainingJob`].
#[derive(Debug, Clone)]
pub struct TrainingOutcome {
    /// The model. It accepts data that is not normalised.
    pub model: Model,
    /// Its report.
    pub report: TrainingReport,
    /// Whether the features of a selection were found by id, because the data has no names.
    pub found_by_id: bool,
    /// Seconds that training took, without reading.
    pub seconds: f64,
}

impl TrainingJob {
    /// A job that trains on all features as they are, without tuning and without measures to
    /// report.
    pub fn new(ranker: &'static RankerSpec, parameters: Settings, run: Run) -> Self {
        TrainingJob {
            ranker,
            parameters,
            run,
            features: OfferedFeatures::All,
            normaliser: Normaliser::None,
            measures: Vec::new().into(),
            tune: false,
            importance: None,
            output: None,
        }
    }

    /// Sets the features that the ranker may use.
    #[must_use]
    pub fn features(self, features: OfferedFeatures) -> Self {
        TrainingJob { features, ..self }
    }

    /// Sets how features are normalised before training.
    #[must_use]
    pub fn normaliser(self, normaliser: Normaliser) -> Self {
        TrainingJob { normaliser, ..self }
    }

    /// Sets the measures to report. Tuning and importance by permutation use the first. Defaults of
    /// a front end follow the labels of the training data, see [`RequestedMeasures::for_labels`].
    #[must_use]
    pub fn measures(self, measures: impl Into<RequestedMeasures>) -> Self {
        TrainingJob { measures: measures.into(), ..self }
    }

    /// Sets whether to tune the parameters that are not set on validation data.
    #[must_use]
    pub fn tune(self, tune: bool) -> Self {
        TrainingJob { tune, ..self }
    }

    /// Sets the importance of features to report.
    #[must_use]
    pub fn importance(self, importance: Option<ImportanceKind>) -> Self {
        TrainingJob { importance, ..self }
    }

    /// Sets the file for the model.
    #[must_use]
    pub fn output(self, output: Option<PathBuf>) -> Self {
        TrainingJob { output, ..self }
    }

    /// Limits the time from now on; training is stopped with
    /// [`Stop::TimeLimit`](crate::Stop::TimeLimit).
    #[must_use]
    pub fn time_limit(self, limit: Option<Duration>) -> Self {
        TrainingJob { run: self.run.stopped_after(limit), ..self }
    }

    /// Rejects what can be rejected before data is read: parameters that are wrong or set twice,
    /// a file that cannot be written, and tuning or permutation without a measure.
    pub fn check(&self) -> Result<()> {
        check_set_once(&self.parameters)?;
        self.ranker.with(&self.parameters)?;
        let needs_measure = self.tune || self.importance == Some(ImportanceKind::Permutation);
        if needs_measure && self.measures.measures.is_empty() {
            return Err(Error::invalid("number of measures", 0, "at least 1"));
        }
        let output = self.output.iter();
        let output = output.map(|path| PathUse::new("the model", path, PathRole::Output));
        check_paths(&output.collect::<Vec<_>>())
    }

    /// Trains, writes the model and reports. Both parts must have the same features.
    pub fn run(&self, mut train_data: Dataset, valid: Option<Dataset>) -> Result<TrainingOutcome> {
        self.check()?;
        let mut valid = valid;
        let overlap = match &valid {
            Some(valid) => check_disjoint(&train_data, valid)?.notes("training", "validation"),
            None => Vec::new(),
        };
        let FittedMeasures { measures, note } =
            self.measures.for_labels(&label_frequencies(&train_data.view()))?;
        let mut parts = std::iter::once(&train_data).chain(&valid);
        parts.try_for_each(|part| check_labels(&measures, part))?;
        let table = train_data.features();
        let found_by_id = match &self.features {
            OfferedFeatures::Selected(features) => table.finds_by_id(features),
            OfferedFeatures::All | OfferedFeatures::Listed(_) => false,
        };
        let plan = TrainingPlan {
            ranker: self.ranker,
            params: &self.parameters,
            features: self.features.columns(table)?,
            normaliser: self.normaliser,
            tune: measures.first().filter(|_| self.tune).cloned(),
        };
        let start = Instant::now();
        let mut trained = train(&plan, &self.run, &mut train_data, valid.as_mut())?;
        if let OfferedFeatures::Selected(features) = &self.features
            && found_by_id
        {
            trained.model.take_names(features);
        }
        if let Some(path) = &self.output {
            trained.model.save(path)?;
        }
        let parts = (&train_data, valid.as_ref());
        let (run, importance) = (&self.run, self.importance);
        let mut report = TrainingReport::new(&plan, run, &trained, parts, &measures, importance)?;
        report.notes.extend(overlap.into_iter().chain(note));
        let seconds = start.elapsed().as_secs_f64();
        Ok(TrainingOutcome { model: trained.model, report, found_by_id, seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::folds::train_valid_test;
    use crate::data::synth::{Preset, generate};
    use crate::rank::ranker;
    use crate::run::Constraints;

    fn job(name: &str, parameters: &[(&str, &str)]) -> TrainingJob {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let run = Run::new(1, Constraints::default());
        TrainingJob::new(ranker(name).unwrap(), parameters.iter().map(owned).collect(), run)
    }

    fn tiny() -> Dataset {
        generate(&Preset::Tiny.config()).unwrap().0
    }

    #[test]
    fn wrong_settings_are_refused_before_data_is_read() {
        let says = |job: TrainingJob| job.check().unwrap_err().to_string();
        assert!(says(job("mart", &[("trees", "2"), ("trees", "3")])).contains("set twice"));
        assert!(says(job("mart", &[("trees", "-2")])).contains("trees"));
        assert!(says(job("rankrls", &[]).tune(true)).contains("number of measures"));
        let permutation = Some(ImportanceKind::Permutation);
        assert!(says(job("mart", &[]).importance(permutation)).contains("number of measures"));
        let missing = Some(PathBuf::from("no/such/folder/m.json"));
        assert!(job("mart", &[]).output(missing).check().is_err());
    }

    #[test]
    fn training_queries_are_refused_as_validation_queries() {
        let error = job("rankrls", &[]).run(tiny(), Some(tiny())).unwrap_err().to_string();
        assert!(error.contains("are also training queries"), "{error}");
    }

    #[test]
    fn only_offered_features_are_used_and_the_model_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        let parts = train_valid_test(&tiny(), 1).unwrap();
        let job = job("rankrls", &[])
            .features(OfferedFeatures::Listed("3,1".into()))
            .measures(vec!["map".parse().unwrap()])
            .output(Some(path.clone()));
        let outcome = job.run(parts.train, Some(parts.valid)).unwrap();
        assert_eq!(outcome.model, Model::load(&path).unwrap());
        assert_eq!((outcome.report.offered, outcome.report.results.len()), (2, 4));
        assert!(outcome.report.features.iter().all(|feature| [1, 3].contains(&feature.id)));
    }

    #[test]
    fn importances_have_the_names_of_the_selection() {
        let named = |id: u32| Feature { id, name: Some(format!("f{id}")) };
        for kind in [ImportanceKind::Gain, ImportanceKind::Permutation] {
            let job = job("regression-tree", &[])
                .features(OfferedFeatures::Selected((1..=20).map(named).collect()))
                .measures(vec!["map".parse().unwrap()])
                .importance(Some(kind));
            let report = job.run(tiny(), None).unwrap().report;
            assert!(!report.importance.is_empty());
            for entry in &report.importance {
                assert_eq!(entry.feature, named(entry.feature.id));
            }
        }
    }

    #[test]
    fn features_of_a_selection_may_be_found_by_id() {
        let feature = |name: Option<&str>| Feature { id: 2, name: name.map(str::to_owned) };
        for (name, by_id) in [(Some("bm25"), true), (None, false)] {
            let selected = OfferedFeatures::Selected(vec![feature(name)]);
            let outcome = job("rankrls", &[]).features(selected).run(tiny(), None).unwrap();
            assert_eq!((outcome.found_by_id, outcome.report.offered), (by_id, 1));
            // The model keeps the names of the selection, and scores data without names by id.
            assert_eq!(outcome.report.features, [feature(name)]);
            assert_eq!(outcome.model.features(), [&feature(name)]);
            assert!(outcome.model.score(&tiny().view()).is_ok());
        }
    }
}
