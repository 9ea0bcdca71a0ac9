//! Arguments shared by several commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ColorChoice, ValueEnum};
use featherank::data::{Dataset, Format, Missing, ReadOptions, Unjudged};
use featherank::internals::split_outside_brackets;
use featherank::internals::{guessed_separator, read_like_until, read_until};
use featherank::measure::{
    ConventionPreset, FittedMeasures, LabelFrequency, Measure, RequestedMeasures,
};
use featherank::run::StopToken;
use featherank::{Error, Result};

use crate::signals;

/// Options of every command.
#[derive(Args, Clone)]
pub struct Common {
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Number of threads, 0 for all cores; results are the same for any number
    #[arg(long, global = true, default_value = "0", value_name = "N", value_parser = parse_threads)]
    pub threads: usize,
    /// When to use colours; auto: on a terminal, unless NO_COLOR is set
    // Read before the arguments are parsed, because it applies to help and usage errors, too.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
}

impl Common {
    /// Starts the global thread pool.
    pub fn start_threads(&self) -> Result<()> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build_global()
            .map_err(|e| Error::threads(self.threads, e))
    }
}

/// The heading of the options for reading data.
pub const READING: &str = "Reading data";

/// Options for reading data.
#[derive(Args, Clone)]
#[command(next_help_heading = READING)]
pub struct Reading {
    /// Input format: letor, csv, tsv, parquet or log [default: from the file name]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// How to treat missing values (NULL, empty cells, NaN)
    #[arg(long, value_enum, default_value_t = MissingArg::Error)]
    missing: MissingArg,
    /// Clip infinite and out-of-range values to the largest 32-bit float
    #[arg(long)]
    clip: bool,
    /// How to treat unjudged documents (negative label, or no label in a log)
    #[arg(long, value_enum, default_value_t = UnjudgedArg::Error)]
    unjudged: UnjudgedArg,
    /// Accept queries whose rows are not contiguous, and group them
    #[arg(long)]
    regroup: bool,
    /// Feature ids in text files start at 0
    #[arg(long)]
    zero_based: bool,
    /// Label column of CSV, TSV or Parquet [default: detected by common names]
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,
    /// Query column of CSV, TSV or Parquet [default: detected]
    #[arg(long, value_name = "NAME")]
    query_column: Option<String>,
    /// Document id column of CSV, TSV or Parquet [default: detected]
    #[arg(long, value_name = "NAME")]
    document_column: Option<String>,
    /// Columns to ignore, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Append)]
    ignore: Vec<String>,
    /// File with one query size per line, for text without qid [default: FILE.query or FILE.group]
    #[arg(long, value_name = "FILE")]
    group: Option<PathBuf>,
    /// File with feature names: one per line, or `id<TAB>name`
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// TREC qrels file with the labels of logged documents
    #[arg(long, value_name = "FILE")]
    judgments: Option<PathBuf>,
    /// Largest feature id allowed in text files
    #[arg(long, value_name = "ID", default_value_t = ReadOptions::default().max_feature_id)]
    max_feature_id: u32,
    /// Memory limit for the data, and for all pairs of its features, for example 8GiB or 500MB
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    max_memory: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum MissingArg {
    /// Report an error
    Error,
    /// Replace by 0
    Zero,
    /// Keep as missing; only tree rankers accept this
    Keep,
}

#[derive(Clone, Copy, ValueEnum)]
enum UnjudgedArg {
    /// Report an error
    Error,
    /// Drop the document
    Drop,
    /// Use label 0
    Zero,
}

impl Reading {
    /// The corresponding options of the library.
    pub fn options(&self) -> ReadOptions {
        let defaults = ReadOptions::default();
        ReadOptions {
            format: self.format,
            missing: match self.missing {
                MissingArg::Error => Missing::Error,
                MissingArg::Zero => Missing::Zero,
                MissingArg::Keep => Missing::Keep,
            },
            clip: self.clip,
            unjudged: match self.unjudged {
                UnjudgedArg::Error => Unjudged::Error,
                UnjudgedArg::Drop => Unjudged::Drop,
                UnjudgedArg::Zero => Unjudged::Zero,
            },
            regroup: self.regroup,
            zero_based: self.zero_based,
            label_column: self.label_column.clone(),
            query_column: self.query_column.clone(),
            document_column: self.document_column.clone(),
            ignore: self.ignore.clone(),
            groups: self.group.clone(),
            names: self.names.clone(),
            judgments: self.judgments.clone(),
            max_feature_id: self.max_feature_id,
            max_bytes: self.max_memory.unwrap_or(defaults.max_bytes),
        }
    }

    /// Reads files as one data set.
    pub fn read(&self, files: &[PathBuf], output: &crate::output::Output) -> Result<Dataset> {
        self.read_with(files, &self.options(), signals::token(), output)
    }

    /// Reads files as one data set with modified options.
    pub fn read_with(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        stop: &StopToken,
        output: &crate::output::Output,
    ) -> Result<Dataset> {
        let data = {
            let _spinner = output.spinner(format!("reading {}", names(files)));
            read_until(files, options, stop)?
        };
        note_separators(files, options, output)?;
        Ok(data)
    }

