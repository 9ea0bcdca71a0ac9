//! `featherank inspect --redundancy`: find redundant features.

use std::path::PathBuf;

use clap::ValueEnum;
use featherank::data::{Dataset, Feature};
use featherank::engine::passes::Correlation;
use featherank::engine::{LocalEngine, Scope};
use featherank::internals::{FileForm, INFLATED, reaches};
use featherank::measure::{Measure, Ties};
use featherank::redundancy::{
    ComparedFeature, Redundancy, RedundancyOptions, RedundantGroup, redundancy,
};

use featherank::internals::text::{counted, wrapped};

use crate::arguments::Common;
use crate::errors::CommandResult;
use crate::output::{Output, short, table};
use crate::progress::Progress;
use crate::style::{STRONG, styled};

/// The longest feature name beside the picture of the matrix.
const LONGEST_NAME: usize = 24;
/// The maximum number of rows of a table.
const ROWS: usize = 20;

#[derive(clap::Args)]
#[command(next_help_heading = "Redundancy")]
pub struct RedundancyArgs {
    /// Report redundant features instead: groups, variance inflation and the correlation matrix
    #[arg(long)]
    pub redundancy: bool,
    /// Correlation of two features: spearman, kendall, pearson or top-10
    #[arg(long, value_name = "KIND", default_value = "spearman", requires = "redundancy")]
    correlation: Correlation,
    /// Compute correlations within queries and average them, or over all documents
    #[arg(long, value_enum, default_value_t = ScopeArg::Query, requires = "redundancy")]
    scope: ScopeArg,
    /// Absolute correlation above which two features form a group
    #[arg(long, value_name = "R", default_value_t = 0.9, requires = "redundancy")]
    level: f64,
    /// Write the full result to a .json file, or the ordered matrix to a .csv or .tsv file
    #[arg(long, short, value_name = "FILE", requires = "redundancy")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScopeArg {
    /// Within queries, averaged over queries
    Query,
    /// Over all documents
    Pooled,
}

impl RedundancyArgs {
    /// The options of the library, checked before any data is read.
    pub fn options(&self, measure: &Measure) -> featherank::Result<RedundancyOptions> {
        let options = RedundancyOptions {
            correlation: self.correlation,
            scope: match self.scope {
                ScopeArg::Query => Scope::Query,
                ScopeArg::Pooled => Scope::Pooled,
            },
            level: self.level,
            measure: measure.clone().with_ties(Ties::Expected),
        };
        options.check()?;
        if let Some(path) = &self.output {
            FileForm::of(path)?;
        }
        Ok(options)
    }
}

pub fn run(
    args: &RedundancyArgs,
    options: &RedundancyOptions,
    data: Dataset,
    common: &Common,
    output: &Output,
) -> CommandResult {
    let engine = LocalEngine::new(data, common.threads)?.observed_by(Progress::start(output));
    let found = redundancy(&engine, options)?;
    if let Some(path) = &args.output {
        found.save(path)?;
    }
    if output.json() {
        return output.print_document(&found.to_json()?);
    }
    output.print(report(&found, output.width()))?;
    match &args.output {
        Some(path) => output.note_written(path),
        None if found.features.len() > 1 && cell_width(&found, output.width()).is_none() => {
            output
                .note("note: the matrix is too wide for a terminal; use -o matrix.csv to save it");
        }
        None => {}
    }
    Ok(())
}

/// Formats the result as text.
fn report(found: &Redundancy, width: usize) -> String {
    let within = match found.scope {
        Scope::Query => "within queries, averaged over queries",
        Scope::Pooled => "over all documents",
    };
    let mut parts = vec![
        conclusion(found, width),
        String::new(),
        format!(
            "{} compared: {} correlation {within}",
            counted(found.features.len(), "feature"),
            name(found.correlation)
        ),
    ];
    for (why, features) in [
        ("constant within every query, excluded", &found.constant_within_queries),
        ("missing values, excluded", &found.incomplete),
    ] {
        if !features.is_empty() {
            parts.push(wrapped(&format!("{why}: {}", labels(features)), width, 2));
        }
    }
    if !found.groups.is_empty() {
        parts.push(String::new());
        parts.push(group_table(found, width));
    }
    if !found.features.is_empty() {
        parts.push(String::new());
        parts.push(inflation_table(&found.features, width));
    }
    if let Some(wide) = cell_width(found, width).filter(|_| found.features.len() > 1) {
        parts.push(String::new());
        parts.push(picture(found, wide, width));
    }
    parts.join("\n")
}

