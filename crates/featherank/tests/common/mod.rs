//! Shared by test files: the real data, an interruption, a temporary folder, compressors, and
//! Parquet files of any columns.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses a part; a failure here is a failed test"
)]

pub mod elsewhere;
pub mod embedded;
mod real_data;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, RecordBatch};
use featherank::Stop;
use featherank::run::{Observer, Step, StepLevel};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
pub use real_data::real_data;

/// Interrupts a run at a given step.
pub struct StopAt(AtomicU64);

impl StopAt {
    pub fn step(number: u64) -> Arc<Self> {
        Arc::new(StopAt(AtomicU64::new(number)))
    }
}

impl Observer for StopAt {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 => ControlFlow::Break(Stop::Interrupted),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Watches the order of stages.
#[derive(Default)]
pub struct Stages(Mutex<(Option<Step>, Vec<String>)>);

impl Stages {
    /// Stages that were replaced before they had ended, and steps back.
    pub fn faults(&self) -> Vec<String> {
        self.0.lock().unwrap().1.clone()
    }

    /// The last step.
    pub fn last(&self) -> Option<Step> {
        self.0.lock().unwrap().0
    }
}

impl Observer for Stages {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        if step.level == StepLevel::Stage {
            let (last, faults) = &mut *self.0.lock().unwrap();
            if let Some((before, share)) = last.and_then(|before| Some((before, before.share()?))) {
                let (is_same, next) = (before.what == step.what, step.share());
                let is_back = is_same && next.is_none_or(|next| next < share - 1e-9);
                if is_back || !is_same && share < 1.0 - 1e-9 {
                    faults.push(format!("{before:?}, then {step:?}"));
                }
            }
            *last = Some(*step);
        }
        ControlFlow::Continue(())
    }
}

/// A folder for the files of one test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).unwrap();
        self.path(name)
    }
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    zstd::encode_all(bytes.as_ref(), 3).unwrap()
}

pub fn xz(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// The first two thirds, like a truncated copy.
pub fn cut(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() * 2 / 3);
    bytes
}

/// A Parquet file of these columns, in row groups of at most three rows.
pub fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let nullable = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(3)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// A column from a list of Rust values.
pub fn column<A: arrow_array::Array + 'static>(array: A) -> ArrayRef {
    Arc::new(array)
}
