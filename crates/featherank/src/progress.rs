//! The progress of a run: steps, observers that may stop it, and the state of a progress bar.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::{Error, Result, Stop};
use crate::stop::StopToken;

/// The progress of a computation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What is being computed.
    pub what: &'static str,
    /// Units done.
    pub done: u64,
    /// Units in total, if known.
    pub total: Option<u64>,
    /// The share of the next unit that is done, from 0 to 1.
    pub part: f64,
    /// Whether this is the progress of the method or of a pass within it.
    pub level: StepLevel,
}

/// What a step is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepLevel {
    /// A stage of the method: features, generations, trees.
    Stage,
    /// A pass over the data, of which a stage may need many.
    Pass,
}

impl Step {
    /// A step of a method.
    pub fn stage(what: &'static str, done: u64, total: Option<u64>) -> Self {
        Step { what, done, total, part: 0.0, level: StepLevel::Stage }
    }

    /// A step of a pass.
    pub fn pass(what: &'static str, done: u64, total: Option<u64>) -> Self {
        Step { level: StepLevel::Pass, ..Step::stage(what, done, total) }
    }

    /// The share of the work that is done, from 0 to 1; `None` if the total is not known.
    pub fn share(&self) -> Option<f64> {
        let total = self.total.filter(|&total| total > 0)?;
        Some(((self.done as f64 + self.part) / total as f64).clamp(0.0, 1.0))
    }
}

/// Observes a run and may stop it: at a step, or anywhere by its token.
pub trait Observer: Send + Sync {
    /// Called after every step; `Break` stops the run.
    fn on_step(&self, step: &Step) -> ControlFlow<Stop>;

    /// The token by which the run is stopped between steps; by default it never is.
    fn stop(&self) -> &StopToken {
        static NEVER: StopToken = StopToken::NEVER;
        &NEVER
    }
}

/// Reports a step; an error if the observer stops the run.
pub(crate) fn report(observer: &dyn Observer, step: &Step) -> Result<()> {
    match observer.on_step(step) {
        ControlFlow::Continue(()) => observer.stop().check(),
        ControlFlow::Break(stop) => Err(Error::Stopped(stop)),
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Drops the steps of another observer and keeps its token, for work within a step.
pub(crate) struct Quiet(pub Arc<dyn Observer>);

impl Observer for Quiet {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    fn stop(&self) -> &StopToken {
        self.0.stop()
    }
}

/// Passes the stages of nested work to another observer as parts of one unit of its own stage.
pub(crate) struct Nested {
    pub observer: Arc<dyn Observer>,
    /// The stage, with the number of units done before this one.
    pub within: Step,
}

impl Observer for Nested {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        match step.level {
            StepLevel::Pass => self.observer.on_step(step),
            StepLevel::Stage => {
                let part = step.share().unwrap_or(0.0);
                self.observer.on_step(&Step { part, ..self.within })
            }
        }
    }

    fn stop(&self) -> &StopToken {
        self.observer.stop()
    }
}

/// Passes steps to another observer, with another token.
pub struct Stoppable {
    /// The other observer.
    pub observer: Arc<dyn Observer>,
    /// The token.
    pub stop: StopToken,
}

impl Observer for Stoppable {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        self.observer.on_step(step)
    }

    fn stop(&self) -> &StopToken {
        &self.stop
    }
}

/// The state of one progress bar for all steps of a command.
///
/// Stages take precedence over passes: a method may need hundreds of passes for one stage. The
/// remaining time is estimated from the speed over the later half of the work done so far, because
/// later steps of many methods take longer or shorter than the first. The time since the last step
/// counts, so that the estimate grows while a step takes longer than expected.
#[derive(Debug)]
pub struct ProgressState {
    shown: Option<Step>,
    /// When the stage began, and when each share of it was done.
    began: Instant,
    shares: VecDeque<(f64, Instant)>,
}

/// Shares of a stage that are kept for the estimate.
const SHARES: usize = 4096;

