//! `featherank demo`: the whole workflow on synthetic data, in about a minute.

use std::path::PathBuf;

use featherank::data::synth::{Preset, RoleCount, SynthConfig, Truth, generate};
use featherank::data::{DataSources, WriteOptions, write};
use featherank::engine::LocalEngine;
use featherank::experiment::{ComparisonData, ComparisonJob, Plan, tables, text_tables, verdict};
use featherank::inspect::inspect;
use featherank::internals::text::wrapped;
use featherank::internals::write_bytes;
use featherank::measure::Measure;
use featherank::run::Observer;
use featherank::select::Selection;

use crate::arguments::Common;
use crate::errors::CommandResult;
use crate::output::Output;
use crate::paths::recorded;
use crate::progress::Progress;
use crate::selection_text::summary;

#[derive(clap::Args)]
pub struct DemoArgs {
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Directory for results and the report
    #[arg(long, short, value_name = "DIR", default_value = "featherank-demo")]
    output: PathBuf,
}

/// One selector of each category, with the most widely used ranker.
const PLAN: &str = r#"
title = "Demo"
measures = ["ndcg@10", "map"]
choose = "ndcg[ties=expected]@10"
recommend = true
tune = false
methods = ["top-k[k=8]", "best-gain", "l1-svm", "spea2[objectives=e-f,folds=3]"]
rankers = ["lambdamart[trees=60]", "own"]
"#;

/// Number of folds.
const FOLDS: usize = 3;

pub fn run(args: &DemoArgs, common: &Common, output: &Output) -> CommandResult {
    let config = SynthConfig {
        seed: args.seed,
        queries: 800,
        documents: 16_000,
        noisy: 24,
        names: true,
        ..Preset::Tiny.config()
    };
    let (data, truth) = generate(&config)?;
    let plan = Plan { seed: args.seed, ..Plan::parse(PLAN)? };
    let command =
        ["featherank", "demo", "--seed", &args.seed.to_string()].map(str::to_owned).to_vec();
    let folds = ComparisonData::Rows(data.clone(), Some(FOLDS));
    let job = ComparisonJob::new(plan, command, folds, &args.output)?;
    let folder = job.folder().clone();
    // The commands of the report read it.
    let path = folder.path("data.parquet");
    write(&data, &path, &WriteOptions::default())?;
    let sources = DataSources { train: recorded(&[path]), ..DataSources::default() };
    // The results are in files: a closed standard output does not end the comparison.
    let mut printed = Ok(());
    let mut print = |text: String| {
        if printed.is_ok() {
            printed = output.print(text);
        }
    };
    print(format!("1. Synthetic ranking data with known feature roles (seed {})\n", args.seed));
    let engine = LocalEngine::new(data, common.threads)?.observed_by(Progress::start(output));
    let measures: Vec<Measure> = vec!["ndcg@10".parse()?, "map".parse()?];
    let width = output.width();
    print(super::inspect::overview(&inspect(&engine, &measures, 0.99)?, 0.99, width));

    print(
        "\n2. Comparison of methods: features selected on training queries, evaluated on test queries\n"
            .into(),
    );
    let progress = Progress::on_terminal(output);
    let comparison = job.open(progress.stop())?.with_sources(sources);
    let results = super::compare::run_and_save(&comparison, &folder, 0, progress, output)?;
    let shown: Vec<_> = tables(&results)?.into_iter().take(1).collect();
    print(wrapped(&verdict(&results)?.join(" "), width, 0));
    print(format!("\n{}", text_tables("", &shown, width).trim()));

    print("\n3. Is a smaller set as good as all features?\n".into());
    if let Some(selection) = &results.recommendation {
        selection.save(&folder.path("selection.json"))?;
        print(summary(selection, width));
        let roles = format!("roles of the selected features: {}", roles(selection, &truth));
        print(wrapped(&roles, width, 2));
    }
    let report = folder.path("report.html");
    let page = featherank_report::render(&results)?;
    write_bytes(&report, page.as_bytes())?;
    print(format!("\nreport: {}", report.display()));
    output
        .note("next, on your own data: featherank inspect DATA, then featherank select DATA -o selection.json");
    printed
}

/// How many features of each role were selected, and how many exist.
fn roles(selection: &Selection, truth: &Truth) -> String {
    let ids: Vec<u32> = selection.selected.iter().map(|chosen| chosen.id).collect();
    let words = |count: &RoleCount| format!("{} of {} {}", count.chosen, count.all, count.role);
    truth.count_roles(&ids).iter().map(words).collect::<Vec<_>>().join(", ")
}
