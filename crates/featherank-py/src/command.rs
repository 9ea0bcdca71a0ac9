//! The `featherank` command, run from Python, which brings a cluster along.

use std::ffi::OsString;
use std::sync::Arc;

use featherank::engine::{Engine, RemoteEngine};
use featherank::run::Observer;
use featherank::{Error, Result};
use featherank_cli::{Cluster, Wanted};
use pyo3::prelude::*;

use crate::shards::Carrier;

/// Runs the command with these arguments, of which the first is its own name, and returns the exit
/// code.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| featherank_cli::main(arguments, Some(&Ray)))
}

/// Shards that `featherank.ray` hosts.
struct Ray;

impl Cluster for Ray {
    fn open(&self, wanted: &Wanted, observer: Arc<dyn Observer>) -> Result<Arc<dyn Engine>> {
        let options = serde_json::to_string(&wanted.options).map_err(|e| {
            Error::unsupported(
                format!("these options cannot be sent to shards: {e}"),
                "use paths that are valid UTF-8",
            )
        })?;
        let start = |py: Python<'_>| -> PyResult<(Py<PyAny>, usize, u64)> {
            let Wanted { address, files, shards, memory, .. } = wanted;
            let module = py.import("featherank.ray")?;
            module.getattr("_start")?.call1((files, options, address, *shards, *memory))?.extract()
        };
        let (carrier, count, memory) =
            Python::attach(|py| start(py).map_err(|raised| refused(py, &raised)))?;
        Ok(Arc::new(RemoteEngine::open(Arc::new(Carrier::new(carrier, count)), memory, observer)?))
    }
}

fn refused(py: Python<'_>, raised: &PyErr) -> Error {
    Error::unsupported("the cluster could not be used", raised.value(py).to_string())
}
