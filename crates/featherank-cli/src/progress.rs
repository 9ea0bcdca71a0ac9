//! Progress bars and Ctrl-C, as an observer of runs.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use featherank::Stop;
use featherank::run::{Observer, Step};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;

/// Ctrl-C was pressed during an observed run.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// An observed run is active and will check [`INTERRUPTED`] soon.
static WATCHING: AtomicBool = AtomicBool::new(false);

/// Installs the Ctrl-C handler. The process exits with code 130: at the next step of an observed
/// run, or at once if there is none or Ctrl-C is pressed again. Files are written atomically, so it
/// is safe to stop anywhere.
pub fn handle_interrupts() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if !WATCHING.load(Ordering::Relaxed) || INTERRUPTED.swap(true, Ordering::Relaxed) {
            featherank::data::discard_unfinished_writes();
            std::process::exit(130);
        }
    })?;
    Ok(())
}

/// Shows steps as a bar on a terminal, as one line per kind of work if output is piped, and not at
/// all with `--quiet`; stops the run at Ctrl-C.
pub struct Progress {
    mode: Mode,
    bar: Mutex<Option<(&'static str, ProgressBar)>>,
    /// The lines already printed: methods may repeat a pass hundreds of times.
    printed: Mutex<HashSet<&'static str>>,
}

enum Mode {
    Bars,
    Lines,
    Silent,
}

impl Progress {
    /// Starts observing and showing progress.
    pub fn start(output: &Output) -> Arc<Self> {
        WATCHING.store(true, Ordering::Relaxed);
        let mode = match () {
            () if output.quiet() => Mode::Silent,
            () if output.live() => Mode::Bars,
            () => Mode::Lines,
        };
        Arc::new(Progress { mode, bar: Mutex::new(None), printed: Mutex::default() })
    }

    /// Observes Ctrl-C only, for commands that show their own progress.
    pub fn watch() -> Arc<Self> {
        WATCHING.store(true, Ordering::Relaxed);
        Arc::new(Progress { mode: Mode::Silent, bar: Mutex::new(None), printed: Mutex::default() })
    }

    fn show(&self, step: &Step) {
        let finished = step.total == Some(step.done);
        match self.mode {
            Mode::Silent => {}
            Mode::Lines if finished => {
                if self.printed.lock().unwrap_or_else(PoisonError::into_inner).insert(step.what) {
                    eprintln!("{}: done", step.what);
                }
            }
            Mode::Lines => {}
            Mode::Bars => {
                let mut current = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
                if current.as_ref().is_none_or(|(what, _)| *what != step.what) {
                    if let Some((_, old)) = current.take() {
                        old.finish_and_clear();
                    }
                    let bar = ProgressBar::new(step.total.unwrap_or(0));
                    if let Ok(style) =
                        ProgressStyle::with_template("{msg} [{bar:32}] {pos}/{len} eta {eta}")
                    {
                        bar.set_style(style);
                    }
                    bar.set_message(step.what);
                    *current = Some((step.what, bar));
                }
                if let Some((_, bar)) = current.as_ref() {
                    bar.set_position(step.done);
                    if finished {
                        bar.finish_and_clear();
                    }
                }
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        WATCHING.store(false, Ordering::Relaxed);
    }
}

impl Observer for Progress {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        self.show(step);
        match INTERRUPTED.load(Ordering::Relaxed) {
            true => ControlFlow::Break(Stop::Interrupted),
            false => ControlFlow::Continue(()),
        }
    }
}
