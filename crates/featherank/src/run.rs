//! One run of a method: its seed, constraints and observer.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::checkpoint::Checkpoint;
use crate::data::{FeatureId, FeatureTable};
use crate::engine::Engine;
use crate::error::{Error, Result, Stop};
use crate::remedy;

/// The progress of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is being computed.
    pub what: &'static str,
    /// Units done.
    pub done: u64,
    /// Units in total, if known.
    pub total: Option<u64>,
}

/// Observes a run and may stop it. Progress bars, time limits and Ctrl-C are observers.
pub trait Observer: Send + Sync {
    /// Called after every step; `Break` stops the run.
    fn on_step(&self, step: &Step) -> ControlFlow<Stop>;
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Passes steps to another observer and stops the run at a deadline.
pub struct Limited {
    /// The other observer.
    pub observer: Arc<dyn Observer>,
    /// When to stop.
    pub deadline: Instant,
}

impl Observer for Limited {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        self.observer.on_step(step)?;
        match Instant::now() < self.deadline {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Stop::TimeLimit),
        }
    }
}

/// Constraints that every selector honours where applicable.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Constraints {
    /// The exact number of features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// Features that must be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<FeatureId>,
    /// Features that must not be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<FeatureId>,
    /// The cost of each feature, in column order; 1 each if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<f64>,
    /// The greatest total cost of the chosen features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
}

impl Constraints {
    /// The cost of a feature.
    pub fn cost(&self, feature: FeatureId) -> f64 {
        self.costs.get(feature.index()).copied().unwrap_or(1.0)
    }

    /// Returns an error if constraints contradict each other or the data.
    pub fn check(&self, features: &FeatureTable) -> Result<()> {
        if let Some(both) = self.keep.iter().find(|f| self.drop.contains(f)) {
            let what = format!("feature {} is both kept and dropped", features.label(*both));
            let help = remedy!["name it in ", Keep, " or in ", Drop, ", not in both"];
            return Err(Error::constraint(what, help));
        }
        if self.k == Some(0) {
            return Err(Error::invalid("number of features", 0, "at least 1"));
        }
        let free = features.len() - self.drop.len();
        if let Some(k) = self.k.filter(|&k| k > free) {
            let expected = format!("at most {free}, the number of features that may be selected");
            return Err(Error::invalid("number of features", k, expected));
        }
        if let Some(k) = self.k.filter(|&k| k < self.keep.len()) {
            let what = format!("{} features are kept, but only {k} selected", self.keep.len());
            return Err(Error::constraint(what, remedy!["raise ", K, " or keep fewer"]));
        }
        let kept: f64 = self.keep.iter().map(|&f| self.cost(f)).sum();
        match self.budget {
            Some(budget) if !(budget.is_finite() && budget > 0.0) => {
                Err(Error::invalid("budget", budget, "a number above 0"))
            }
            Some(budget) if kept > budget => Err(Error::constraint(
                format!("the features to keep cost {kept}, more than the budget of {budget}"),
                remedy!["raise ", Budget, " or keep fewer"],
            )),
            _ => Ok(()),
        }
    }
}

/// The context of one run.
#[derive(Clone)]
pub struct Run {
    /// The source of all randomness.
    pub seed: u64,
    /// The constraints on the result.
    pub constraints: Constraints,
    /// The observer.
    pub observer: Arc<dyn Observer>,
    /// Data on which methods tune themselves; without it they hold out a part of the training data.
    pub valid: Option<Arc<dyn Engine>>,
    /// Where long-running methods save their progress.
    pub checkpoint: Option<Checkpoint>,
    /// When anytime methods return their best result so far. Other methods ignore it; [`Limited`]
    /// stops them.
    pub deadline: Option<Instant>,
}

impl Run {
    /// A run without an observer.
    pub fn new(seed: u64, constraints: Constraints) -> Self {
        Run {
            seed,
            constraints,
            observer: Arc::new(Silent),
            valid: None,
            checkpoint: None,
            deadline: None,
        }
    }

    /// Reports a step; an error if the observer stops the run.
    pub fn step(&self, what: &'static str, done: u64, total: Option<u64>) -> Result<()> {
        match self.observer.on_step(&Step { what, done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(stop) => Err(Error::Stopped(stop)),
        }
    }

    /// The state that an interrupted run with the same identity saved, if any.
    pub fn saved<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        self.checkpoint.as_ref().map_or(Ok(None), Checkpoint::load)
    }

    /// Saves a state from which the run can resume, if there is a checkpoint.
    pub fn save<S: Serialize>(&self, state: &S) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.save(state))
    }

    /// Whether the deadline has passed and the best result so far should be returned.
    pub fn is_out_of_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_rejected() {
        let features = FeatureTable::numbered(3, 1);
        let f = FeatureId;
        for (constraints, says) in [
            (
                Constraints { keep: vec![f(0)], drop: vec![f(0)], ..Constraints::default() },
                "not in both",
            ),
            (Constraints { k: Some(0), ..Constraints::default() }, "at least 1"),
            (Constraints { k: Some(3), drop: vec![f(1)], ..Constraints::default() }, "at most 2"),
            (
                Constraints { k: Some(1), keep: vec![f(0), f(1)], ..Constraints::default() },
                "raise `k`",
            ),
            (Constraints { budget: Some(-1.0), ..Constraints::default() }, "above 0"),
            (
                Constraints { budget: Some(1.0), keep: vec![f(0), f(1)], ..Constraints::default() },
                "raise `budget`",
            ),
        ] {
            let error = constraints.check(&features).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert!(Constraints { k: Some(3), ..Constraints::default() }.check(&features).is_ok());
    }
}
