//! Opening data: in memory, streamed from files larger than memory, or on the shards of a cluster.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use featherank::data::ReadOptions;
use featherank::engine::{Engine, LocalEngine};
use featherank::internals::text::grouped;
use featherank::internals::{CostedEngine, PassCost, parts_beyond_memory};
use featherank::run::{Observer, Step};
use featherank::shards::StreamEngine;
use featherank::{Error, Result};

use crate::arguments::{Reading, parse_bytes};
use crate::errors::{CommandResult, Failure};
use crate::output::{Output, table};

/// Opens data on a cluster. Only the Python package implements it.
pub trait Cluster: Sync {
    /// Starts shards that read files, which may be URLs of an object store.
    fn open(&self, request: &ShardRequest, observer: Arc<dyn Observer>) -> Result<Arc<dyn Engine>>;
}

/// The shards to start.
pub struct ShardRequest {
    /// Address of the cluster; `None` for a cluster on this machine.
    pub address: Option<String>,
    /// The files.
    pub files: Vec<String>,
    /// How to read them.
    pub options: ReadOptions,
    /// Number of shards; `None` for one per core of the cluster.
    pub shards: Option<usize>,
    /// Memory limit for the rows of each shard, in bytes.
    pub memory: Option<u64>,
}

/// Options for data that does not fit into memory.
#[derive(Args, Clone)]
#[command(next_help_heading = "Large data")]
pub struct ScaleArgs {
    /// Where to process the data: local, ray (a cluster on this machine) or ray://ADDRESS; Ray
    /// requires the Python package
    #[arg(long, value_name = "NAME", default_value = "local")]
    engine: String,
    /// Number of shards on the cluster [default: one per core]
    #[arg(long, value_name = "N")]
    shards: Option<usize>,
    /// Approximate memory limit, for example 2GiB; on a cluster, per shard. Larger Parquet files
    /// are streamed from disk in every pass
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Print the number of passes over the data and the bytes transferred
    #[arg(long)]
    explain: bool,
}

/// What opening data needs besides the files.
pub struct Opening<'a> {
    /// Options for reading.
    pub reading: &'a Reading,
    /// 0 for all cores.
    pub threads: usize,
    /// Receives progress.
    pub observer: Arc<dyn Observer>,
    /// The cluster, if available.
    pub cluster: Option<&'a dyn Cluster>,
    /// Receives notes.
    pub output: &'a Output,
}

/// An engine over open data.
pub struct OpenedData {
    /// The engine.
    pub engine: Arc<dyn Engine>,
    explained: Option<Arc<CostedEngine>>,
}

impl ScaleArgs {
    /// Opens files as one data set. If the rows will not be in this process, `check_remote` is
    /// called first and may refuse.
    pub fn open(
        &self,
        files: &[PathBuf],
        how: &Opening<'_>,
        check_remote: &dyn Fn() -> Result<()>,
    ) -> CommandResult<OpenedData> {
        let engine = match self.engine.as_str() {
            "local" => self.local(files, how, check_remote)?,
            name => {
                let address = match name.split_once("://") {
                    None if name == "ray" => None,
                    Some(("ray", address)) if !address.is_empty() => Some(address.to_owned()),
                    _ => {
                        let expected = "local, ray or ray://ADDRESS";
                        return Err(Error::invalid("engine", name, expected).into());
                    }
                };
                let cluster = how.cluster.ok_or_else(no_cluster)?;
                check_remote()?;
                let files = files.iter().map(|path| path.display().to_string()).collect();
                let (options, shards, memory) = (how.reading.options(), self.shards, self.memory);
                cluster.open(
                    &ShardRequest { address, files, options, shards, memory },
                    how.observer.clone(),
                )?
            }
        };
        let explained = self.explain.then(|| Arc::new(CostedEngine::new(engine.clone())));
        Ok(OpenedData {
            engine: explained.clone().map_or(engine, |explained| explained),
            explained,
        })
    }

    fn local(
        &self,
        files: &[PathBuf],
        how: &Opening<'_>,
        check_remote: &dyn Fn() -> Result<()>,
    ) -> CommandResult<Arc<dyn Engine>> {
        let Opening { reading, threads, ref observer, output, .. } = *how;
        if self.shards.is_some() {
            return Err(Failure::usage(
                "--shards is for clusters only",
                "add --engine ray, or leave out --shards",
            ));
        }
        let mut options = reading.options();
        if let Some(memory) = self.memory {
            if let Some(parts) = parts_beyond_memory(files, &options, memory)? {
                check_remote()?;
                let engine = StreamEngine::open(parts, memory, threads, observer.clone())?;
                return Ok(Arc::new(engine));
            }
            options.max_bytes = options.max_bytes.min(memory);
        }
        // What a bar shows until the first pass; stops are checked while reading.
        let _ = observer.on_step(&Step::pass("reading", 0, None));
        let data = reading.read_with(files, &options, observer.stop(), output)?;
        Ok(Arc::new(LocalEngine::new(data, threads)?.observed_by(observer.clone())))
    }
}

fn no_cluster() -> Failure {
    Failure::usage(
        "this build of featherank has no cluster engine",
        "install the Python package with `pip install \"featherank[ray]\"` and use its `featherank` command",
    )
}

impl OpenedData {
    /// The cost of each kind of pass as text, with `--explain`.
    pub fn explanation(&self, width: usize) -> Option<String> {
        let costs = self.explained.as_ref()?.costs();
        let row = |name: &str, cost: &PassCost| {
            let each = |bytes: u64| grouped(bytes / cost.passes.max(1));
            vec![
                name.to_owned(),
                grouped(cost.passes),
                each(cost.sent),
                each(cost.received),
                grouped(cost.sent + cost.received),
                format!("{:.2}", cost.seconds),
            ]
        };
        let mut rows: Vec<Vec<String>> = costs.iter().map(|(name, cost)| row(name, cost)).collect();
        let all = costs.iter().fold(PassCost::default(), |all, (_, cost)| all + *cost);
        rows.push(row("total", &all));
        let header = ["pass", "count", "bytes sent", "bytes received", "total bytes", "seconds"];
        Some(format!(
            "passes over the data (bytes sent and received are per pass):\n{}",
            table(&header, &rows, width)
        ))
    }
}
