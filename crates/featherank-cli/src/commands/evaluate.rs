//! `featherank evaluate`: evaluate rankings.

use std::path::PathBuf;

use clap::{ArgMatches, FromArgMatches, ValueEnum};
use featherank::evaluate::{
    BaselineSource, Evaluation, EvaluationPlan, PairedTest, RankingResult, RankingSource,
    evaluate_sources,
};
use featherank::internals::text::{Columns, counted, p_value, text_table, with_minus, wrapped};
use featherank::internals::{beaten, check_level, letter};
use featherank::measure::RequestedMeasures;

use crate::arguments::{Common, Measuring, Reading, fitted, note_found_by_id};
use crate::errors::{CommandResult, Failure};
use crate::output::Output;
use crate::progress::Progress;
use crate::scale::{Cluster, Opening, ScaleArgs};

#[derive(clap::Args)]
pub struct EvaluateArgs {
    /// Labelled data; several files form one data set, `-` reads standard input
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    rankings: RankingArgs,
    #[command(flatten)]
    measuring: Measuring,
    /// Significance test
    #[arg(long, value_enum, default_value_t = TestArg::T)]
    test: TestArg,
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
pub enum TestArg {
    /// Paired t-test
    T,
    /// Wilcoxon signed-rank test
    Wilcoxon,
}

impl From<TestArg> for PairedTest {
    fn from(test: TestArg) -> Self {
        match test {
            TestArg::T => PairedTest::T,
            TestArg::Wilcoxon => PairedTest::Wilcoxon,
        }
    }
}

/// The rankings, in the order in which the options were given.
struct RankingArgs(Vec<RankingSource>);

/// The three options as clap parses them; [`RankingArgs`] restores their order.
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

impl FromArgMatches for RankingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let options = RankingOptions::from_arg_matches(matches)?;
        let places = |id: &str| matches.indices_of(id).into_iter().flatten();
        let scores = places("scores").zip(options.scores.into_iter().map(RankingSource::Scores));
        let models = places("model").zip(options.model.into_iter().map(RankingSource::Model));
        let features =
            places("feature").zip(options.feature.into_iter().map(RankingSource::Feature));
        let mut all: Vec<(usize, RankingSource)> = scores.chain(models).chain(features).collect();
        all.sort_by_key(|(place, _)| *place);
        Ok(RankingArgs(all.into_iter().map(|(_, wanted)| wanted).collect()))
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = RankingArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for RankingArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        RankingOptions::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        RankingOptions::augment_args_for_update(command)
    }
}

impl EvaluateArgs {
    /// The plan and the baseline, checked before any data is read.
    fn plan(
        &self,
        requested: &RequestedMeasures,
    ) -> CommandResult<(EvaluationPlan, Option<BaselineSource>)> {
        if self.rankings.0.is_empty() {
            return Err(Failure::usage(
                "there is no ranking to evaluate",
                "name at least one with --scores, --model or --feature",
            ));
        }
        check_level(self.level)?;
        let plan = EvaluationPlan {
            measures: requested.measures.clone(),
            alpha: self.alpha,
            resamples: self.resamples,
            seed: self.seed,
        };
        plan.check()?;
        Ok((plan, self.risk.then(|| self.baseline.parse()).transpose()?))
    }
}

pub fn run(
    args: &EvaluateArgs,
    common: &Common,
    cluster: Option<&dyn Cluster>,
    output: &Output,
) -> CommandResult {
    let requested = args.measuring.requested()?;
    let (plan, baseline) = args.plan(&requested)?;
    let sources = &args.rankings.0;
    let how = Opening {
        reading: &args.reading,
        threads: common.threads,
        observer: Progress::start(output),
        cluster,
        output,
    };
    let check_remote = || sources.iter().try_for_each(RankingSource::check_remote);
    let opened = args.scale.open(&args.data, &how, &check_remote)?;
    let schema = opened.engine.schema();
    let measures = fitted(&requested, &schema.label_frequencies(), output)?;
    if let Some(data) = opened.engine.local() {
        let scarce = measures.iter().filter_map(|measure| measure.scarcity_note(&data.view()));
        scarce.for_each(|note| output.note(format!("note: {note}")));
    }
    let plan = EvaluationPlan { measures, ..plan };
    let found = evaluate_sources(opened.engine.as_ref(), sources, &plan, baseline.as_ref())?;
    if found.found_by_id {
        note_found_by_id(output);
    }
    if output.json() {
        opened.explanation(output.width()).into_iter().for_each(|text| output.note(text));
        return output.print_json(&found);
    }
    output.print(render(&found, args.test, args.level, output.width()))?;
    opened.explanation(output.width()).map_or(Ok(()), |text| output.print(format!("\n{text}")))
}

/// Formats an evaluation as text.
pub fn render(found: &Evaluation, test: TestArg, level: f64, width: usize) -> String {
    let mut header = vec!["".to_owned(), "ranking".to_owned()];
    header.extend(found.measures.iter().flat_map(|m| [m.to_string(), "95 % interval".to_owned()]));
    if found.risk_baseline.is_some() {
        header.extend(
            ["F_RISK", "T_RISK", "p", "GeoRisk", "win/loss", "loss>20%"].map(str::to_owned),
        );
    }
    let rows: Vec<Vec<String>> =
        (0..found.rankings.len()).map(|i| row(found, i, test, level)).collect();
    // The letter and the name identify a row; an interval belongs to its measure.
    let intervals: Vec<usize> = (0..found.measures.len()).map(|m| 3 + 2 * m).collect();
    let columns = Columns { header: &header, rows: &rows, keys: 2, attached: &intervals };
    let mut text = text_table(&columns, width);
    let name = match test {
        TestArg::T => "paired t",
        TestArg::Wilcoxon => "Wilcoxon",
    };
    let note = format!(
        "letters mark rankings that this one beats significantly ({name}, Holm, level {level}); {}",
        counted(found.queries.len(), "quer|y|ies")
    );
    text += &format!("\n{}", wrapped(&note, width, 2));
    if let Some(baseline) = &found.risk_baseline {
        text += &format!("\nrisk: {} relative to {baseline}", found.measures[0]);
        (0..found.rankings.len())
            .filter_map(|i| significant_losses(found, i))
            .for_each(|line| text += &format!("\n{}", wrapped(&line, width, 2)));
    }
    text
}

/// The queries with a significant loss, largest loss first.
fn significant_losses(found: &Evaluation, index: usize) -> Option<String> {
    const SHOWN: usize = 5;
    let hurt = found.rankings[index].risk.as_ref()?.significant_losses();
    let ids: Vec<&str> =
        hurt.iter().take(SHOWN).map(|&query| found.queries[query].as_str()).collect();
    let more = if hurt.len() > SHOWN { ", …" } else { "" };
    let count = hurt.len();
    (count > 0).then(|| {
        format!(
            "{} is significantly worse on {}: {}{more}",
            letter(index),
            counted(count, "quer|y|ies"),
            ids.join(", ")
        )
    })
}

fn row(found: &Evaluation, index: usize, test: TestArg, level: f64) -> Vec<String> {
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
            with_minus(&format!("{:.2}", trade_off.t_risk)),
            p_value(trade_off.p),
            format!("{:.4}", risk.geo_risk_of_all),
            format!("{}/{}", counts.wins, counts.losses),
            counts.large_losses.to_string(),
        ]);
    }
    cells
}
