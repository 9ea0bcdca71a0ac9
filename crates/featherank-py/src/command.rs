//! The `featherank` command run from Python, with a Ray cluster as an engine.

use std::ffi::OsString;
use std::sync::Arc;

use featherank::engine::Engine;
use featherank::run::Observer;
use featherank::shards::RemoteEngine;
use featherank::{Error, Result};
use featherank_cli::{Cluster, ShardRequest};
use pyo3::prelude::*;

use crate::shards::PythonTransport;

/// Runs the command and returns the exit code. The first argument is the program name.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| featherank_cli::main(arguments, Some(&Ray)))
}

/// Starts shards with `featherank.ray`.
struct Ray;

impl Cluster for Ray {
    fn open(&self, request: &ShardRequest, observer: Arc<dyn Observer>) -> Result<Arc<dyn Engine>> {
        let options = serde_json::to_string(&request.options).map_err(|e| {
            Error::unsupported(
                format!("these options cannot be sent to shards: {e}"),
                "use paths that are valid UTF-8",
            )
        })?;
        let start = |py: Python<'_>| -> PyResult<(Py<PyAny>, usize, u64)> {
            let ShardRequest { address, files, shards, memory, .. } = request;
            let module = py.import("featherank.ray")?;
            module.getattr("_start")?.call1((files, options, address, *shards, *memory))?.extract()
        };
        let (carrier, count, memory) =
            Python::attach(|py| start(py).map_err(|raised| refused(py, &raised)))?;
        Ok(Arc::new(RemoteEngine::open(
            Arc::new(PythonTransport::new(carrier, count)),
            memory,
            observer,
        )?))
    }
}

fn refused(py: Python<'_>, raised: &PyErr) -> Error {
    Error::unsupported("the cluster cannot be used", raised.value(py).to_string())
}
