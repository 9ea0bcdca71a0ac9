//! The progress bar of a command, as an observer of runs that signals stop.

use std::collections::HashSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use featherank::Stop;
use featherank::run::{Observer, ProgressState, Step, StopToken};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;
use crate::signals;

/// How often the bar is drawn: the first time soon after the start, then without a step, too.
const INTERVAL: Duration = Duration::from_millis(200);

/// Shows steps as one bar on a terminal, as one line per kind of work if output is piped, and not at
/// all with `--quiet`. Its token is stopped by signals.
pub struct Progress(Mode);

enum Mode {
    Bar(Arc<Bar>),
    /// The lines already printed: methods may repeat a pass hundreds of times.
    Lines(Mutex<HashSet<&'static str>>),
    Silent,
}

/// One bar for all steps of the command; dropping it clears the line.
pub struct Bar {
    state: Mutex<ProgressState>,
    drawn: ProgressBar,
}

impl Progress {
    /// Starts observing and showing progress.
    pub fn start(output: &Output) -> Arc<Self> {
        let mode = match () {
            () if output.quiet() => Mode::Silent,
            () if output.live() => Mode::Bar(Bar::start()),
            () => Mode::Lines(Mutex::default()),
        };
        Self::of(mode)
    }

    /// Observes signals only, for commands that show their own progress.
    pub fn silent() -> Arc<Self> {
        Self::of(Mode::Silent)
    }

    fn of(mode: Mode) -> Arc<Self> {
        signals::set_observed(true);
        Arc::new(Progress(mode))
    }
}

impl Bar {
    /// Shows the bar, and keeps its time up to date.
    pub fn start() -> Arc<Self> {
        let drawn = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            drawn.set_style(style);
        }
        let bar = Arc::new(Bar { state: Mutex::new(ProgressState::new(Instant::now())), drawn });
        let weak = Arc::downgrade(&bar);
        // Without the thread the bar is drawn at steps only.
        drop(std::thread::Builder::new().name("progress".into()).spawn(move || draw(&weak)));
        bar
    }

    /// Takes in a step.
    pub fn add(&self, step: &Step) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).add(step, Instant::now());
    }

    /// Prints above the bar.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.drawn.suspend(print);
    }

    fn draw(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.drawn.set_message(state.line(Instant::now()));
        self.drawn.tick();
    }
}

/// Draws the bar until it is dropped.
fn draw(bar: &Weak<Bar>) {
    while let Some(bar) = bar.upgrade() {
        bar.draw();
        drop(bar);
        std::thread::sleep(INTERVAL);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.drawn.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        signals::set_observed(false);
    }
}

impl Observer for Progress {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        match &self.0 {
            Mode::Silent => {}
            Mode::Lines(printed) => {
                let is_done = step.total == Some(step.done);
                let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
                if is_done && printed.insert(step.what) {
                    // A closed standard error must not stop the work.
                    let _ = writeln!(std::io::stderr(), "{}: done", step.what);
                }
            }
            Mode::Bar(bar) => bar.add(step),
        }
        ControlFlow::Continue(())
    }

    fn stop(&self) -> &StopToken {
        signals::token()
    }
}