    /// Reads files as one data set with the same features as `like`.
    pub fn read_like(
        &self,
        files: &[PathBuf],
        like: &Dataset,
        other: &[PathBuf],
        output: &crate::output::Output,
    ) -> Result<Dataset> {
        let options = self.options();
        let data = {
            let _spinner = output.spinner(format!("reading {}", names(files)));
            read_like_until(files, &options, like, &names(other), signals::token())?
        };
        note_separators(files, &options, output)?;
        Ok(data)
    }
}

/// Says which files were read with another separator than their name says.
fn note_separators(
    files: &[PathBuf],
    options: &ReadOptions,
    output: &crate::output::Output,
) -> Result<()> {
    for file in files {
        if let Some(separator) = guessed_separator(file, options)? {
            let file = file.display();
            output.note(format!(
                "note: {file} has no commas; columns are separated by `{separator}`"
            ));
        }
    }
    Ok(())
}

/// Says that the features of a document were found by id.
pub fn note_found_by_id(output: &crate::output::Output) {
    output.note("note: the data has no feature names; features were found by id");
}

fn names(files: &[PathBuf]) -> String {
    match files {
        [one] => one.display().to_string(),
        [first, ..] => format!("{} and {} more", first.display(), files.len() - 1),
        [] => String::new(),
    }
}

/// The largest number of threads: more than any machine has cores, and few enough to be started.
const MOST_THREADS: usize = 1024;

/// Parses a number of threads.
fn parse_threads(text: &str) -> std::result::Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| *threads <= MOST_THREADS);
    threads.ok_or_else(|| format!("expected a whole number from 0 to {MOST_THREADS}"))
}

/// Parses a size such as `500MB`, `8GiB` or `1000000`.
pub fn parse_bytes(text: &str) -> std::result::Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" | "k" => f64::from(1u32 << 10),
        "mib" | "m" => f64::from(1u32 << 20),
        "gib" | "g" => f64::from(1u32 << 30),
        _ => return Err("write a size such as 500MB or 8GiB".into()),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 => Ok((number * factor) as u64),
        _ => Err("write a size such as 500MB or 8GiB".into()),
    }
}

/// The measures that are reported unless others are named.
pub const DEFAULT_MEASURES: &str = "ndcg@10,map";

/// Options for measures.
#[derive(Args, Clone)]
#[command(next_help_heading = "Measures")]
pub struct Measuring {
    /// Measures, for example ndcg@10,map,err[max=2]@20; see `featherank methods` [default:
    /// ndcg@10,map]
    #[arg(long = "measure", short, value_name = "NAMES")]
    measures: Option<String>,
    /// Conventions for all measures: standard, letor3 or letor4
    #[arg(long, value_name = "PRESET")]
    preset: Option<ConventionPreset>,
}

impl Measuring {
    /// The measures in the given order.
    pub fn requested(&self) -> Result<RequestedMeasures> {
        let with_preset = |measure: Measure| match self.preset {
            Some(preset) => measure.with_preset(preset),
            None => measure,
        };
        let names = self.measures.as_deref();
        let measures = parse_measures(names.unwrap_or(DEFAULT_MEASURES))?;
        Ok(RequestedMeasures {
            measures: measures.into_iter().map(with_preset).collect(),
            are_named: names.is_some(),
        })
    }
}

/// The measures for data with these labels; says if thresholds of relevance were replaced.
pub fn fitted(
    requested: &RequestedMeasures,
    labels: &[LabelFrequency],
    output: &crate::output::Output,
) -> Result<Vec<Measure>> {
    let FittedMeasures { measures, note } = requested.for_labels(labels)?;
    note.into_iter().for_each(|note| output.note(format!("note: {note}")));
    Ok(measures)
}

/// Parses measures separated by commas; at least one.
pub fn parse_measures(list: &str) -> Result<Vec<Measure>> {
    let measures: Vec<Measure> =
        split_outside_brackets(list).map(str::parse).collect::<Result<_>>()?;
    match measures.is_empty() {
        true => Err(Error::invalid("list of measures", list, "at least one measure")),
        false => Ok(measures),
    }
}

/// Parses a duration such as `90s`, `10m` or `1h30m`; a plain number is in seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let refused = || "expected a time above 0 such as 90s, 10m or 1h30m".to_owned();
    let (mut seconds, mut number) = (0.0, String::new());
    for character in text.chars().chain((!text.ends_with(['h', 'm', 's'])).then_some('s')) {
        let unit = match character {
            'h' => 3600.0,
            'm' => 60.0,
            's' => 1.0,
            _ => {
                number.push(character);
                continue;
            }
        };
        seconds += unit
            * number
                .parse::<f64>()
                .ok()
                .filter(|n| n.is_finite() && *n >= 0.0)
                .ok_or_else(refused)?;
        number.clear();
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()).ok_or_else(refused)
}

/// Parses a `key=value` argument.
pub fn parse_setting(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as key=value".into()),
    }
}
