//! One stage whose units run in parallel and differ in length, such as the cells of a comparison.
//!
//! Methods differ by orders of magnitude in how long they take, and folds do not: the remaining
//! time follows from units of the same kind, or from how far a unit has come, and only then from
//! other kinds.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Observer, Step, StepLevel, report};
use crate::error::{Result, Stop};
use crate::stop::StopToken;

/// What units have in common that take about the same time.
pub(crate) trait UnitKind: Copy + PartialEq + Send + 'static {}

impl<K: Copy + PartialEq + Send + 'static> UnitKind for K {}

/// The share of a unit from which on its duration is extrapolated.
const KNOWN_FROM: f64 = 0.1;

#[derive(Debug, Clone, Copy)]
struct Unit<K> {
    kind: K,
    began: Option<Instant>,
    /// The share that is done.
    part: f64,
    /// Its duration, once it has ended; `None` if it had nothing to do.
    ended: Option<Option<Duration>>,
}

/// The progress of all units of a stage.
pub(crate) struct ParallelUnits<K> {
    observer: Arc<dyn Observer>,
    /// The stage.
    what: &'static str,
    /// The number of units that run in parallel.
    jobs: usize,
    units: Mutex<Vec<Unit<K>>>,
}

impl<K: UnitKind> ParallelUnits<K> {
    /// Before the first unit.
    pub fn new(
        observer: Arc<dyn Observer>,
        what: &'static str,
        jobs: usize,
        kinds: impl IntoIterator<Item = K>,
    ) -> Arc<Self> {
        let unit = |kind| Unit { kind, began: None, part: 0.0, ended: None };
        let units = Mutex::new(kinds.into_iter().map(unit).collect());
        Arc::new(ParallelUnits { observer, what, jobs, units })
    }

    /// Begins the next unit of a kind: the observer of its work, and its number. An error if the
    /// run is to stop.
    pub fn begin(self: &Arc<Self>, kind: K) -> Result<(Arc<dyn Observer>, usize)> {
        let now = Instant::now();
        let mut units = self.lock();
        let waits = |unit: &Unit<K>| unit.kind == kind && unit.began.is_none();
        let place = units.iter().position(waits).unwrap_or_else(|| {
            units.push(Unit { kind, began: None, part: 0.0, ended: None });
            units.len() - 1
        });
        units[place].began = Some(now);
        let step = self.step(&units, now);
        drop(units);
        report(self.observer.as_ref(), &step)?;
        Ok((Arc::new(UnitObserver { stage: self.clone(), place }), place))
    }

    /// Ends a unit; `had_work` is false if its result was known.
    pub fn end(&self, place: usize, had_work: bool) -> Result<()> {
        let now = Instant::now();
        let mut units = self.lock();
        let unit = &mut units[place];
        unit.part = 1.0;
        unit.ended =
            Some(unit.began.filter(|_| had_work).map(|began| now.saturating_duration_since(began)));
        let step = self.step(&units, now);
        drop(units);
        report(self.observer.as_ref(), &step)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Unit<K>>> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, units: &[Unit<K>], now: Instant) -> Step {
        let done = units.iter().filter(|unit| unit.ended.is_some()).count() as u64;
        let running = units.iter().filter(|unit| unit.ended.is_none());
        Step {
            part: running.map(|unit| unit.part).sum(),
            time_left: time_left(units, self.jobs, now),
            ..Step::stage(self.what, done, Some(units.len() as u64))
        }
    }
}

/// Reports the stages within a unit as a part of it.
struct UnitObserver<K> {
    stage: Arc<ParallelUnits<K>>,
    place: usize,
}

impl<K: UnitKind> Observer for UnitObserver<K> {
    fn on_step(&self, own: &Step) -> ControlFlow<Stop> {
        if own.level == StepLevel::Pass {
            return ControlFlow::Continue(());
        }
        let mut units = self.stage.lock();
        let unit = &mut units[self.place];
        unit.part = unit.part.max(own.share().unwrap_or(0.0));
        let step = self.stage.step(&units, Instant::now());
        drop(units);
        self.stage.observer.on_step(&step)
    }