/// Below this share no remaining time is estimated.
const SMALLEST_SHARE: f64 = 0.01;

impl ProgressState {
    /// Nothing has been done yet.
    pub fn new(now: Instant) -> Self {
        ProgressState { shown: None, began: now, shares: VecDeque::new() }
    }

    /// Takes in a step; returns whether another stage begins with it.
    pub fn add(&mut self, step: &Step, now: Instant) -> bool {
        let is_stage = |shown: &Step| shown.level == StepLevel::Stage;
        if step.level == StepLevel::Pass && self.shown.as_ref().is_some_and(is_stage) {
            return false;
        }
        let is_new = self.shown.is_none_or(|shown| shown.what != step.what);
        // A pass may be repeated, and threads may report out of order.
        let restarts = self
            .shown
            .is_some_and(|shown| shown.level == StepLevel::Pass && shown.done > step.done);
        if is_new || restarts {
            // The first stage began with the command, later ones with the end of the one before.
            self.began = if self.shown.is_none() { self.began } else { now };
            self.shares.clear();
            self.shown = Some(*step);
        }
        let last = self.shares.back().map_or(-1.0, |(share, _)| *share);
        match step.share() {
            Some(share) if share > last => {
                self.shown = Some(*step);
                self.shares.push_back((share, now));
                if self.shares.len() > SHARES {
                    self.shares.pop_front();
                }
            }
            Some(_) => {}
            None => self.shown = Some(*step),
        }
        is_new
    }

    /// The step that the bar shows.
    pub fn step(&self) -> Option<&Step> {
        self.shown.as_ref()
    }

    /// The time until the stage ends; `None` if it cannot be estimated, or if the stage has ended
    /// and the next has not begun.
    pub fn time_left(&self, now: Instant) -> Option<Duration> {
        let share = self.shown?.share().filter(|&share| (SMALLEST_SHARE..1.0).contains(&share))?;
        let half = self.shares.iter().rev().find(|(earlier, _)| *earlier <= share / 2.0);
        let (from, since) = half.copied().unwrap_or((0.0, self.began));
        let seconds = now.saturating_duration_since(since).as_secs_f64();
        let left = seconds * (1.0 - share) / (share - from);
        Duration::try_from_secs_f64(self.with_trend(left, (from, since))).ok()
    }

    /// An estimate, corrected for steps that become longer or shorter: time as a quadratic function
    /// of the share, through the first, the middle and the last step. At most by a factor of 2.5,
    /// because a trend need not continue.
    fn with_trend(&self, left: f64, (middle, at_middle): (f64, Instant)) -> f64 {
        let (Some(first), Some(last)) = (self.shares.front(), self.shares.back()) else {
            return left;
        };
        if middle <= first.0 {
            return left;
        }
        let pace = |from: (f64, Instant), to: (f64, Instant)| {
            to.1.saturating_duration_since(from.1).as_secs_f64() / (to.0 - from.0)
        };
        let (early, late) = (pace(*first, (middle, at_middle)), pace((middle, at_middle), *last));
        let curvature = (late - early) / (last.0 - first.0);
        let extrapolated = (1.0 - last.0) * (late + curvature * (1.0 - middle));
        extrapolated.clamp(left / 2.5, left * 2.5)
    }

    /// The bar as a line of text: the stage, its progress and the remaining time.
    pub fn line(&self, now: Instant) -> String {
        const WIDTH: usize = 24;
        let Some(step) = &self.shown else { return "starting".into() };
        let time = match self.time_left(now) {
            // Never 0 seconds: the work has not ended.
            Some(left) => format!("eta {}", clock(left.max(Duration::from_secs(1)))),
            None => clock(now.saturating_duration_since(self.began)),
        };
        match (step.share(), step.total) {
            (Some(share), Some(total)) => {
                let filled = (share * WIDTH as f64) as usize;
                let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH - filled));
                format!("{} {bar} {}/{total} {time}", step.what, step.done)
            }
            _ if step.done > 0 => format!("{} {} {time}", step.what, step.done),
            _ => format!("{} {time}", step.what),
        }
    }
}

