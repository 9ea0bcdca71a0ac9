//! The state of a progress bar: what it shows, and how long the work will take.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::{Step, StepLevel};

/// The state of one progress bar for all steps of a command.
///
/// Stages take precedence over passes: a method may need hundreds of passes for one stage. The
/// remaining time is estimated from the speed over the later half of the work done so far, because
/// later steps of many methods take longer or shorter than the first. The time since the last step
/// counts, so that the estimate grows while a step takes longer than expected.
#[derive(Debug)]
pub struct ProgressState {
    shown: Option<Step>,
    /// When this step was taken in.
    shown_at: Instant,
    /// When the stage began.
    began: Instant,
    /// The units that were done, with the time: not shares, because the total may change.
    units: VecDeque<(f64, Instant)>,
}

/// Steps of a stage that are kept for the estimate.
const STEPS: usize = 4096;

/// The most units by which threads report out of order. A stage that falls back further begins
/// anew.
const OUT_OF_ORDER: f64 = 16.0;

/// How long the units of a completed stage are shown. If no other stage begins, work remains that
/// is not counted.
const COMPLETE: Duration = Duration::from_secs(1);

/// Below this share no remaining time is estimated.
const SMALLEST_SHARE: f64 = 0.01;

impl ProgressState {
    /// Nothing has been done yet.
    pub fn new(now: Instant) -> Self {
        ProgressState { shown: None, shown_at: now, began: now, units: VecDeque::new() }
    }

    /// Takes in a step; returns whether another stage begins with it.
    pub fn add(&mut self, step: &Step, now: Instant) -> bool {
        let is_stage = |shown: &Step| shown.level == StepLevel::Stage;
        if step.level == StepLevel::Pass && self.shown.as_ref().is_some_and(is_stage) {
            return false;
        }
        let is_new = self.shown.is_none_or(|shown| shown.what != step.what);
        if is_new || self.restarts(step) {
            // The first stage began with the command, later ones with the end of the one before.
            self.began = match self.shown {
                None => self.began,
                Some(_) if units(step) == Some(0.0) => now,
                Some(_) => self.shown_at,
            };
            self.units.clear();
            self.show(step, now);
        }
        let last = self.units.back().map_or(-1.0, |(units, _)| *units);
        let has_other_total = self.shown.is_some_and(|shown| shown.total != step.total);
        match units(step) {
            Some(units) if units > last => {
                self.show(step, now);
                self.units.push_back((units, now));
                if self.units.len() > STEPS {
                    self.units.pop_front();
                }
            }
            // The work turned out to be more: what is done stays done.
            Some(units) if units < last => {
                if let Some(shown) = self.shown.as_mut().filter(|_| has_other_total) {
                    (shown.total, shown.time_left) = (step.total, step.time_left);
                    self.shown_at = now;
                }
            }
            Some(_) if !has_other_total && step.time_left.is_none() => {}
            _ => self.show(step, now),
        }
        is_new
    }

    /// Whether the stage or pass that is shown begins anew with a step of the same name. Threads
    /// may report out of order.
    fn restarts(&self, step: &Step) -> bool {
        let Some(shown) = self.shown else { return false };
        if shown.level == StepLevel::Pass {
            return shown.done > step.done;
        }
        let (Some(last), Some(next)) = (units(&shown), units(step)) else { return false };
        let is_complete = shown.share().is_some_and(|share| share >= 1.0);
        let falls_back = next < last / 2.0 && (is_complete || last - next > OUT_OF_ORDER);
        next < last && (step.total < shown.total || falls_back)
    }

    fn show(&mut self, step: &Step, now: Instant) {
        self.shown = Some(*step);
        self.shown_at = now;
    }

    /// The share of the stage that is done, from 0 to 1; `None` if its total is not known.
    pub fn share(&self) -> Option<f64> {
        self.shown?.share()
    }

    /// The step that the bar shows.
    pub fn step(&self) -> Option<&Step> {
        self.shown.as_ref()
    }

    /// The time until the stage ends; `None` if it cannot be estimated, or if the stage has ended
    /// and the next has not begun.
    pub fn time_left(&self, now: Instant) -> Option<Duration> {
        let shown = self.shown?;
        let share = shown.share().filter(|share| *share < 1.0)?;
        if let Some(left) = shown.time_left {
            return Some(left.saturating_sub(now.saturating_duration_since(self.shown_at)));
        }
        if share < SMALLEST_SHARE {
            return None;
        }
        let (done, total) = (units(&shown)?, shown.total? as f64);
        let half = self.units.iter().rev().find(|(earlier, _)| *earlier <= done / 2.0);
        let (from, since) = half.copied().unwrap_or((0.0, self.began));
        let seconds = now.saturating_duration_since(since).as_secs_f64();
        let left = seconds * (total - done) / (done - from);
        Duration::try_from_secs_f64(self.with_trend(left, total, (from, since))).ok()
    }

