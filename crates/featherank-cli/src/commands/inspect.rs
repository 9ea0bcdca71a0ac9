//! `featherank inspect`: summarise ranking data and report problems.

use std::path::PathBuf;

use featherank::data::Feature;
use featherank::engine::{Engine, LocalEngine};
use featherank::inspect::{ConstantScore, FeatureFacts, Inspection, check_near, inspect};
use featherank::internals::text::{counted, grouped, p_value, wrapped};
use featherank::measure::{Measure, Ties};

use super::redundancy;
use crate::arguments::{Common, Measuring, Reading, fitted};
use crate::errors::CommandResult;
use crate::output::{Output, short, table};
use crate::progress::Progress;

#[derive(clap::Args)]
pub struct InspectArgs {
    /// Data; several files form one data set, `-` reads standard input
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Correlation above which two features are near-duplicates
    #[arg(long, value_name = "R", default_value_t = 0.99, conflicts_with = "redundancy")]
    near: f64,
    /// List every feature with its range and its effectiveness as a ranking of its own
    #[arg(long, conflicts_with = "redundancy")]
    features: bool,
    #[command(flatten)]
    redundancy: redundancy::RedundancyArgs,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(args: &InspectArgs, common: &Common, output: &Output) -> CommandResult {
    check_near(args.near)?;
    let requested = args.measuring.requested()?;
    if args.redundancy.redundancy {
        // The first measure decides which feature of a group is best.
        let options = args.redundancy.options(&requested.measures[0])?;
        let data = args.reading.read(&args.data, output)?;
        return redundancy::run(&args.redundancy, &options, data, common, output);
    }
    let data = args.reading.read(&args.data, output)?;
    let engine = LocalEngine::new(data, common.threads)?.observed_by(Progress::start(output));
    // Measures that the user names are shown as they are, even those that are not measurable.
    let measures = match requested.are_named {
        true => requested.measures,
        false => fitted(&requested, &engine.schema().label_frequencies(), output)?,
    };
    let found = inspect(&engine, &measures, args.near)?;
    if output.json() {
        return output.print_json(&found);
    }
    output.print(overview(&found, args.near, output.width()))?;
    if args.features {
        output
            .print(format!("\n{}", feature_table(&found.per_feature, &measures, output.width())))?;
    }
    Ok(())
}

/// The column in which values begin.
const INDENT: usize = 19;

/// Formats the inspection as text.
pub fn overview(found: &Inspection, near: f64, width: usize) -> String {
    let mut lines = vec![
        [
            counted(found.queries, "quer|y|ies"),
            counted(found.documents as usize, "document"),
            counted(found.features, "feature"),
            counted(found.pairs as usize, "preference pair"),
        ]
        .join(", "),
    ];
    lines.extend(query_lines(found));
    lines.extend(feature_lines(found));
    lines.extend(duplicate_lines(found, near));
    lines.extend(found.constant_score.iter().map(constant_score_line));
    // Values begin in the same column, also on later lines.
    let line = |line: String| wrapped(&line, width, INDENT);
    lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A number of documents in percent of all.
fn percentage(count: u64, found: &Inspection) -> f64 {
    100.0 * count as f64 / found.documents.max(1) as f64
}

/// The labels, the sizes of queries, and the queries that distinguish no rankings.
fn query_lines(found: &Inspection) -> Vec<String> {
    let share = |count: u64| percentage(count, found);
    let labels: Vec<String> = found
        .labels
        .iter()
        .map(|c| format!("{}: {} ({:.1} %)", c.label, grouped(c.documents), share(c.documents)))
        .collect();
    let sizes = &found.query_sizes;
    let mut lines = vec![
        format!("labels             {}", labels.join(", ")),
        format!(
            "documents/query    {} to {}, median {}, mean {:.1}",
            sizes.min, sizes.max, sizes.median, sizes.mean
        ),
    ];
    let most = sizes.histogram.iter().map(|span| span.queries).max().unwrap_or(1).max(1);
    for span in &sizes.histogram {
        let bar = "█".repeat((40 * span.queries).div_ceil(most));
        lines.push(format!(
            "  {:>6}–{:<6} {:>7}  {bar}",
            span.from,
            span.to,
            grouped(span.queries as u64)
        ));
    }
    let queries = |count: u64| counted(count as usize, "quer|y|ies");
    lines.push(format!("no relevant doc.   {}", queries(found.queries_without_relevant)));
    lines.push(format!("all labels equal   {}", queries(found.queries_all_equal)));
    lines
}

/// Features that do not vary, and those with missing values.
fn feature_lines(found: &Inspection) -> Vec<String> {
    let mut lines = vec![
        format!("constant features  {}", listed(&found.constant)),
        format!(
            "query-level        {} (constant within queries: only trees can use them)",
            listed(&found.query_level)
        ),
    ];
    let incomplete: Vec<String> = found
        .per_feature
        .iter()
        .filter(|f| f.missing > 0)
        .map(|f| format!("{} ({:.1} %)", f.feature.label(), percentage(f.missing, found)))
        .collect();
    if !incomplete.is_empty() {
        lines.push(format!(
            "missing values     in {}: {}",
            counted(incomplete.len(), "feature"),
            incomplete.join(", ")
        ));
    }
    lines
}

/// Equal features, and pairs with a correlation of at least `near`.
fn duplicate_lines(found: &Inspection, near: f64) -> [String; 2] {
    let groups: Vec<String> =
        found.duplicates.iter().map(|group| labels_of(group).join(" = ")).collect();
    let groups = if groups.is_empty() { "none".into() } else { groups.join("; ") };
    let pairs: Vec<String> = found
        .near_duplicates
        .iter()
        .take(8)
        .map(|pair| format!("{} ~ {} ({:.4})", pair.a.label(), pair.b.label(), pair.correlation))
        .collect();
    let more = found.near_duplicate_pairs.saturating_sub(8);
    let more =
        if more > 0 { format!("; and {}", counted(more, "more pair")) } else { String::new() };
    let pairs = match pairs.is_empty() {
        true if !found.compared => "not searched for: too many features".into(),
        true => "none".into(),
        false => pairs.join("; "),
    };
    [format!("duplicates         {groups}"), format!("correlated ≥ {near:<5} {pairs}{more}")]
}

/// Whether the order of the file reveals relevance, by one measure.
fn constant_score_line(score: &ConstantScore) -> String {
    if !score.measurable {
        return format!(
            "constant score     {}: not measurable, because it is the same for every ranking",
            score.measure
        );
    }
    let conclusion = match (score.informative, score.is_weak_sign()) {
        (true, _) => "strong sign that file order reveals relevance: do not break ties by it",
        (false, true) => "weak sign that file order reveals relevance",
        (false, false) => "no sign that file order reveals relevance",
    };
    format!(
        "constant score     {}: {:.4} in file order, {:.4} in random order, p {}: {conclusion}",
        score.measure,
        score.file_order,
        score.random_order,
        p_value(score.p)
    )
}

fn labels_of(features: &[Feature]) -> Vec<String> {
    features.iter().map(Feature::label).collect()
}

fn listed(features: &[Feature]) -> String {
    match features {
        [] => "none".into(),
        some => format!("{}: {}", some.len(), labels_of(some).join(", ")),
    }
}

fn feature_table(facts: &[FeatureFacts], measures: &[Measure], width: usize) -> String {
    let names: Vec<String> =
        measures.iter().map(|m| m.clone().with_ties(Ties::Expected).to_string()).collect();
    let has_missing = facts.iter().any(|f| f.missing > 0);
    let header = ["feature", "min", "max", "mean", "deviation", "zeros", "varies in"].into_iter();
    let header = header.chain(has_missing.then_some("missing"));
    let header: Vec<&str> = header.chain(names.iter().map(String::as_str)).collect();
    let row = |f: &FeatureFacts| {
        let start = [
            f.feature.label(),
            short(f64::from(f.min)),
            short(f64::from(f.max)),
            short(f.mean),
            short(f.deviation),
            format!("{:.0} %", 100.0 * f.zeros),
            format!("{:.0} %", 100.0 * f.varying),
        ];
        let start = start.into_iter().chain(has_missing.then(|| grouped(f.missing)));
        start.chain(f.alone.iter().map(|value| format!("{value:.4}"))).collect()
    };
    table(&header, &facts.iter().map(row).collect::<Vec<_>>(), width)
}
