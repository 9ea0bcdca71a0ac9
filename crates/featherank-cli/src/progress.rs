//! Progress bars and Ctrl-C: the command's observer.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use featherank::Stop;
use featherank::run::{Observer, Step};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;

/// Ctrl-C was pressed while a run was being watched.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Somebody looks at [`INTERRUPTED`] often enough to stop soon.
static WATCHING: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C ends the process with code 130: at the next step of a watched run, else, or
/// when pressed again, at once. Files are written whole or not at all, so that stopping anywhere is
/// safe.
pub fn handle_interrupts() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if !WATCHING.load(Ordering::Relaxed) || INTERRUPTED.swap(true, Ordering::Relaxed) {
            featherank::data::discard_unfinished_writes();
            std::process::exit(130);
        }
    })?;
    Ok(())
}

/// Shows steps as a bar on a terminal, as one line for each kind of work where output is piped, not
/// at all when quiet; stops at Ctrl-C.
pub struct Progress {
    mode: Mode,
    bar: Mutex<Option<(&'static str, ProgressBar)>>,
    /// What lines have said: methods that repeat their passes would say it hundreds of times.
    said: Mutex<HashSet<&'static str>>,
}

enum Mode {
    Bars,
    Lines,
    Silent,
}

impl Progress {
    /// Starts watching.
    pub fn start(output: &Output) -> Arc<Self> {
        WATCHING.store(true, Ordering::Relaxed);
        let mode = match () {
            () if output.quiet() => Mode::Silent,
            () if output.live() => Mode::Bars,
            () => Mode::Lines,
        };
        Arc::new(Progress { mode, bar: Mutex::new(None), said: Mutex::default() })
    }

    /// Watches for Ctrl-C and shows nothing: for commands that say themselves how far they are.
    pub fn watch() -> Arc<Self> {
        WATCHING.store(true, Ordering::Relaxed);
        Arc::new(Progress { mode: Mode::Silent, bar: Mutex::new(None), said: Mutex::default() })
    }

    fn show(&self, step: &Step) {
        let finished = step.total == Some(step.done);
        match self.mode {
            Mode::Silent => {}
            Mode::Lines if finished => {
                if self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(step.what) {
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