    /// An estimate, corrected for units that become longer or shorter: time as a quadratic function
    /// of the units, through the first, the middle and the last step. At most by a factor of 2.5,
    /// because a trend need not continue.
    fn with_trend(&self, left: f64, total: f64, (middle, at_middle): (f64, Instant)) -> f64 {
        let (Some(first), Some(last)) = (self.units.front(), self.units.back()) else {
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
        let extrapolated = (total - last.0) * (late + curvature * (total - middle));
        extrapolated.clamp(left / 2.5, left * 2.5)
    }

    /// The bar as a line of text: the stage, its progress and the remaining time.
    pub fn line(&self, now: Instant) -> String {
        const WIDTH: usize = 24;
        let Some(step) = &self.shown else { return "starting".into() };
        let status = self.status(now);
        match step.share() {
            Some(share) => {
                let filled = (share * WIDTH as f64) as usize;
                let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH - filled));
                format!("{} {bar} {status}", step.what)
            }
            None => format!("{} {status}", step.what),
        }
    }

    /// The units of the stage that are done, and the remaining time or, if it cannot be estimated,
    /// the time so far. If all units are done and no other stage has begun, `finishing` and the
    /// time since then.
    pub fn status(&self, now: Instant) -> String {
        let since_shown = now.saturating_duration_since(self.shown_at);
        if self.share().is_some_and(|share| share >= 1.0) && since_shown >= COMPLETE {
            return format!("finishing {}", clock(since_shown));
        }
        let time = match self.time_left(now) {
            // Never 0 seconds: the work has not ended.
            Some(left) => format!("eta {}", clock(left.max(Duration::from_secs(1)))),
            None => clock(now.saturating_duration_since(self.began)),
        };
        match self.shown {
            Some(Step { done, total: Some(total), .. }) if total > 0 => {
                format!("{done}/{total} {time}")
            }
            Some(Step { done, .. }) if done > 0 => format!("{done} {time}"),
            _ => time,
        }
    }
}

/// The units that are done, with the parts of those that have not ended; `None` if the total is not
/// known.
fn units(step: &Step) -> Option<f64> {
    let total = step.total.filter(|&total| total > 0)? as f64;
    Some((step.done as f64 + step.part).clamp(0.0, total))
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
        assert_eq!(state.status(start), "4/4 0s");
        assert_eq!(state.status(start + Duration::from_secs(9)), "finishing 9s");
    }

    /// A state after `done` of `total` units of 2 s, with the time at which the last one ended.
    fn after(done: u64, total: u64) -> (ProgressState, Instant) {
        let start = Instant::now();
        let mut state = ProgressState::new(start);
        for unit in 1..=done {
            let now = start + Duration::from_secs(2 * unit);
            state.add(&Step::stage("cross-fitting", unit, Some(total)), now);
        }
        (state, start + Duration::from_secs(2 * done))
    }

    #[test]
    fn a_larger_total_keeps_the_time_per_unit() {
        // The new total comes with the next unit, or before it.
        let (mut state, now) = after(10, 10);
        let later = now + Duration::from_secs(2);
        state.add(&Step::stage("cross-fitting", 11, Some(30)), later);
        assert_eq!(state.status(later), "11/30 eta 38s");
        let (mut state, now) = after(10, 10);
        state.add(&Step::stage("cross-fitting", 10, Some(30)), now);
        assert_eq!(state.status(now), "10/30 eta 40s");
        // From a thread that is behind.
        let (mut state, now) = after(10, 10);
        state.add(&Step::stage("cross-fitting", 9, Some(30)), now);
        assert_eq!(state.status(now), "10/30 eta 40s");
        // A smaller total ends sooner.
        let (mut state, now) = after(10, 60);
        let later = now + Duration::from_secs(2);
        state.add(&Step::stage("cross-fitting", 11, Some(15)), later);
        assert_eq!(state.status(later), "11/15 eta 8s");
    }

    #[test]
    fn a_repeated_stage_begins_anew_and_late_steps_are_dropped() {
        let (mut state, now) = after(10, 10);
        let later = now + Duration::from_secs(3);
        state.add(&Step::stage("cross-fitting", 9, Some(10)), later);
        assert_eq!(state.status(now), "10/10 20s");
        assert!(!state.add(&Step::stage("cross-fitting", 1, Some(10)), later));
        assert_eq!(state.status(later), "1/10 eta 27s");
        // A stage that ended early.
        let (mut state, now) = after(40, 1000);
        state.add(&Step::stage("cross-fitting", 39, Some(1000)), now);
        assert!(state.status(now).starts_with("40/1000 "));
        state.add(&Step::stage("cross-fitting", 1, Some(1000)), now);
        assert!(state.status(now).starts_with("1/1000 "));
    }
}
