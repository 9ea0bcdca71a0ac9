//! `featherank demo`: the whole workflow on synthetic data, in about a minute.

use std::path::PathBuf;

use featherank::data::synth::{Preset, RoleCount, SynthConfig, Truth, generate};
use featherank::data::write_bytes;
use featherank::engine::LocalEngine;
use featherank::experiment::{
    Comparison, FoldSource, Plan, ResultsFolder, tables, text_tables, verdict,
};
use featherank::inspect::inspect;
use featherank::measure::Measure;
use featherank::select::Selection;
use featherank::text::wrapped;

use crate::arguments::Common;
use crate::errors::CommandResult;
use crate::output::Output;
use crate::progress::Progress;
use crate::selection_text::summary;

#[derive(clap::Args)]
pub struct Args {
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

pub fn run(args: &Args, common: &Common, output: &Output) -> CommandResult {
    let folder = ResultsFolder::open(&args.output)?;
    let config = SynthConfig {
        seed: args.seed,
        queries: 800,
        documents: 16_000,
        noisy: 24,
        names: true,
        ..Preset::Tiny.config()
    };
    let (data, truth) = generate(&config)?;
    output.print(format!(
        "1. Synthetic ranking data with known feature roles (seed {})\n",
        args.seed
    ))?;
    let engine = LocalEngine::new(data, common.threads)?.observed_by(Progress::start(output));
    let measures: Vec<Measure> = vec!["ndcg@10".parse()?, "map".parse()?];
    let width = output.width();
    output.print(super::inspect::overview(&inspect(&engine, &measures, 0.99)?, 0.99, width))?;

    output.print(
        "\n2. Comparison of methods: features selected on training queries, evaluated on test queries\n",
    )?;
    let plan = Plan { seed: args.seed, ..Plan::parse(PLAN)? };
    let title = plan.title.clone();
    let command =
        ["featherank", "demo", "--seed", &args.seed.to_string()].map(str::to_owned).to_vec();
    let source = FoldSource::split(engine.into_data(), FOLDS, args.seed)?;
    let comparison = Comparison::new(plan, title, command, source)?;
    let results = super::compare::run_and_save(&comparison, &folder, 0, output)?;
    let shown: Vec<_> = tables(&results)?.into_iter().take(1).collect();
    output.print(wrapped(&verdict(&results)?.join(" "), width, 0))?;
    output.print(format!("\n{}", text_tables("", &shown, width).trim()))?;

    output.print("\n3. Is a smaller set as good as all features?\n")?;
    if let Some(selection) = &results.recommendation {
        selection.save(&folder.path("selection.json"))?;
        output.print(summary(selection, width))?;
        let roles = format!("roles of the selected features: {}", roles(selection, &truth));
        output.print(wrapped(&roles, width, 2))?;
    }
    let report = folder.path("report.html");
    let page = featherank_report::render(&results)?;
    write_bytes(&report, page.as_bytes())?;
    output.print(format!("\nreport: {}", report.display()))?;
    output
        .note("next, on your own data: featherank inspect DATA, then featherank select DATA -o selection.json");
    Ok(())
}

/// How many features of each role were selected, and how many exist.
fn roles(selection: &Selection, truth: &Truth) -> String {
    let ids: Vec<u32> = selection.selected.iter().map(|chosen| chosen.id).collect();
    let words = |count: &RoleCount| format!("{} of {} {}", count.chosen, count.all, count.role);
    truth.count_roles(&ids).iter().map(words).collect::<Vec<_>>().join(", ")
}
