//! Runs long work in a thread of its own without the GIL, while the calling thread shows progress
//! and handles Ctrl-C.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use featherank::run::{Observer, Step};
use featherank::{Error, Result, Stop};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Polling interval of the calling thread.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long to wait for interrupted work to stop. After that it is abandoned, and ends at its next
/// step.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

/// Stores the last step for display, and stops the work on request.
#[derive(Default)]
struct Watcher {
    stopped: AtomicBool,
    last: Mutex<Option<Step>>,
}

impl Observer for Watcher {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(*step);
        match self.stopped.load(Ordering::Relaxed) {
            true => ControlFlow::Break(Stop::Interrupted),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Watcher {
    fn show(&self, py: Python<'_>, progress: &Py<PyAny>) -> PyResult<()> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        last.map_or(Ok(()), |Step { what, done, total }| {
            progress.call1(py, (what, done, total)).map(drop)
        })
    }
}

/// Runs work on `threads` threads (0 for all cores) and reports steps by calling `progress(what,
/// done, total)`.
///
/// The threads exist only during this call, so that the process may fork between calls.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(Arc<dyn Observer>) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let watcher = Arc::new(Watcher::default());
    let observer: Arc<dyn Observer> = watcher.clone();
    let (sender, receiver) = channel();
    let worker = std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| Error::invalid("number of threads", threads, e.to_string()));
        // The receiver is gone if the work was abandoned.
        let _ = sender.send(pool.and_then(|pool| pool.install(|| work(observer))));
    });
    let receiver = Mutex::new(receiver);
    let wait = |time: Duration| {
        py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time))
    };
    loop {
        match wait(POLL_INTERVAL) {
            Ok(result) => {
                let value = result.or_raise(py)?;
                // Short work may end before its last step was shown.
                progress.map_or(Ok(()), |progress| watcher.show(py, progress))?;
                return Ok(value);
            }
            Err(RecvTimeoutError::Timeout) => {
                let shown = progress.map_or(Ok(()), |progress| watcher.show(py, progress));
                if let Err(raised) = shown.and_then(|()| py.check_signals()) {
                    watcher.stopped.store(true, Ordering::Relaxed);
                    let _ = wait(STOP_TIMEOUT);
                    return Err(raised);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return match worker.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => Err(PyRuntimeError::new_err("the work ended without a result")),
                };
            }
        }
    }
}
