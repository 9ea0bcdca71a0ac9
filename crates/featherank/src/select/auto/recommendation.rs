//! Tests whether a smaller set of features is as good as all of them within a margin, and no
//! riskier.
//!
//! A size has a value for each query, from a model that has not seen the query; every fold has its
//! own set and model. A size passes if two one-sided tests of non-inferiority against all features
//! agree:
//!
//! - *effectiveness*: the lower confidence bound of the mean of (size − all) lies above −m ·
//!   mean(all);
//! - *risk*: the same of u(size − baseline) − u(all − baseline), where u counts a loss against the
//!   baseline 1 + α times (U_RISK). Its margin is what a model would lose that has the share m less
//!   than all features on every query.
//!
//! Both must hold, so that neither needs a correction for the other. Sizes are tested from large to
//! small until one fails: that is the fixed-sequence procedure, which needs no correction for the
//! number of sizes either (Maurer, Hothorn & Lehmacher 1995). A test for a difference would not do:
//! with few queries it finds none and accepts anything.
//!
//! Sets of one size differ from fold to fold, and the set that is recommended is one more: the
//! variance is corrected for that (Nadeau & Bengio 2003). Two other rules were tried; docs/auto.md
//! says what they gave, and how often the promise is kept.

use serde::{Deserialize, Serialize};

use crate::measure::risk::loss_weighted;
use crate::measure::significance::{NonInferiority, non_inferior_across_folds};

/// The requirements on a smaller set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// The share of effectiveness that may be lost, such as .02.
    pub margin: f64,
    /// The chance of recommending a set that loses more, such as .05.
    pub level: f64,
    /// How much more a loss against the baseline weighs than a gain.
    pub alpha: f64,
}

/// What smaller sets are compared with: values per query, NaN if the query does not count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reference<'a> {
    /// The value of all features.
    pub all: &'a [f64],
    /// The value of the system that risk is measured against.
    pub baseline: &'a [f64],
    /// The number of folds that the values come from.
    pub folds: usize,
}

/// The two tests of non-inferiority.
pub(super) struct SizeTest<'a> {
    reference: Reference<'a>,
    demand: Demand,
    /// The effectiveness that may be lost.
    margin: f64,
    /// Weighted gains and losses of all features against the baseline.
    risk_of_all: Vec<f64>,
    /// The part of their mean that may be lost.
    risk_margin: f64,
}

impl<'a> SizeTest<'a> {
    /// Against this reference.
    pub fn new(reference: Reference<'a>, demand: Demand) -> Self {
        let shrunk: Vec<f64> =
            reference.all.iter().map(|value| (1.0 - demand.margin) * value).collect();
        let risk_of_all = weighted(reference.all, reference.baseline, demand.alpha);
        let of_shrunk = weighted(&shrunk, reference.baseline, demand.alpha);
        let lost = risk_of_all.iter().zip(of_shrunk).map(|(all, shrunk)| all - shrunk);
        let risk_margin = mean(lost);
        let margin = demand.margin * mean(reference.all.iter().copied()).abs();
        SizeTest { reference, demand, margin, risk_of_all, risk_margin }
    }

    /// Tests a size, by its value on each query, in effectiveness and in risk.
    pub fn run(&self, values: &[f64]) -> (NonInferiority, NonInferiority) {
        let Reference { all, baseline, folds } = self.reference;
        let level = self.demand.level;
        let risk = weighted(values, baseline, self.demand.alpha);
        (
            non_inferior_across_folds(values, all, folds, self.margin, level),
            non_inferior_across_folds(&risk, &self.risk_of_all, folds, self.risk_margin, level),
        )
    }
}

/// The mean over the queries that count.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let counted: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    counted.iter().sum::<f64>() / (counted.len() as f64).max(1.0)
}

/// The contribution of each query to U_RISK.
fn weighted(values: &[f64], baseline: &[f64], alpha: f64) -> Vec<f64> {
    let of_query = |(value, baseline): (&f64, &f64)| loss_weighted(value - baseline, alpha);
    values.iter().zip(baseline).map(of_query).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream, stream};
    use rand_distr::{Distribution, Normal};

    const DEMAND: Demand = Demand { margin: 0.02, level: 0.05, alpha: 5.0 };

    fn draw(mean: f64, spread: f64, rng: &mut Stream) -> f64 {
        Normal::new(mean, spread).unwrap().sample(rng)
    }

    /// Whether a size passes both tests.
    fn passes(all: &[f64], baseline: &[f64], values: &[f64], demand: Demand) -> (bool, bool) {
        let test = SizeTest::new(Reference { all, baseline, folds: 5 }, demand);
        let (effectiveness, risk) = test.run(values);
        (effectiveness.holds, risk.holds)
    }

    /// A set whose mean is that of all features, because it gains a lot where there is much to lose
    /// and loses below the baseline elsewhere.
    #[test]
    fn subsets_that_hurt_some_queries_fail_whatever_their_mean() {
        let queries = 4_000;
        let (all, baseline) = (vec![0.5; queries], vec![0.4; queries]);
        let risky: Vec<f64> =
            (0..queries).map(|q| if q % 10 == 0 { 0.1 } else { 0.5 + 0.4 / 9.0 }).collect();
        assert_eq!(passes(&all, &baseline, &risky, DEMAND), (true, false));
        // Without extra weight of losses risk is effectiveness.
        assert_eq!(passes(&all, &baseline, &risky, Demand { alpha: 0.0, ..DEMAND }), (true, true));
    }

    #[test]
    fn few_queries_show_nothing() {
        let mut rng = stream(3, Purpose::Test, 0);
        let all: Vec<f64> = (0..30).map(|_| draw(0.5, 0.2, &mut rng)).collect();
        let values: Vec<f64> = all.iter().map(|value| value + draw(0.0, 0.1, &mut rng)).collect();
        assert!(!passes(&all, &all, &values, DEMAND).0);
        assert!(passes(&all, &all, &all, DEMAND).0, "but all features are as good as themselves");
    }

    /// A size that truly loses the whole margin passes less often than the level says where all
    /// that varies is queries.
    #[test]
    fn sets_at_the_margin_are_rarely_recommended() {
        let (runs, queries) = (2_000, 200);
        let (all, baseline) = (vec![0.5; queries], vec![0.3; queries]);
        let wrong = (0..runs).filter(|&run| {
            let mut rng = stream(4, Purpose::Test, run);
            let values: Vec<f64> =
                (0..queries).map(|_| 0.5 - 0.01 + draw(0.0, 0.05, &mut rng)).collect();
            passes(&all, &baseline, &values, DEMAND) == (true, true)
        });
        let share = wrong.count() as f64 / runs as f64;
        assert!((0.001..0.02).contains(&share), "{share}");
    }
}
