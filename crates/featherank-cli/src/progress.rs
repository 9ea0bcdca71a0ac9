//! The progress bar of a command, as an observer of runs that signals stop.

use std::collections::HashSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use featherank::Stop;
use featherank::run::{Observer, ProgressState, Step, StopToken};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;
use crate::signals;

/// How often the bar is drawn: the first time soon after the start, then without a step, too.
const INTERVAL: Duration = Duration::from_millis(200);

/// Shows steps as one bar on a terminal, as one line per kind of work if output is piped, and not
/// at all with `--quiet`. Its token is stopped by signals.
pub struct Progress(Mode);

enum Mode {
    Bar(Bar),
    /// The lines already printed: methods may repeat a pass hundreds of times.
    Lines(Mutex<HashSet<&'static str>>),
    Silent,
}

/// One bar for all steps of the command; dropping it clears the line.
struct Bar(Arc<Line>);

/// The line on which the bar is drawn.
struct Line {
    state: Mutex<LineState>,
    drawn: ProgressBar,
}

struct LineState {
    progress: ProgressState,
    /// Whether the line is drawn: from the start, or from a step, until something is printed.
    is_shown: bool,
    has_ended: bool,
}

/// The line of the command that runs. Whatever is printed must not end up on it.
static LINE: Mutex<Weak<Line>> = Mutex::new(Weak::new());

/// Prints results: clears the bar, which appears again at the next step.
pub fn cleared<T>(print: impl FnOnce() -> T) -> T {
    let Some(line) = current() else { return print() };
    let mut state = line.lock();
    line.clear(&mut state);
    print()
}

/// Prints a note above the bar.
pub fn suspended<T>(print: impl FnOnce() -> T) -> T {
    let Some(line) = current() else { return print() };
    let state = line.lock();
    if state.is_shown { line.drawn.suspend(print) } else { print() }
}

fn current() -> Option<Arc<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
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

    /// The same for a command that prints lines of its own if output is piped.
    pub fn on_terminal(output: &Output) -> Arc<Self> {
        Self::of(if output.live() { Mode::Bar(Bar::start()) } else { Mode::Silent })
    }

    fn of(mode: Mode) -> Arc<Self> {
        signals::begin_run();
        Arc::new(Progress(mode))
    }
}

impl Bar {
    /// Shows the bar, and keeps its time up to date.
    fn start() -> Self {
        let drawn = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            drawn.set_style(style);
        }
        let progress = ProgressState::new(Instant::now());
        let state = Mutex::new(LineState { progress, is_shown: true, has_ended: false });
        let line = Arc::new(Line { state, drawn });
        *LINE.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&line);
        let weak = Arc::downgrade(&line);
        // Without the thread the bar is not drawn.
        drop(std::thread::Builder::new().name("progress".into()).spawn(move || draw(&weak)));
        Bar(line)
    }

    /// Takes in a step.
    fn add(&self, step: &Step) {
        let mut state = self.0.lock();
        state.progress.add(step, Instant::now());
        if !state.is_shown {
            self.0.drawn.reset();
            state.is_shown = true;
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        self.0.clear(&mut state);
        state.has_ended = true;
    }
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, LineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clear(&self, state: &mut LineState) {
        if state.is_shown {
            self.drawn.finish_and_clear();
            state.is_shown = false;
        }
    }
}

/// Draws the line until the bar is dropped.
fn draw(line: &Weak<Line>) {
    while let Some(line) = line.upgrade() {
        let state = line.lock();
        if state.has_ended {
            return;
        }
        if state.is_shown {
            line.drawn.set_message(state.progress.line(Instant::now()));
            line.drawn.tick();
        }
        drop(state);
        drop(line);
        std::thread::sleep(INTERVAL);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        signals::end_run();
    }
}

impl Observer for Progress {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        match &self.0 {
            Mode::Silent => {}
            Mode::Lines(printed) => {
                let is_done = step.share().is_some_and(|share| share >= 1.0);
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
