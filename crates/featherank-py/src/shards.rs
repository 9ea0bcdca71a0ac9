//! Shards hosted by Python, and engines over the data they hold.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use featherank::data::{PartSource, RangeSource, ReadOptions};
use featherank::engine::Engine;
use featherank::run::Silent;
use featherank::shards::{RemoteEngine, Shard, ShardTransport};
use featherank::{Error, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::background::run_observed;
use crate::data::{ColumnOrder, matching};
use crate::errors::OrRaise;

/// A file: a path, or a name and an object with `size()` and `read_at(count, start)`.
#[derive(FromPyObject)]
pub enum File {
    /// On disk.
    Path(PathBuf),
    /// A file object, for example in an object store.
    Elsewhere((String, Py<PyAny>)),
}

/// A Python file object.
struct FileObject {
    object: Py<PyAny>,
    length: u64,
}

impl RangeSource for FileObject {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_range(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let read = |py: Python<'_>| -> PyResult<Bytes> {
            let found = self.object.call_method1(py, "read_at", (length, start))?;
            Ok(Bytes::copy_from_slice(found.extract::<&[u8]>(py)?))
        };
        let bytes = Python::attach(read).map_err(|error| io::Error::other(error.to_string()))?;
        match bytes.len() == length {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Holds rows of Parquet files and answers requests.
#[pyclass(frozen, name = "Shard")]
pub struct PyShard(Shard);

#[pymethods]
impl PyShard {
    /// Opens files with read options given as JSON. `memory` limits the bytes for rows; 0 threads
    /// means all cores.
    #[new]
    fn new(
        py: Python<'_>,
        files: Vec<File>,
        options: &str,
        memory: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let options = read_options(options)?;
        let source = |file| match file {
            File::Path(path) => Ok(PartSource::File(path)),
            File::Elsewhere((name, object)) => {
                let length = object.call_method0(py, "size")?.extract(py)?;
                Ok(PartSource::Elsewhere(name, Arc::new(FileObject { object, length })))
            }
        };
        let files: Vec<PartSource> = files.into_iter().map(source).collect::<PyResult<_>>()?;
        py.detach(|| Shard::open(files, &options, memory, threads)).map(PyShard).or_raise(py)
    }

    /// The reply to a request.
    fn reply<'py>(&self, py: Python<'py>, request: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let reply = py.detach(|| self.0.reply(request)).or_raise(py)?;
        Ok(PyBytes::new(py, &reply))
    }
}

/// Parses read options from JSON.
fn read_options(text: &str) -> PyResult<ReadOptions> {
    serde_json::from_str(text)
        .map_err(|e| PyValueError::new_err(format!("options of readers: {e}")))
}

/// Sends messages through a Python object: `start(requests)` sends them and returns a handle;
/// `poll(handle, seconds)` waits and returns the number of replies and, once complete, the replies.
/// May be called from several threads at once.
pub struct PythonTransport {
    object: Py<PyAny>,
    count: usize,
}

/// Timeout of a poll, in seconds.
const POLL_SECONDS: f64 = 0.1;

impl PythonTransport {
    /// A transport to `count` shards.
    pub fn new(object: Py<PyAny>, count: usize) -> Self {
        PythonTransport { object, count }
    }
}

impl ShardTransport for PythonTransport {
    fn count(&self) -> usize {
        self.count
    }

    fn ask(
        &self,
        requests: Vec<Vec<u8>>,
        done: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<Vec<Vec<u8>>> {
        let started = |py: Python<'_>| {
            let requests: Vec<_> =
                requests.iter().map(|request| PyBytes::new(py, request)).collect();
            self.object
                .call_method1(py, "start", (requests,))
                .map_err(|raised| failure(py, &raised))
        };
        let known = Python::attach(started)?;
        let poll = |py: Python<'_>| -> PyResult<(u64, Option<Vec<Vec<u8>>>)> {
            self.object.call_method1(py, "poll", (&known, POLL_SECONDS))?.extract(py)
        };
        loop {
            match Python::attach(|py| poll(py).map_err(|raised| failure(py, &raised)))? {
                (_, Some(replies)) => return Ok(replies),
                // Requests in progress finish on their own after the run is abandoned.
                (answered, None) => done(answered)?,
            }
        }
    }
}

/// Converts an exception into the error of a shard.
fn failure(py: Python<'_>, raised: &PyErr) -> Error {
    let shard = raised.value(py).getattr("shard").and_then(|shard| shard.extract()).unwrap_or(0);
    Error::shard(shard, raised.value(py).to_string())
}

/// Data held by shards.
#[pyclass(frozen, name = "Cluster")]
pub struct PyCluster(Arc<RemoteEngine>);

#[pymethods]
impl PyCluster {
    /// Asks the shards which queries they hold. `memory` limits the bytes for rows on each shard.
    #[new]
    fn new(
        py: Python<'_>,
        carrier: Py<PyAny>,
        count: usize,
        memory: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let shards = Arc::new(PythonTransport::new(carrier, count));
        let engine = run_observed(py, 1, progress.as_ref(), move |observer| {
            let engine = RemoteEngine::open(shards, memory, observer)?;
            engine.set_observer(Arc::new(Silent));
            Ok(engine)
        })?;
        Ok(PyCluster(Arc::new(engine)))
    }

    /// The ids of the features, in the order of the columns.
    fn feature_ids(&self) -> Vec<u32> {
        let table = &self.0.schema().features;
        self.order().features().iter().map(|&feature| table.get(feature).id).collect()
    }

    /// The names of the features, or their ids.
    fn feature_names(&self) -> Vec<String> {
        let table = &self.0.schema().features;
        self.order().features().iter().map(|&feature| table.label(feature)).collect()
    }

    /// The columns of a feature name, an id, a range of ids or a pattern of names.
    fn matching(&self, py: Python<'_>, item: &str) -> PyResult<Vec<usize>> {
        matching(&self.0.schema().features, &self.order(), item).or_raise(py)
    }

    /// Changes with any value, label, query or feature.
    fn fingerprint(&self) -> String {
        self.0.schema().fingerprint.clone()
    }

    /// The number of documents and of queries.
    fn shape(&self) -> (u64, usize) {
        (self.0.schema().documents(), self.0.schema().queries())
    }

    /// Bytes sent to and received from shards so far.
    fn moved(&self) -> (u64, u64) {
        let moved = self.0.moved();
        (moved.sent, moved.received)
    }
}

impl PyCluster {
    /// The features by column.
    pub fn order(&self) -> ColumnOrder {
        ColumnOrder::of_files(&self.0.schema().features)
    }

    /// The engine.
    pub fn engine(&self) -> Arc<RemoteEngine> {
        self.0.clone()
    }
}
