//! `featherank train`: train a ranker.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use featherank::data::{Dataset, Feature, FeatureId, FeatureTable, Normaliser, check_target};
use featherank::evaluate::Ranking;
use featherank::measure::{Measure, Ties};
use featherank::rank::tree::Importance;
use featherank::rank::tune::{Outcome, Trial};
use featherank::rank::{
    Model, PermutationImportance, Scorer, TrainingPlan, permutation_importance, train,
};
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Result};
use serde::Serialize;

use crate::arguments::{Measuring, Reading, parse_setting};
use crate::output::{Output, table};
use crate::progress::Progress;

#[derive(clap::Args)]
pub struct Args {
    /// Training data; several files form one data set, `-` reads standard input
    #[arg(required = true, value_name = "TRAIN")]
    train: Vec<PathBuf>,
    /// Validation data for early stopping and tuning; repeatable
    #[arg(long, value_name = "FILE")]
    valid: Vec<PathBuf>,
    /// Ranker; see `featherank methods`
    #[arg(long, value_name = "NAME")]
    ranker: String,
    /// Parameter of the ranker; repeatable
    #[arg(short, long = "param", value_name = "KEY=VALUE", value_parser = parse_setting)]
    params: Vec<(String, String)>,
    /// Use only the features of the selection in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "features")]
    selection: Option<PathBuf>,
    /// Use only these features: names, ids and ranges of ids (bm25,3,10-15)
    #[arg(long, value_name = "LIST")]
    features: Option<String>,
    /// Normalisation, stored in the model: none, query-minmax, query-zscore or zscore
    #[arg(long, value_name = "HOW", default_value = "none")]
    normalise: Normaliser,
    /// Tune the parameters not set with -p on validation data, by the first measure, over the
    /// values listed by `featherank methods NAME`
    #[arg(long, requires = "valid")]
    tune: bool,
    /// Report feature importance; permutation uses the first measure on the validation data, or on
    /// the training data if there is none
    #[arg(long, value_enum, value_name = "HOW")]
    importance: Option<ImportanceKind>,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the model to FILE as JSON
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    reading: Reading,
}

/// How importance is measured.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum ImportanceKind {
    /// Total gain of the splits on the feature (tree models)
    Gain,
    /// Number of splits on the feature (tree models)
    Count,
    /// Loss of the measure when the feature is shuffled within queries
    Permutation,
}

impl Args {
    /// The features to use, in column order; `None` for all.
    fn columns(&self, table: &FeatureTable) -> Result<Option<Vec<FeatureId>>> {
        let mut columns = match (&self.selection, &self.features) {
            (Some(path), _) => Selection::load(path)?.columns(table)?,
            (_, Some(list)) => table.resolve_list(list)?,
            _ => return Ok(None),
        };
        columns.sort_unstable();
        Ok(Some(columns))
    }
}

/// The output of the command.
#[derive(Serialize)]
struct Report {
    ranker: &'static str,
    params: BTreeMap<String, String>,
    seed: u64,
    normalise: Normaliser,
    features: Vec<Feature>,
    measures: Vec<Measure>,
    results: Vec<MeasureRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trials: Vec<Trial>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    importance: Vec<FeatureImportance>,
}

/// The importance of a feature.
#[derive(Serialize)]
struct FeatureImportance {
    #[serde(flatten)]
    feature: Feature,
    importance: f64,
}

/// The measures of one ranking on one part of the data.
#[derive(Serialize)]
struct MeasureRow {
    ranking: String,
    data: &'static str,
    values: Vec<f64>,
}

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let ranker = registry::ranker(&args.ranker)?;
    let measures = args.measuring.measures()?;
    args.output.as_deref().map_or(Ok(()), check_target)?;
    let mut data = args.reading.read(&args.train, output)?;
    let mut valid = match args.valid.is_empty() {
        true => None,
        false => Some(args.reading.read_like(&args.valid, &data, &args.train, output)?),
    };
    for data in std::iter::once(&data).chain(&valid) {
        let largest = data.labels().iter().copied().fold(0.0, f32::max);
        measures.iter().try_for_each(|measure| measure.check_labels(largest))?;
    }
    let features = args.columns(data.features())?;
    let offered = features.as_ref().map_or(data.features().len(), Vec::len);
    // Tune with expected-value ties, so that the order of the file has no influence.
    let tune = args.tune.then(|| measures[0].clone().with_ties(Ties::Expected));
    let plan =
        TrainingPlan { ranker, params: &args.params, features, normaliser: args.normalise, tune };
    let run =
        Run { observer: Progress::start(output), ..Run::new(args.seed, Constraints::default()) };
    let start = Instant::now();
    let trained = train(&plan, &run, &mut data, valid.as_mut())?;
    if let Some(path) = &args.output {
        trained.model.save(path)?;
    }
    let mut importance = match args.importance {
        Some(kind) => {
            importances(kind, &run, &trained.model, valid.as_ref().unwrap_or(&data), &measures[0])?
        }
        None => Vec::new(),
    };
    importance.sort_by(|a, b| b.importance.total_cmp(&a.importance));
    let mut results = rows("training", trained.train_scores, &data, &measures);
    if let (Some(scores), Some(data)) = (trained.valid_scores, &valid) {
        results.extend(rows("validation", scores, data, &measures));
    }
    let report = Report {
        ranker: ranker.name,
        params: trained
            .model
            .trained
            .as_ref()
            .map(|trained| trained.params.clone())
            .unwrap_or_default(),
        seed: args.seed,
        normalise: args.normalise,
        features: trained.model.features().into_iter().cloned().collect(),
        measures,
        results,
        trials: trained.trials,
        importance,
    };
    if output.json() {
        return output.print_json(&report);
    }
    output.print(summary(&report, offered))?;
    output.note(format!("\nseed {}, {:.2} s", args.seed, start.elapsed().as_secs_f64()));
    output.note(match &args.output {
        Some(path) => format!("wrote {}", path.display()),
        None => "the model was not saved; use -o FILE to save it".into(),
    });
    Ok(())
}

