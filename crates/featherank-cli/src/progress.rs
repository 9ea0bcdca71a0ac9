//! Progress bars and Ctrl-C: the command's observer.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use featherank::Stop;
use featherank::run::{Observer, Step};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;

/// Shows steps as a bar on a terminal, as lines where output is piped, not at all when quiet; stops at Ctrl-C.
pub struct Progress {
    mode: Mode,
    bar: Mutex<Option<(&'static str, ProgressBar)>>,
    interrupted: Arc<AtomicBool>,
}

enum Mode {
    Bars,
    Lines,
    Silent,
}

impl Progress {
    /// Starts watching; from now on Ctrl-C stops at the next step, and at once when pressed again.
    pub fn start(output: &Output) -> Arc<Self> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let seen = interrupted.clone();
        // Fails only where a handler is set already, which then does the same.
        let _ = ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        let mode = match () {
            () if output.quiet() => Mode::Silent,
            () if output.live() => Mode::Bars,
            () => Mode::Lines,
        };
        Arc::new(Progress { mode, bar: Mutex::new(None), interrupted })
    }

    fn show(&self, step: &Step) {
        let finished = step.total == Some(step.done);
        match self.mode {
            Mode::Silent => {}
            Mode::Lines if finished => eprintln!("{}: done", step.what),
            Mode::Lines => {}
            Mode::Bars => {
                let mut current = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
                if current.as_ref().is_none_or(|(what, _)| *what != step.what) {
                    if let Some((_, old)) = current.take() {
                        old.finish_and_clear();
                    }
                    let bar = ProgressBar::new(step.total.unwrap_or(0));
                    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:32}] {pos}/{len} eta {eta}")
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

impl Observer for Progress {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        self.show(step);
        match self.interrupted.load(Ordering::Relaxed) {
            true => ControlFlow::Break(Stop::Interrupted),
            false => ControlFlow::Continue(()),
        }
    }
}