    fn stop(&self) -> &StopToken {
        self.stage.observer.stop()
    }
}

/// The remaining time of all units; `None` while the duration of no unit is known.
fn time_left<K: UnitKind>(units: &[Unit<K>], jobs: usize, now: Instant) -> Option<Duration> {
    let mean = |seconds: &[f64]| {
        (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64)
    };
    // What a unit took, or will probably take.
    let duration = |unit: &Unit<K>| match unit.ended {
        Some(took) => took.map(|took| took.as_secs_f64()),
        None => {
            let so_far = now.saturating_duration_since(unit.began?).as_secs_f64();
            (unit.part >= KNOWN_FROM).then(|| so_far / unit.part)
        }
    };
    let of_kind = |kind: K| {
        let same = || units.iter().filter(|unit| unit.kind == kind);
        let ended: Vec<f64> =
            same().filter(|unit| unit.ended.is_some()).filter_map(duration).collect();
        mean(&ended).or_else(|| mean(&same().filter_map(duration).collect::<Vec<_>>()))
    };
    let mut kinds: Vec<(K, Option<f64>)> = Vec::new();
    for unit in units {
        if kinds.iter().all(|(kind, _)| *kind != unit.kind) {
            kinds.push((unit.kind, of_kind(unit.kind)));
        }
    }
    let other = mean(&kinds.iter().filter_map(|(_, seconds)| *seconds).collect::<Vec<_>>())?;
    let left = |unit: &Unit<K>| {
        let expected =
            kinds.iter().find(|(kind, _)| *kind == unit.kind).and_then(|(_, seconds)| *seconds);
        let whole = duration(unit).or(expected).unwrap_or(other);
        let so_far =
            unit.began.map_or(0.0, |began| now.saturating_duration_since(began).as_secs_f64());
        (whole - so_far).max(0.0)
    };
    let open = || units.iter().filter(|unit| unit.ended.is_none());
    let all: f64 = open().map(left).sum();
    // The last units do not fill all jobs.
    let longest = open().map(left).fold(0.0, f64::max);
    let seconds = (all / jobs.clamp(1, units.len().max(1)) as f64).max(longest);
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(kind: u8, began: Option<Instant>, part: f64, took: Option<f64>) -> Unit<u8> {
        let ended = took.map(|seconds| Some(Duration::from_secs_f64(seconds)));
        Unit { kind, began, part, ended }
    }

    /// Two methods on three folds: one takes 1 s, the other 20 s.
    #[test]
    fn the_remaining_time_follows_from_units_of_the_same_kind() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let seconds = |units: &[Unit<u8>], jobs: usize, now: f64| {
            time_left(units, jobs, at(now)).map(|left| left.as_secs_f64().round())
        };
        let none = || unit(0, None, 0.0, None);
        assert_eq!(seconds(&[unit(0, Some(start), 0.0, None), none()], 1, 5.0), None);
        // Half of the first unit took 5 s: 5 s of it and all of the other are left.
        assert_eq!(seconds(&[unit(0, Some(start), 0.5, None), none()], 1, 5.0), Some(15.0));
        let fast = |began| unit(0, Some(at(began)), 1.0, Some(1.0));
        let slow = |began| unit(1, Some(at(began)), 1.0, Some(20.0));
        let units = [
            fast(0.0),
            slow(1.0),
            fast(21.0),
            unit(1, Some(at(22.0)), 0.0, None),
            unit(0, None, 0.0, None),
            unit(1, None, 0.0, None),
        ];
        assert_eq!(seconds(&units, 1, 32.0), Some(10.0 + 1.0 + 20.0));
        assert_eq!(seconds(&units, 2, 32.0), Some(20.0));
    }
}
