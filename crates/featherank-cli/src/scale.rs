//! Where rows are: in memory, in files larger than it, or with the shards of a cluster.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use featherank::data::{Format, PartSource, Parts, ReadOptions};
use featherank::engine::{Cost, Engine, Explained, LocalEngine, StreamEngine};
use featherank::run::Observer;
use featherank::{Error, Result};

use crate::arguments::{Reading, parse_bytes};
use crate::output::{Output, grouped, table};

/// Of the memory, what data may take that is read as a whole: methods need room beside it.
const SHARE_OF_DATA: u64 = 2;

/// What opens data on a cluster. The Python package has one; this program alone has none.
pub trait Cluster: Sync {
    /// Starts shards over files, which may be addresses of a store.
    fn open(&self, wanted: &Wanted, observer: Arc<dyn Observer>) -> Result<Arc<dyn Engine>>;
}

/// Shards to be started.
pub struct Wanted {
    /// Where the cluster is; one on this machine where nothing is said.
    pub address: Option<String>,
    /// The files.
    pub files: Vec<String>,
    /// How to read them.
    pub options: ReadOptions,
    /// How many; as many as the cluster has cores where nothing is said.
    pub shards: Option<usize>,
    /// What rows may take with each shard, in bytes.
    pub memory: Option<u64>,
}

/// Where rows are to be.
#[derive(Args, Clone)]
#[command(next_help_heading = "Large data")]
pub struct Scale {
    /// Where rows are: local, ray (a cluster on this machine) or ray://ADDRESS; Ray comes with the
    /// Python package
    #[arg(long, value_name = "NAME", default_value = "local")]
    engine: String,
    /// Number of shards on the cluster [default: one for each of its cores]
    #[arg(long, value_name = "N")]
    shards: Option<usize>,
    /// Most memory to use, such as 2GiB, about; with a cluster, on each shard. Parquet files that
    /// need more are read piece by piece, again for every pass
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Print how often the method went over the rows, and how many bytes that moves
    #[arg(long)]
    explain: bool,
}

/// What opening data takes besides the files.
pub struct Opening<'a> {
    /// How to read.
    pub reading: &'a Reading,
    /// 0 for all cores.
    pub threads: usize,
    /// Who watches.
    pub observer: Arc<dyn Observer>,
    /// Where there is one.
    pub cluster: Option<&'a dyn Cluster>,
    /// Who is told.
    pub output: &'a Output,
}

/// An open engine.
pub struct Opened {
    /// The engine.
    pub engine: Arc<dyn Engine>,
    explained: Option<Arc<Explained>>,
}

impl Scale {
    /// Opens files as one data set. Before rows are looked for that will not be in this process,
    /// `elsewhere` may refuse.
    pub fn open(
        &self,
        files: &[PathBuf],
        how: &Opening<'_>,
        elsewhere: &dyn Fn() -> Result<()>,
    ) -> Result<Opened> {
        let engine = match self.engine.as_str() {
            "local" => self.local(files, how, elsewhere)?,
            name => {
                let address = match name.split_once("://") {
                    None if name == "ray" => None,
                    Some(("ray", address)) if !address.is_empty() => Some(address.to_owned()),
                    _ => return Err(Error::invalid("engine", name, "local, ray or ray://ADDRESS")),
                };
                let cluster = how.cluster.ok_or_else(no_cluster)?;
                elsewhere()?;
                let files = files.iter().map(|path| path.display().to_string()).collect();
                let (options, shards, memory) = (how.reading.options(), self.shards, self.memory);
                cluster.open(
                    &Wanted { address, files, options, shards, memory },
                    how.observer.clone(),
                )?
            }
        };
        let explained = self.explain.then(|| Arc::new(Explained::new(engine.clone())));
        Ok(Opened { engine: explained.clone().map_or(engine, |explained| explained), explained })
    }

    fn local(
        &self,
        files: &[PathBuf],
        how: &Opening<'_>,
        elsewhere: &dyn Fn() -> Result<()>,
    ) -> Result<Arc<dyn Engine>> {
        let Opening { reading, threads, ref observer, output, .. } = *how;
        if self.shards.is_some() {
            return Err(Error::settings(
                "shards need a cluster",
                "add --engine ray, or leave out --shards",
            ));
        }
        let mut options = reading.options();
        if let Some(memory) = self.memory {
            let is_parquet = |path: &PathBuf| {
                options.format.or_else(|| Format::from_name(&path.display().to_string()))
                    == Some(Format::Parquet)
            };
            if files.iter().all(is_parquet) {
                let parts =
                    Parts::open(files.iter().cloned().map(PartSource::File).collect(), &options)?;
                let bytes = parts.rows().saturating_mul(4 * parts.features().len() as u64);
                if bytes > memory / SHARE_OF_DATA {
                    elsewhere()?;
                    return Ok(Arc::new(StreamEngine::open(
                        parts,
                        memory,
                        threads,
                        observer.clone(),
                    )?));
                }
            }
            options.max_bytes = options.max_bytes.min(memory);
        }
        let data = reading.read_with(files, &options, output)?;
        Ok(Arc::new(LocalEngine::new(data, threads)?.observed_by(observer.clone())))
    }
}

fn no_cluster() -> Error {
    Error::unsupported(
        "this build of featherank has no cluster engine",
        "install the Python package with `pip install \"featherank[ray]\"` and use its `featherank` command",
    )
}

impl Opened {
    /// What passes cost, for people; nothing where nobody asked.
    pub fn explanation(&self) -> Option<String> {
        let costs = self.explained.as_ref()?.costs();
        let row = |name: &str, cost: &Cost| {
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
        let all = costs.iter().fold(Cost::default(), |all, (_, cost)| all + *cost);
        rows.push(row("all", &all));
        let header = ["pass", "times", "bytes out", "bytes back", "bytes in all", "seconds"];
        Some(format!("over the rows:\n{}", table(&header, &rows)))
    }
}
