//! `featherank evaluate`: evaluate rankings.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, FromArgMatches, ValueEnum};
use featherank::data::{Dataset, FeatureTable};
use featherank::engine::Engine;
use featherank::evaluate::{
    Evaluation, EvaluationPlan, OverFeatures, PairedTest, RankedBy, Ranking, RankingResult,
    RiskBaseline, beaten, evaluate, evaluate_on, feature_scores, letter, read_scores,
};
use featherank::rank::Model;
use featherank::{Error, Result};

use crate::arguments::{Common, Measuring, Reading};
use crate::output::{Output, table};
use crate::progress::Progress;
use crate::scale::{Cluster, Opening, ScaleArgs};

#[derive(clap::Args)]
pub struct Args {
    /// Labelled data; several files form one data set, `-` reads standard input
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    rankings: Rankings,
    #[command(flatten)]
    measuring: Measuring,
    /// Significance test
    #[arg(long, value_enum, default_value_t = Test::T)]
    test: Test,
    /// Significance level, after Holm's correction
    #[arg(long, default_value_t = 0.05)]
    level: f64,
    /// Report risk relative to the baseline
    #[arg(long)]
    risk: bool,
    /// Baseline for risk: mean or max (of single features, per query), feature:ID, scores:FILE,
    /// model:FILE, or the number of a ranking in the table
    #[arg(long, value_name = "WHAT", default_value = "1")]
    baseline: String,
    /// Weight of losses in U_RISK, T_RISK, Z_RISK and GeoRisk
    #[arg(long, default_value_t = 5.0)]
    alpha: f64,
    /// Number of bootstrap samples of the queries for confidence intervals
    #[arg(long, default_value_t = 2000)]
    resamples: usize,
    /// Random seed of the bootstrap samples
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    scale: ScaleArgs,
    #[command(flatten)]
    reading: Reading,
}

/// The significance test.
#[derive(Clone, Copy, ValueEnum)]
pub enum Test {
    /// Paired t-test
    T,
    /// Wilcoxon signed-rank test
    Wilcoxon,
}

impl From<Test> for PairedTest {
    fn from(test: Test) -> Self {
        match test {
            Test::T => PairedTest::T,
            Test::Wilcoxon => PairedTest::Wilcoxon,
        }
    }
}

/// The rankings, in the order in which the options were given.
struct Rankings(Vec<RankingArg>);

#[derive(Clone)]
enum RankingArg {
    Scores(PathBuf),
    Model(PathBuf),
    Feature(String),
}

/// The three options as clap parses them; [`Rankings`] restores their order.
#[derive(clap::Args)]
#[command(next_help_heading = "Rankings")]
struct RankingOptions {
    /// Scores: one number per line in the order of the data, or a TREC run; repeatable
    #[arg(long, value_name = "FILE")]
    scores: Vec<PathBuf>,
    /// Saved model; repeatable
    #[arg(long, value_name = "FILE")]
    model: Vec<PathBuf>,
    /// Single feature as a ranking, by name or id; repeatable
    #[arg(long, value_name = "FEATURE")]
    feature: Vec<String>,
}

impl FromArgMatches for Rankings {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let options = RankingOptions::from_arg_matches(matches)?;
        let places = |id: &str| matches.indices_of(id).into_iter().flatten();
        let scores = places("scores").zip(options.scores.into_iter().map(RankingArg::Scores));
        let models = places("model").zip(options.model.into_iter().map(RankingArg::Model));
        let features = places("feature").zip(options.feature.into_iter().map(RankingArg::Feature));
        let mut all: Vec<(usize, RankingArg)> = scores.chain(models).chain(features).collect();
        all.sort_by_key(|(place, _)| *place);
        Ok(Rankings(all.into_iter().map(|(_, wanted)| wanted).collect()))
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Rankings::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Rankings {
    fn augment_args(command: clap::Command) -> clap::Command {
        RankingOptions::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        RankingOptions::augment_args_for_update(command)
    }
}

impl RankingArg {
    fn ranking(&self, data: &Dataset) -> Result<Ranking> {
        match self {
            RankingArg::Scores(path) => read_scores(path, data),
            RankingArg::Feature(name) => Ok(feature_scores(data, data.features().resolve(name)?)),
            RankingArg::Model(path) => {
                let scores = Model::load(path)?.score(&data.view())?;
                Ok(Ranking { name: path.display().to_string(), scores })
            }
        }
    }