/// The importance of each feature, in the order of the model.
fn importances(
    kind: ImportanceKind,
    run: &Run,
    model: &Model,
    data: &Dataset,
    measure: &Measure,
) -> Result<Vec<FeatureImportance>> {
    const SHUFFLES: usize = 10;
    let splits = match kind {
        ImportanceKind::Gain => Importance::Gain,
        ImportanceKind::Count => Importance::Count,
        ImportanceKind::Permutation => {
            // The data is already normalised by training.
            let model = Model { scaler: None, ..model.clone() };
            let falls = permutation_importance(run, &model, &data.view(), measure, SHUFFLES)?;
            let entry = |fall: PermutationImportance| FeatureImportance {
                feature: fall.feature,
                importance: fall.fall,
            };
            return Ok(falls.into_iter().map(entry).collect());
        }
    };
    let Scorer::Trees(trees) = &model.scorer else {
        return Err(Error::unsupported(
            "importance by splits needs a tree model",
            "pass --importance permutation",
        ));
    };
    let entries = trees.features().iter().cloned().zip(trees.importance(splits));
    Ok(entries.map(|(feature, importance)| FeatureImportance { feature, importance }).collect())
}

/// The measures of the model and of the constant score on one part of the data.
fn rows(
    part: &'static str,
    scores: Vec<f32>,
    data: &Dataset,
    measures: &[Measure],
) -> Vec<MeasureRow> {
    let rankings = [Ranking { name: "model".into(), scores }, Ranking::constant(data)];
    let value =
        |m: &Measure, ranking: &Ranking| m.summary(&m.per_query(&ranking.scores, &data.view()));
    let row = |ranking: Ranking| {
        let values = measures.iter().map(|m| value(m, &ranking)).collect();
        MeasureRow { ranking: ranking.name, data: part, values }
    };
    rankings.into_iter().map(row).collect()
}

/// Formats the report as text.
fn summary(report: &Report, offered: usize) -> String {
    let params: Vec<String> =
        report.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let used = report.features.len();
    let names: Vec<String> = report.measures.iter().map(Measure::to_string).collect();
    let header: Vec<&str> =
        ["ranking", "data"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let cells = |row: &MeasureRow| {
        let start = [row.ranking.clone(), row.data.to_owned()];
        start.into_iter().chain(row.values.iter().map(|value| format!("{value:.4}"))).collect()
    };
    let mut text = format!(
        "{} uses {used} of {offered} features ({})\n{}",
        report.ranker,
        params.join(", "),
        table(&header, &report.results.iter().map(cells).collect::<Vec<_>>())
    );
    if !report.trials.is_empty() {
        let rows: Vec<Vec<String>> = report.trials.iter().map(trial_cells).collect();
        text +=
            &format!("\ntuning on validation data\n{}", table(&["parameters", &names[0]], &rows));
    }
    if !report.importance.is_empty() {
        let row = |entry: &FeatureImportance| {
            vec![entry.feature.label(), format!("{:.4}", entry.importance)]
        };
        let rows: Vec<Vec<String>> = report.importance.iter().map(row).collect();
        text += &format!("\n{}", table(&["feature", "importance"], &rows));
    }
    text
}

fn trial_cells(trial: &Trial) -> Vec<String> {
    let settings: Vec<String> =
        trial.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let outcome = match &trial.outcome {
        Outcome::Value(value) => format!("{value:.4}"),
        Outcome::Constant(value) => format!("{value:.4}, constant score"),
        Outcome::Failed(why) => why.lines().next().unwrap_or_default().to_owned(),
    };
    vec![settings.join(" "), outcome]
}
