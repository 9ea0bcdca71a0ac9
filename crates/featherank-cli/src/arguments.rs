//! Arguments shared by several commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use featherank::data::{Dataset, Format, Missing, ReadOptions, Unjudged, read, read_like};
use featherank::experiment::split_outside_brackets;
use featherank::measure::{ConventionPreset, Measure};
use featherank::{Error, Result};

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
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub threads: usize,
}

impl Common {
    /// Starts the global thread pool.
    pub fn start_threads(&self) -> Result<()> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build_global()
            .map_err(|e| Error::invalid("number of threads", self.threads, e.to_string()))
    }
}

/// Options for reading data.
#[derive(Args, Clone)]
#[command(next_help_heading = "Reading data")]
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
    /// Memory limit for the feature values, for example 8GiB or 500MB
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
        self.read_with(files, &self.options(), output)
    }

    /// Reads files as one data set with modified options.
    pub fn read_with(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        output: &crate::output::Output,
    ) -> Result<Dataset> {
        let _spinner = output.spinner(format!("reading {}", names(files)));
        read(files, options)
    }

    /// Reads files as one data set with the same features as `like`.
    pub fn read_like(
        &self,
        files: &[PathBuf],
        like: &Dataset,
        other: &[PathBuf],
        output: &crate::output::Output,
    ) -> Result<Dataset> {
        let _spinner = output.spinner(format!("reading {}", names(files)));
        read_like(files, &self.options(), like, &names(other))
    }
}

fn names(files: &[PathBuf]) -> String {
    match files {
        [one] => one.display().to_string(),
        [first, ..] => format!("{} and {} more", first.display(), files.len() - 1),
        [] => String::new(),
    }
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

/// Options for measures.
#[derive(Args, Clone)]
#[command(next_help_heading = "Measures")]
pub struct Measuring {
    /// Measures, for example ndcg@10,map,err[max=2]@20; see `featherank methods`
    #[arg(long = "measure", short, value_name = "NAMES", default_value = "ndcg@10,map")]
    measures: String,
    /// Conventions for all measures: standard, letor3 or letor4
    #[arg(long, value_name = "PRESET")]
    preset: Option<ConventionPreset>,
}

impl Measuring {
    /// The measures in the given order.
    pub fn measures(&self) -> Result<Vec<Measure>> {
        let parse = |name: &str| {
            let measure: Measure = name.parse()?;
            Ok(match self.preset {
                Some(preset) => measure.with_preset(preset),
                None => measure,
            })
        };
        let measures: Vec<Measure> =
            split_outside_brackets(&self.measures).map(parse).collect::<Result<_>>()?;
        match measures.is_empty() {
            true => Err(Error::invalid("list of measures", &self.measures, "at least one measure")),
            false => Ok(measures),
        }
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