    fn ranked_by(&self, table: &FeatureTable) -> Result<RankedBy> {
        match self {
            RankingArg::Feature(name) => Ok(RankedBy::feature(table, table.resolve(name)?)),
            RankingArg::Model(path) => {
                Ok(RankedBy::model(path.display().to_string(), Model::load(path)?))
            }
            RankingArg::Scores(path) => Err(scores_elsewhere(path)),
        }
    }

    fn check_elsewhere(&self) -> Result<()> {
        match self {
            RankingArg::Scores(path) => Err(scores_elsewhere(path)),
            RankingArg::Feature(_) | RankingArg::Model(_) => Ok(()),
        }
    }
}

fn scores_elsewhere(path: &Path) -> Error {
    Error::unsupported(
        format!("{} has scores in the order of rows that are not in this process", path.display()),
        "evaluate a model or a feature, or run it where the data fits into memory",
    )
}

pub fn run(
    args: &Args,
    common: &Common,
    cluster: Option<&dyn Cluster>,
    output: &Output,
) -> anyhow::Result<()> {
    let plan = plan(args)?;
    let observer = Progress::start(output);
    let refuse_scores = || args.rankings.0.iter().try_for_each(RankingArg::check_elsewhere);
    let how =
        Opening { reading: &args.reading, threads: common.threads, observer, cluster, output };
    let opened = args.scale.open(&args.data, &how, &refuse_scores)?;
    let engine = opened.engine.as_ref();
    let found = match engine.local() {
        Some(data) => evaluate_local(args, &plan, engine, data)?,
        None => evaluate_remote(args, &plan, engine)?,
    };
    if output.json() {
        opened.explanation().into_iter().for_each(|text| output.note(text));
        return output.print_json(&found);
    }
    output.print(render(&found, args.test, args.level))?;
    opened.explanation().map_or(Ok(()), |text| output.print(format!("\n{text}")))
}

/// Evaluates data in this process; rankings may come from files.
fn evaluate_local(
    args: &Args,
    plan: &EvaluationPlan,
    engine: &dyn Engine,
    data: &Dataset,
) -> Result<Evaluation> {
    let mut rankings: Vec<Ranking> =
        args.rankings.0.iter().map(|wanted| wanted.ranking(data)).collect::<Result<_>>()?;
    rankings.push(Ranking::constant(data));
    let measure = &plan.measures[0];
    let of = |ranking: &Ranking| {
        Ok(RiskBaseline {
            name: ranking.name.clone(),
            per_query: measure.per_query(&ranking.scores, &data.view()),
        })
    };
    let baseline =
        match args.risk.then(|| BaselineArg::parse(&args.baseline, rankings.len())).transpose()? {
            None => None,
            Some(BaselineArg::Features(over)) => Some(over.as_baseline(engine, measure)?),
            Some(BaselineArg::RankingArg(wanted)) => Some(of(&wanted.ranking(data)?)?),
            Some(BaselineArg::Number(number)) => Some(of(&rankings[number - 1])?),
        };
    evaluate(data, &rankings, plan, baseline.as_ref())
}

/// Evaluates data held elsewhere: models and features are scored where the rows are.
fn evaluate_remote(args: &Args, plan: &EvaluationPlan, engine: &dyn Engine) -> Result<Evaluation> {
    let table = &engine.schema().features;
    let mut rankings: Vec<RankedBy> =
        args.rankings.0.iter().map(|wanted| wanted.ranked_by(table)).collect::<Result<_>>()?;
    rankings.push(RankedBy::constant());
    let measure = &plan.measures[0];
    let baseline =
        match args.risk.then(|| BaselineArg::parse(&args.baseline, rankings.len())).transpose()? {
            None => None,
            Some(BaselineArg::Features(over)) => Some(over.as_baseline(engine, measure)?),
            Some(BaselineArg::RankingArg(wanted)) => {
                Some(wanted.ranked_by(table)?.as_baseline(engine, measure)?)
            }
            Some(BaselineArg::Number(number)) => {
                Some(rankings[number - 1].as_baseline(engine, measure)?)
            }
        };
    evaluate_on(engine, &rankings, plan, baseline.as_ref())
}

fn plan(args: &Args) -> Result<EvaluationPlan> {
    if args.rankings.0.is_empty() {
        return Err(Error::settings(
            "there is no ranking to evaluate",
            "name at least one with --scores, --model or --feature",
        ));
    }
    if !(args.level > 0.0 && args.level < 1.0) {
        return Err(Error::invalid("level", args.level, "between 0 and 1"));
    }
    if !(args.alpha >= 0.0 && args.alpha.is_finite()) {
        return Err(Error::invalid("alpha", args.alpha, "0 or more"));
    }
    if args.resamples == 0 {
        return Err(Error::invalid("number of resamples", 0, "at least 1"));
    }
    let measures = args.measuring.measures()?;
    Ok(EvaluationPlan { measures, alpha: args.alpha, resamples: args.resamples, seed: args.seed })
}

/// The baseline for risk.
enum BaselineArg {
    Features(OverFeatures),
    RankingArg(RankingArg),
    /// The number of a ranking in the table, from 1.
    Number(usize),
}

impl BaselineArg {
    fn parse(text: &str, rankings: usize) -> Result<Self> {
        Ok(match (text.split_once(':'), text) {
            (Some(("feature", name)), _) => {
                BaselineArg::RankingArg(RankingArg::Feature(name.into()))
            }
            (Some(("scores", path)), _) => BaselineArg::RankingArg(RankingArg::Scores(path.into())),
            (Some(("model", path)), _) => BaselineArg::RankingArg(RankingArg::Model(path.into())),
            (_, "mean") => BaselineArg::Features(OverFeatures::Mean),
            (_, "max") => BaselineArg::Features(OverFeatures::Max),
            (_, number) => match number.parse::<usize>() {
                Ok(number) if (1..=rankings).contains(&number) => BaselineArg::Number(number),
                _ => {
                    let numbers = format!("or a ranking's number, 1 to {rankings}");
                    let expected =
                        format!("mean, max, feature:ID, scores:FILE, model:FILE, {numbers}");
                    return Err(Error::invalid("baseline", number, expected));
                }
            },
        })
    }
}

/// Formats an evaluation as text.
pub fn render(found: &Evaluation, test: Test, level: f64) -> String {
    let mut header = vec!["".to_owned(), "ranking".to_owned()];
    header.extend(found.measures.iter().flat_map(|m| [m.to_string(), "95 % interval".to_owned()]));
    if found.risk_baseline.is_some() {
        header.extend(
            ["F_RISK", "T_RISK", "p", "GeoRisk", "win/loss", "loss>20%"].map(str::to_owned),
        );
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> =
        (0..found.rankings.len()).map(|i| row(found, i, test, level)).collect();
    let mut text = table(&header, &rows);
    let name = match test {
        Test::T => "paired t",
        Test::Wilcoxon => "Wilcoxon",
    };
    text += &format!(
        "\nletters mark rankings that this one beats significantly ({name}, Holm, level {level}); {} queries",
        found.queries.len()
    );
    if let Some(baseline) = &found.risk_baseline {
        text += &format!("\nrisk: {} relative to {baseline}", found.measures[0]);
        (0..found.rankings.len())
            .filter_map(|i| significant_losses(found, i))
            .for_each(|line| text += &line);
    }
    text
}

/// The queries with a significant loss, largest loss first.
fn significant_losses(found: &Evaluation, index: usize) -> Option<String> {
    const SHOWN: usize = 5;
    let trade_off = &found.rankings[index].risk.as_ref()?.report.trade_off;
    let mut hurt: Vec<(f64, usize)> = trade_off
        .per_query
        .iter()
        .filter(|query| trade_off.risky.contains(&query.query))
        .map(|query| (query.contribution, query.query))
        .collect();
    hurt.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let ids: Vec<&str> =
        hurt.iter().take(SHOWN).map(|&(_, query)| found.queries[query].as_str()).collect();
    let more = if hurt.len() > SHOWN { ", …" } else { "" };
    let count = hurt.len();
    (count > 0).then(|| {
        format!(
            "\n{} is significantly worse on {count} queries: {}{more}",
            letter(index),
            ids.join(", ")
        )
    })
}

fn row(found: &Evaluation, index: usize, test: Test, level: f64) -> Vec<String> {
    let result: &RankingResult = &found.rankings[index];
    let mut cells = vec![letter(index), result.name.clone()];
    for (m, value) in result.values.iter().enumerate() {
        let beaten = beaten(&found.comparisons, m, index, test.into(), level);
        cells.push(format!("{:.4} {beaten}", value.value).trim_end().to_owned());
        cells.push(format!("{:.4}–{:.4}", value.interval.low, value.interval.high));
    }
    if let Some(risk) = &result.risk {
        let (trade_off, counts) = (&risk.report.trade_off, &risk.report.wins_losses);
        cells.extend([
            format!("{:.4}", trade_off.f_risk),
            format!("{:.2}", trade_off.t_risk),
            crate::output::p_value(trade_off.p),
            format!("{:.4}", risk.geo_risk_of_all),
            format!("{}/{}", counts.wins, counts.losses),
            counts.large_losses.to_string(),
        ]);
    }
    cells
}