/// A duration as `45s`, `3m12s` or `2h05m`.
fn clock(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        seconds => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines shown during work whose units take the given seconds, at the end of each unit and
    /// in the middle of the next, with the seconds that really remain.
    fn shown(seconds: &[f64]) -> Vec<(String, Option<f64>, f64)> {
        let start = Instant::now();
        let mut state = ProgressState::new(start);
        let (mut time, total) = (0.0, seconds.iter().sum::<f64>());
        let mut all = Vec::new();
        for (done, unit) in seconds.iter().enumerate() {
            time += unit;
            let now = start + Duration::from_secs_f64(time);
            state.add(&Step::pass("computing moments", 1, Some(3)), now);
            state.add(&Step::stage("choosing", done as u64 + 1, Some(seconds.len() as u64)), now);
            let next = seconds.get(done + 1).unwrap_or(&0.0);
            for later in [0.0, 0.5 * next] {
                let now = now + Duration::from_secs_f64(later);
                let left = state.time_left(now).map(|left| left.as_secs_f64());
                all.push((state.line(now), left, total - time - later));
            }
        }
        all
    }

    #[test]
    fn the_remaining_time_is_within_a_factor_of_two_from_a_third_on() {
        let even = vec![2.0; 60];
        let growing: Vec<f64> = (1..=60).map(|unit| 0.1 * f64::from(unit)).collect();
        let shrinking: Vec<f64> = (1..=60).rev().map(|unit| 0.1 * f64::from(unit)).collect();
        for seconds in [even, growing, shrinking] {
            let total: f64 = seconds.iter().sum();
            for (line, left, real) in shown(&seconds) {
                assert!(!line.contains("/0") && !line.contains("eta 0s"), "{line}");
                // In the last seconds a factor means nothing.
                if real < 2.0 * total / 3.0 && real > 0.05 * total {
                    let factor = left.unwrap() / real;
                    assert!((0.5..=2.0).contains(&factor), "{line}: {real:.1} s remain");
                }
            }
        }
    }

    #[test]
    fn an_unknown_total_shows_the_time_so_far() {
        let start = Instant::now();
        let mut state = ProgressState::new(start);
        assert_eq!(state.line(start), "starting");
        for total in [None, Some(0)] {
            state.add(&Step::stage("searching", 7, total), start + Duration::from_secs(60));
            assert_eq!(state.line(start + Duration::from_secs(185)), "searching 7 3m05s");
        }
    }

    #[test]
    fn passes_are_shown_until_a_stage_begins() {
        let start = Instant::now();
        let mut state = ProgressState::new(start);
        assert!(state.add(&Step::pass("computing moments", 2, Some(4)), start));
        assert!(state.line(start).starts_with("computing moments ████████████░"));
        assert!(state.add(&Step::stage("choosing", 1, Some(4)), start));
        assert!(!state.add(&Step::pass("computing moments", 3, Some(4)), start));
        assert_eq!(state.step().map(|step| step.what), Some("choosing"));
        // Nothing remains of this stage, and the next has not begun.
        state.add(&Step::stage("choosing", 4, Some(4)), start);
        assert_eq!(state.time_left(start + Duration::from_secs(9)), None);
    }

    #[test]
    fn nested_stages_are_parts_of_a_unit() {
        struct Last(std::sync::Mutex<Option<Step>>);
        impl Observer for Last {
            fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
                *self.0.lock().unwrap() = Some(*step);
                ControlFlow::Continue(())
            }
        }
        let last = Arc::new(Last(std::sync::Mutex::new(None)));
        let within = Step::stage("trying settings", 1, Some(4));
        let nested = Nested { observer: last.clone(), within };
        let _ = nested.on_step(&Step::stage("boosting trees", 50, Some(100)));
        let seen = last.0.lock().unwrap().unwrap();
        assert_eq!((seen.what, seen.share()), ("trying settings", Some(0.375)));
    }
}
