//! The phases of RankLib's rules.

use super::boost::{Boost, normalised};
use crate::error::Result;

impl Boost<'_> {
    /// Runs RankLib's phases: one that excludes features picked in two consecutive rounds, then one
    /// for each of those features.
    pub fn follow_ranklib(&mut self, tolerance: f64, enqueue: bool, streak: u64) -> Result<()> {
        let mut phases = Phases {
            round: 1,
            tolerance,
            streak,
            last: None,
            value: -1.0,
            waiting: Vec::new(),
            idle: 0,
            left_out: Vec::new(),
        };
        phases.learn(self, enqueue)?;
        while phases.waiting.pop().is_some() {
            phases.learn(self, false)?;
        }
        if self.picks.is_empty() {
            // The last round removed the only pick.
            self.best(|_| true).map(|feature| self.add(feature));
        }
        Ok(())
    }
}

/// State shared by RankLib's phases.
struct Phases {
    round: u64,
    tolerance: f64,
    streak: u64,
    /// The feature picked last.
    last: Option<usize>,
    /// The measure of the ensemble on training data.
    value: f64,
    /// Features that were picked in two consecutive rounds.
    waiting: Vec<usize>,
    /// Number of consecutive picks of one feature without any change.
    idle: u64,
    /// Features that are excluded because they changed nothing too often.
    left_out: Vec<usize>,
}

impl Phases {
    fn learn(&mut self, boost: &mut Boost<'_>, enqueue: bool) -> Result<()> {
        let mut before = (boost.distribution.clone(), self.value);
        while self.round <= boost.ranker.rounds {
            let free =
                |feature| !self.waiting.contains(&feature) && !self.left_out.contains(&feature);
            let Some(feature) = boost.best(free) else { break };
            if enqueue && self.last == Some(feature) {
                self.waiting.push(feature);
                boost.picks.pop();
                (boost.distribution, self.value) = before.clone();
                boost.validation.start_over();
                boost.report(self.round)?;
                self.round += 1;
                continue;
            }
            before = (boost.distribution.clone(), self.value);
            let (alpha, values) = boost.add(feature);
            let value = values.iter().sum::<f64>() / values.len() as f64;
            if !enqueue {
                self.exclude_if_idle(feature, value);
            }
            self.last = Some(feature);
            boost.report(self.round)?;
            let weights = boost.weights();
            boost.validation.is_enough(&weights);
            if value + self.tolerance <= self.value {
                boost.picks.pop();
                break;
            }
            self.value = value;
            let weighted =
                boost.distribution.iter().zip(&values).map(|(p, e)| p * (-alpha * e).exp());
            boost.distribution = normalised(weighted);
            self.round += 1;
        }
        Ok(())
    }

    /// Excludes a feature that is picked repeatedly without any change; re-admits all features
    /// after a change.
    fn exclude_if_idle(&mut self, feature: usize, value: f64) {
        if value != self.value || self.last != Some(feature) {
            self.idle = 0;
            self.left_out.clear();
            return;
        }
        self.idle += 1;
        if self.idle == self.streak {
            self.idle = 0;
            self.left_out.push(feature);
        }
    }
}
