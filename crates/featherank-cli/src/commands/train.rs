//! `featherank train`: learn to score documents.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use featherank::Result;
use featherank::data::{Dataset, Feature, FeatureId, FeatureTable, Normaliser};
use featherank::evaluate::Ranking;
use featherank::measure::Measure;
use featherank::rank::{TrainingPlan, train};
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use serde::Serialize;

use crate::arguments::{Measuring, Reading, parse_setting};
use crate::output::{Output, table};
use crate::progress::Progress;

#[derive(clap::Args)]
pub struct Args {
    /// Training data, as one data set; `-` is standard input
    #[arg(required = true, value_name = "TRAIN")]
    train: Vec<PathBuf>,
    /// Validation data, on which rankers stop early; may be repeated
    #[arg(long, value_name = "FILE")]
    valid: Vec<PathBuf>,
    /// The ranker; see `featherank methods`
    #[arg(long, value_name = "NAME")]
    ranker: String,
    /// A parameter of the ranker; may be repeated
    #[arg(short, long = "param", value_name = "KEY=VALUE", value_parser = parse_setting)]
    params: Vec<(String, String)>,
    /// Use only the features of this saved selection
    #[arg(long, value_name = "FILE", conflicts_with = "features")]
    selection: Option<PathBuf>,
    /// Use only these features: names, ids, ranges of ids (bm25,3,10-15)
    #[arg(long, value_name = "LIST")]
    features: Option<String>,
    /// Normalise first: none, query-minmax, query-zscore or zscore. The model remembers it
    #[arg(long, value_name = "HOW", default_value = "none")]
    normalise: Normaliser,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the model to this JSON file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    reading: Reading,
}

impl Args {
    /// The features that the ranker may use, if not all.
    fn columns(&self, table: &FeatureTable) -> Result<Option<Vec<FeatureId>>> {
        match (&self.selection, &self.features) {
            (Some(path), _) => Selection::load(path)?.columns(table).map(Some),
            (_, Some(list)) => table.resolve_list(list).map(Some),
            _ => Ok(None),
        }
    }
}

/// What the command says about the model.
#[derive(Serialize)]
struct Report {
    ranker: &'static str,
    params: BTreeMap<String, String>,
    seed: u64,
    normalise: Normaliser,
    features: Vec<Feature>,
    measures: Vec<Measure>,
    results: Vec<Row>,
}

/// One ranking of one part of the data.
#[derive(Serialize)]
struct Row {
    ranking: String,
    data: &'static str,
    values: Vec<f64>,
}

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let ranker = registry::ranker(&args.ranker)?;
    let measures = args.measuring.measures()?;
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
    let plan = TrainingPlan { ranker, params: &args.params, features, normaliser: args.normalise };
    let run = Run { observer: Progress::start(output), ..Run::new(args.seed, Constraints::default()) };
    let start = Instant::now();
    let trained = train(&plan, &run, &mut data, valid.as_mut())?;
    if let Some(path) = &args.output {
        trained.model.save(path)?;
    }
    let mut results = rows("training", trained.train_scores, &data, &measures);
    if let (Some(scores), Some(data)) = (trained.valid_scores, &valid) {
        results.extend(rows("validation", scores, data, &measures));
    }
    let report = Report {
        ranker: ranker.name,
        params: trained.model.trained.as_ref().map(|trained| trained.params.clone()).unwrap_or_default(),
        seed: args.seed,
        normalise: args.normalise,
        features: trained.model.features().into_iter().cloned().collect(),
        measures,
        results,
    };
    if output.json() {
        return output.print_json(&report);
    }
    output.print(summary(&report, offered))?;
    output.note(format!("\nseed {}, {:.2} s", args.seed, start.elapsed().as_secs_f64()));
    output.note(match &args.output {
        Some(path) => format!("wrote {}", path.display()),
        None => "the model is not kept; -o FILE writes it".into(),
    });
    Ok(())
}

/// The model and the constant score on one part of the data.
fn rows(part: &'static str, scores: Vec<f32>, data: &Dataset, measures: &[Measure]) -> Vec<Row> {
    let rankings = [Ranking { name: "model".into(), scores }, Ranking::constant(data)];
    let value = |m: &Measure, ranking: &Ranking| m.summary(&m.per_query(&ranking.scores, &data.view()));
    let row = |ranking: Ranking| {
        let values = measures.iter().map(|m| value(m, &ranking)).collect();
        Row { ranking: ranking.name, data: part, values }
    };
    rankings.into_iter().map(row).collect()
}

/// The model as a table for people.
fn summary(report: &Report, offered: usize) -> String {
    let params: Vec<String> = report.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let used = report.features.len();
    let names: Vec<String> = report.measures.iter().map(Measure::to_string).collect();
    let header: Vec<&str> = ["ranking", "data"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let cells = |row: &Row| {
        let start = [row.ranking.clone(), row.data.to_owned()];
        start.into_iter().chain(row.values.iter().map(|value| format!("{value:.4}"))).collect()
    };
    format!(
        "{} uses {used} of {offered} features ({})\n{}",
        report.ranker,
        params.join(", "),
        table(&header, &report.results.iter().map(cells).collect::<Vec<_>>())
    )
}