fn group_table(found: &Redundancy, width: usize) -> String {
    let alone = found.measure.to_string();
    let row = |group: &RedundantGroup| {
        let others: Vec<Feature> =
            group.others.iter().map(|member| member.feature.clone()).collect();
        vec![
            group.best.feature.label(),
            format!("{:.4}", group.best.alone),
            format!("{:.4}", group.weakest),
            labels(&others),
        ]
    };
    let rows: Vec<Vec<String>> = found.groups.iter().take(ROWS).map(row).collect();
    let header = ["best feature", &alone, "smallest |r|", "redundant"];
    format!(
        "groups of features linked by |r| ≥ {}\n{}{}",
        found.level,
        table(&header, &rows, width),
        more(found.groups.len(), "group")
    )
}

fn inflation_table(features: &[ComparedFeature], width: usize) -> String {
    // Linear combinations of other features come first; the stable sort keeps clusters together.
    let size = |f: &ComparedFeature| f.vif.unwrap_or(f64::INFINITY);
    let mut sorted: Vec<&ComparedFeature> = features.iter().collect();
    sorted.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let row = |f: &&ComparedFeature| {
        let flag = match (f.vif, f.inflated) {
            (None, _) => "linear combination of others",
            (_, true) => "high",
            _ => "",
        };
        vec![f.feature.label(), f.vif.map_or("∞".into(), short), flag.into()]
    };
    let rows: Vec<Vec<String>> = sorted.iter().take(ROWS).map(row).collect();
    let inflated = features.iter().filter(|f| f.inflated).count();
    format!(
        "variance inflation factors within queries: {inflated} above {INFLATED}\n{}{}",
        table(&["feature", "VIF", ""], &rows, width),
        more(features.len(), "feature")
    )
}

fn more(count: usize, what: &str) -> String {
    match count.saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("\n… and {}", counted(more, &format!("more {what}"))),
    }
}

fn picture_names(found: &Redundancy) -> Vec<String> {
    let short = |f: &ComparedFeature| f.feature.label().chars().take(LONGEST_NAME).collect();
    found.features.iter().map(short).collect()
}

/// The width of a cell of the picture: two characters are about square, one may fit where two do
/// not; `None` if the matrix is too wide.
fn cell_width(found: &Redundancy, width: usize) -> Option<usize> {
    let names = picture_names(found);
    let margin = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) + 1;
    [2, 1].into_iter().find(|wide| margin + wide * names.len() <= width)
}

/// The matrix as shades. The darkest marks the level, so that groups appear as dark squares.
fn picture(found: &Redundancy, wide: usize, width: usize) -> String {
    const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
    let limit = |quarter: usize| found.level * quarter as f64 / 4.0;
    let cell = |&value: &Option<f64>| {
        let quarters = (1..SHADES.len()).rev().find(|&quarter| reaches(value, limit(quarter)));
        SHADES[quarters.unwrap_or(0)]
    };
    let names = picture_names(found);
    let margin = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let limits: Vec<String> = (1..SHADES.len())
        .map(|quarter| format!("{} ≥ {}", SHADES[quarter], short(limit(quarter))))
        .collect();
    let rows = found.matrix.iter().zip(&names).map(|(row, name)| {
        let cells: String =
            row.iter().flat_map(|value| std::iter::repeat_n(cell(value), wide)).collect();
        format!("{name:>margin$} {cells}")
    });
    let title = format!("|r|, ordered by similarity: {}", limits.join(", "));
    std::iter::once(wrapped(&title, width, 2)).chain(rows).collect::<Vec<_>>().join("\n")
}

fn conclusion(found: &Redundancy, width: usize) -> String {
    let count = match found.could_go.as_slice() {
        [] => format!("no feature is redundant at |r| ≥ {}", found.level),
        some => format!(
            "{} of {} {} redundant at |r| ≥ {}: {}",
            some.len(),
            counted(found.features.len(), "feature"),
            if some.len() == 1 { "is" } else { "are" },
            found.level,
            labels(some)
        ),
    };
    let caveat = "this compares pairs of features only; evaluate a selection with a ranker before you drop any";
    format!("{}\n{}", styled(STRONG, &wrapped(&count, width, 2)), wrapped(caveat, width, 2))
}

fn labels(features: &[Feature]) -> String {
    features.iter().map(Feature::label).collect::<Vec<_>>().join(", ")
}

fn name(correlation: Correlation) -> &'static str {
    match correlation {
        Correlation::Pearson => "pearson",
        Correlation::Spearman => "spearman",
        Correlation::Kendall => "kendall",
        Correlation::TopTen => "top-10",
    }
}
