//! Runs long work in a thread of its own without the GIL, while the calling thread shows progress
//! and handles Ctrl-C.

use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use featherank::run::{Observer, ProgressState, Step, StopToken};
use featherank::{Error, Result, Stop};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Polling interval of the calling thread.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long to wait for interrupted work to stop. After that it is abandoned, and ends on its own.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

/// Stores the progress for display, and stops the work on request.
struct StepRecorder {
    stop: StopToken,
    state: Mutex<ProgressState>,
}

impl Observer for StepRecorder {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        self.state().add(step, Instant::now());
        ControlFlow::Continue(())
    }

    fn stop(&self) -> &StopToken {
        &self.stop
    }
}

impl StepRecorder {
    fn new() -> Self {
        let state = Mutex::new(ProgressState::new(Instant::now()));
        StepRecorder { stop: StopToken::new(), state }
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the state of the bar, if any step was reported.
    fn show(&self, py: Python<'_>, progress: &Py<PyAny>) -> PyResult<()> {
        let state = self.state();
        let Some(what) = state.step().map(|step| step.what) else { return Ok(()) };
        let (share, status) = (state.share(), state.status(Instant::now()));
        drop(state);
        progress.call1(py, (what, share, status)).map(drop)
    }
}

/// Runs work on `threads` threads (0 for all cores) and shows its progress by calling
/// `progress(what, share, status)` at every poll: the stage, the share of it that is done or
/// `None`, and its counts and remaining time as text.
///
/// The threads exist only during this call, so that the process may fork between calls.
pub fn run_observed<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(Arc<dyn Observer>) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let recorder = Arc::new(StepRecorder::new());
    let observer: Arc<dyn Observer> = recorder.clone();
    let (sender, receiver) = channel();
    let work = move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| Error::threads(threads, e));
        // The receiver is gone if the work was abandoned.
        let _ = sender.send(pool.and_then(|pool| pool.install(|| work(observer))));
    };
    let worker = std::thread::Builder::new().spawn(work);
    let worker = worker.map_err(|e| Error::threads(1, e)).or_raise(py)?;
    let receiver = Mutex::new(receiver);
    let wait = |time: Duration| {
        py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time))
    };
    loop {
        match wait(POLL_INTERVAL) {
            Ok(result) => {
                let value = result.or_raise(py)?;
                // Short work may end before its last step was shown.
                progress.map_or(Ok(()), |progress| recorder.show(py, progress))?;
                return Ok(value);
            }
            Err(RecvTimeoutError::Timeout) => {
                let shown = progress.map_or(Ok(()), |progress| recorder.show(py, progress));
                if let Err(raised) = shown.and_then(|()| py.check_signals()) {
                    recorder.stop.stop(Stop::Interrupted);
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
