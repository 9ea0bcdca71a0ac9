//! The progress bar of a command, as an observer of runs that signals stop.

use std::collections::HashSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use featherank::Stop;
use featherank::run::{Observer, ProgressState, Step, StepLevel, StopToken};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;
use crate::signals;

/// How often the bar is drawn: the first time soon after the start, then without a step, too.
const INTERVAL: Duration = Duration::from_millis(200);

/// Shows steps as one bar on a terminal, as lines if output is piped, and not at all with
/// `--quiet`. Its token is stopped by signals.
pub struct Progress(Mode);

enum Mode {
    Bar(Bar),
    Lines(Arc<Mutex<StageLines>>),
    Silent,
}

/// The lines for piped output: one when a stage begins and one when it ends, and one when a pass
/// ends. Each is printed once: methods may repeat a pass hundreds of times.
#[derive(Default)]
struct StageLines {
    begun: HashSet<&'static str>,
    ended: HashSet<&'static str>,
    /// The current stage, and whether all its units are done. It ends when another stage begins or
    /// results are printed: it may end early, and its total may grow.
    current: Option<(&'static str, bool)>,
}

impl StageLines {
    /// The lines to print at a step.
    fn add(&mut self, step: &Step) -> Vec<String> {
        let is_done = step.share().is_some_and(|share| share >= 1.0);
        if step.level == StepLevel::Pass {
            return Vec::from_iter(is_done.then(|| self.ended(step.what)).flatten());
        }
        let is_same = self.current.is_some_and(|(what, _)| what == step.what);
        let ended = if is_same { None } else { self.end() };
        self.current = Some((step.what, is_done));
        let begins = !is_same && !is_done && !self.ended.contains(step.what);
        let begun =
            (begins && self.begun.insert(step.what)).then(|| format!("{}: started", step.what));
        ended.into_iter().chain(begun).collect()
    }

    /// Ends the current stage; the line to print.
    fn end(&mut self) -> Option<String> {
        let (what, _) = self.current.take()?;
        self.ended(what)
    }

    fn ended(&mut self, what: &'static str) -> Option<String> {
        self.ended.insert(what).then(|| format!("{what}: done"))
    }
}

fn write_lines(lines: impl IntoIterator<Item = String>) {
    for line in lines {
        // A closed standard error must not stop the work.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
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

/// The lines of the command that runs, if output is piped. They outlive the run, whose last stage
/// ends when results are printed.
static LINES: Mutex<Option<Arc<Mutex<StageLines>>>> = Mutex::new(None);

/// Prints results: clears the bar, which appears again at the next step. The current stage has
/// ended.
pub fn cleared<T>(print: impl FnOnce() -> T) -> T {
    let lines = lock(&LINES).clone();
    write_lines(lines.and_then(|lines| lock(&lines).end()));
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
    lock(&LINE).upgrade()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    /// Starts observing and showing progress.
    pub fn start(output: &Output) -> Arc<Self> {
        let mode = match () {
            () if output.quiet() => Mode::Silent,
            () if output.live() => Mode::Bar(Bar::start()),
            () => Mode::Lines(Arc::default()),
        };
        Self::of(mode)
    }

    /// The same for a command that prints lines of its own if output is piped.
    pub fn on_terminal(output: &Output) -> Arc<Self> {
        Self::of(if output.live() { Mode::Bar(Bar::start()) } else { Mode::Silent })
    }

    fn of(mode: Mode) -> Arc<Self> {
        *lock(&LINES) = match &mode {
            Mode::Lines(lines) => Some(lines.clone()),
            Mode::Bar(_) | Mode::Silent => None,
        };
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
        *lock(&LINE) = Arc::downgrade(&line);
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
        lock(&self.state)
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
        if let Mode::Lines(lines) = &self.0 {
            let mut lines = lock(lines);
            // The work may have failed within a stage.
            let is_done = lines.current.is_some_and(|(_, is_done)| is_done);
            write_lines(if is_done { lines.end() } else { None });
        }
        signals::end_run();
    }
}

impl Observer for Progress {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        match &self.0 {
            Mode::Silent => {}
            Mode::Lines(lines) => {
                let mut lines = lock(lines);
                write_lines(lines.add(step));
            }
            Mode::Bar(bar) => bar.add(step),
        }
        ControlFlow::Continue(())
    }

    fn stop(&self) -> &StopToken {
        signals::token()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_begin_and_end_once() {
        let mut lines = StageLines::default();
        let stage = |what, done, total| Step::stage(what, done, Some(total));
        assert_eq!(lines.add(&stage("cross-fitting", 0, 10)), ["cross-fitting: started"]);
        for (done, total) in [(1, 10), (10, 10), (9, 10), (11, 30)] {
            assert!(lines.add(&stage("cross-fitting", done, total)).is_empty());
        }
        let pass = Step::pass("computing moments", 2, Some(2));
        assert_eq!(lines.add(&pass), ["computing moments: done"]);
        assert!(lines.add(&pass).is_empty());
        let next = lines.add(&stage("boosting trees", 1, 1000));
        assert_eq!(next, ["cross-fitting: done", "boosting trees: started"]);
        // It stops early. A stage that is complete at its first step only ends.
        let next = lines.add(&stage("choosing features", 1, 1));
        assert_eq!(next, ["boosting trees: done"]);
        assert_eq!(lines.end().as_deref(), Some("choosing features: done"));
        assert_eq!(lines.end(), None);
        // Repeated stages print nothing.
        assert!(lines.add(&stage("cross-fitting", 1, 10)).is_empty());
        assert!(lines.add(&stage("boosting trees", 1, 10)).is_empty());
        assert_eq!(lines.end(), None);
    }
}
