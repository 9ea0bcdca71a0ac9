//! `featherank train`: train a ranker.

use std::path::PathBuf;

use featherank::Result;
use featherank::data::Normaliser;
use featherank::internals::text::{counted, wrapped};
use featherank::measure::Measure;
use featherank::rank::tune::{Trial, TrialOutcome};
use featherank::rank::{FeatureImportance, ImportanceKind};
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::training::{OfferedFeatures, TrainingJob, TrainingReport, TrainingResult};

use crate::arguments::{Measuring, Reading, note_found_by_id, parse_setting};
use crate::errors::CommandResult;
use crate::output::{Output, table};
use crate::progress::Progress;
use crate::style::{DIM, STRONG, styled};

#[derive(clap::Args)]
pub struct TrainArgs {
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
    /// Use only these features: names, ids, ranges of ids and patterns (tf,3,10-15,20-,bm25.*)
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
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
    importance: Option<ImportanceArg>,
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
enum ImportanceArg {
    /// Total gain of the splits on the feature (tree models)
    Gain,
    /// Number of splits on the feature (tree models)
    Count,
    /// Loss of the measure when the feature is shuffled within queries
    Permutation,
}

impl From<ImportanceArg> for ImportanceKind {
    fn from(kind: ImportanceArg) -> Self {
        match kind {
            ImportanceArg::Gain => ImportanceKind::Gain,
            ImportanceArg::Count => ImportanceKind::Count,
            ImportanceArg::Permutation => ImportanceKind::Permutation,
        }
    }
}

impl TrainArgs {
    /// The features to use.
    fn offered(&self) -> Result<OfferedFeatures> {
        Ok(match (&self.selection, &self.features) {
            (Some(path), _) => OfferedFeatures::Selected(Selection::load(path)?.features()),
            (_, Some(list)) => OfferedFeatures::Listed(list.clone()),
            _ => OfferedFeatures::All,
        })
    }
}

pub fn run(args: &TrainArgs, output: &Output) -> CommandResult {
    let run =
        Run { observer: Progress::start(output), ..Run::new(args.seed, Constraints::default()) };
    let job = TrainingJob::new(registry::ranker(&args.ranker)?, args.params.clone(), run)
        .features(args.offered()?)
        .normaliser(args.normalise)
        .measures(args.measuring.requested()?)
        .tune(args.tune)
        .importance(args.importance.map(ImportanceKind::from))
        .output(args.output.clone());
    job.check()?;
    let data = args.reading.read(&args.train, output)?;
    let valid = match args.valid.is_empty() {
        true => None,
        false => Some(args.reading.read_like(&args.valid, &data, &args.train, output)?),
    };
    let outcome = job.run(data, valid)?;
    if outcome.found_by_id {
        note_found_by_id(output);
    }
    let report = outcome.report;
    if output.json() {
        return output.print_json(&report);
    }
    output.print(summary(&report, output.width()))?;
    report.notes.iter().for_each(|note| output.note(format!("note: {note}")));
    output.note(format!("\nseed {}, {:.2} s", args.seed, outcome.seconds));
    match &args.output {
        Some(path) => output.note_written(path),
        None => output.note("the model was not saved; use -o FILE to save it"),
    }
    Ok(())
}

/// Formats the report as text.
fn summary(report: &TrainingReport, width: usize) -> String {
    let params: Vec<String> =
        report.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let used = report.features.len();
    let names: Vec<String> = report.measures.iter().map(Measure::to_string).collect();
    let header: Vec<&str> =
        ["ranking", "data"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let cells = |row: &TrainingResult| {
        let start = [row.ranking.clone(), row.data.to_owned()];
        start.into_iter().chain(row.values.iter().map(|value| format!("{value:.4}"))).collect()
    };
    let mut text = format!(
        "{}\n\n{}",
        styled(
            STRONG,
            &format!("{} uses {used} of {}", report.ranker, counted(report.offered, "feature"))
        ),
        table(&header, &report.results.iter().map(cells).collect::<Vec<_>>(), width)
    );
    if !report.trials.is_empty() {
        let rows: Vec<Vec<String>> = report.trials.iter().map(trial_cells).collect();
        text += &format!(
            "\n\ntuning on validation data\n{}",
            table(&["parameters", &names[0]], &rows, width)
        );
    }
    if !report.importance.is_empty() {
        let row = |entry: &FeatureImportance| {
            vec![entry.feature.label(), format!("{:.4}", entry.importance)]
        };
        let rows: Vec<Vec<String>> = report.importance.iter().map(row).collect();
        text += &format!("\n\n{}", table(&["feature", "importance"], &rows, width));
    }
    if !params.is_empty() {
        let parameters = wrapped(&format!("parameters: {}", params.join(", ")), width, 2);
        text += &format!("\n\n{}", styled(DIM, &parameters));
    }
    text
}

fn trial_cells(trial: &Trial) -> Vec<String> {
    let settings: Vec<String> =
        trial.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let outcome = match &trial.outcome {
        TrialOutcome::Value(value) => format!("{value:.4}"),
        TrialOutcome::Constant(value) => format!("{value:.4}, constant score"),
        TrialOutcome::Failed(why) => why.lines().next().unwrap_or_default().to_owned(),
    };
    vec![settings.join(" "), outcome]
}
