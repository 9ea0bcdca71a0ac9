//! `featherank demo`: all of featherank in a minute, on data it makes itself.

use featherank::data::synth::{Preset, SynthConfig, Truth, generate};
use featherank::data::{Dataset, FeatureId, folds};
use featherank::engine::LocalEngine;
use featherank::evaluate::{EvaluationPlan, Ranking, RiskBaseline, evaluate};
use featherank::inspect::inspect;
use featherank::measure::Measure;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Result, registry};

use crate::arguments::Common;
use crate::output::Output;
use crate::progress::Progress;

#[derive(clap::Args)]
pub struct Args {
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many features to choose
    #[arg(long, default_value_t = 8)]
    k: usize,
}

pub fn run(args: &Args, common: &Common, output: &Output) -> anyhow::Result<()> {
    let config = SynthConfig {
        seed: args.seed,
        queries: 400,
        documents: 12_000,
        noisy: 24,
        names: true,
        ..Preset::Tiny.config()
    };
    let (data, truth) = generate(&config)?;
    let parts = folds::k_fold(data.queries().len(), 2, args.seed)?;
    let (train, test) = (data.subset(&parts[0]), data.subset(&parts[1]));
    let measures: Vec<Measure> = vec!["ndcg@10".parse()?, "map".parse()?];

    output.print(format!(
        "1. Synthetic ranking data (seed {}), half to choose from, half to test on\n",
        args.seed
    ))?;
    let observer = Progress::start(output);
    let engine = LocalEngine::new(train, common.threads)?.observed_by(observer.clone());
    output.print(super::inspect::overview(&inspect(&engine, &measures, 0.99)?, 0.99))?;

    output.print(format!(
        "\n2. The {} features that rank best on their own, and what they truly are\n",
        args.k
    ))?;
    let run =
        Run { observer, ..Run::new(args.seed, Constraints { k: Some(args.k), ..Constraints::default() }) };
    let selection = registry::selector("top-k")?.run(&[], &run, &engine)?;
    output.print(super::select::summary(&selection))?;
    output.print(format!("truth: {}", roles(&selection, &truth)))?;

    output
        .print("\n3. On the test half: LambdaMART with the chosen features against LambdaMART with all\n")?;
    let plan = EvaluationPlan { measures, alpha: 5.0, resamples: 2000, seed: args.seed };
    let rankings = rankings(&selection, &engine.into_data(), &test)?;
    let all = plan.measures[0].per_query(&rankings[0].scores, &test.view());
    let baseline = RiskBaseline { name: rankings[0].name.clone(), per_query: all };
    let found = evaluate(&test, &rankings, &plan, Some(&baseline))?;
    output.print(super::evaluate::render(&found, super::evaluate::Test::T, 0.05))?;
    output.note("\nnow yours: featherank inspect DATA, then featherank select DATA --k 10 -o selection.json");
    Ok(())
}

/// The roles of the chosen features, in order.
fn roles(selection: &Selection, truth: &Truth) -> String {
    let role = |id: u32| {
        truth.features.iter().find(|feature| feature.id == id).map(|feature| feature.role.to_string())
    };
    let roles = selection.selected.iter().filter_map(|chosen| role(chosen.id));
    roles.collect::<Vec<_>>().join(", ")
}

fn rankings(selection: &Selection, train: &Dataset, test: &Dataset) -> Result<Vec<Ranking>> {
    let run = Run::new(selection.seed, Constraints::default());
    let chosen = selection.columns(test.features())?;
    let all: Vec<FeatureId> = (0..test.features().len()).map(FeatureId::from).collect();
    let learnt = |name: String, ranker: &str, set: &[(&str, &str)], features: &[FeatureId]| {
        let set: Vec<(String, String)> = set.iter().map(|&(key, value)| (key.into(), value.into())).collect();
        let model = registry::ranker(ranker)?.fit(&set, &run, &train.view().with_features(features), None)?;
        Ok(Ranking { name, scores: model.score(&test.view())? })
    };
    let trees = [("trees", "100"), ("min-leaf", "20")];
    Ok(vec![
        learnt(format!("all {} features", all.len()), "lambdamart", &trees, &all)?,
        learnt(format!("{} features", chosen.len()), "lambdamart", &trees, &chosen)?,
        learnt("best single feature".into(), "single-feature", &[], &all)?,
        Ranking::constant(test),
    ])
}
