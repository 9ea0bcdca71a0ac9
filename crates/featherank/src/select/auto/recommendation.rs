//! The smallest set of features that is as good as all of them, give or take a margin, and no riskier.
//!
//! Candidates come in paths, each from large to small, and every one has a value for each query that its model has not seen. A candidate
//! passes if two one-sided tests of non-inferiority against all features agree:
//!
//! - *effectiveness*: the lower confidence bound of the mean of (candidate − all) lies above −m · mean(all);
//! - *risk*: the same of u(candidate − baseline) − u(all − baseline), where u counts a loss against the baseline 1 + α times (U_RISK). Its margin is
//!   what a model would lose that has the share m less than all features on every query.
//!
//! Both must hold, so that neither needs a correction for the other. Along a path candidates are tested in turn until one fails: that is
//! the fixed-sequence procedure, which needs no correction for the number of sizes either (Maurer, Hothorn & Lehmacher 1995). With
//! several paths each is tested at an equal share of the level, so that the chance of recommending anything that is worse than the margin is at most the level. A test for a
//! difference would not do: with few queries it finds none and accepts anything.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::measure::significance::{NonInferiority, non_inferior, non_inferior_by_share};

/// What is asked of a smaller set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// The share of effectiveness that may be lost, such as .02.
    pub margin: f64,
    /// The chance of recommending a set that loses more, such as .05.
    pub level: f64,
    /// How much more a loss against the baseline weighs than a gain.
    pub alpha: f64,
}

impl Default for Demand {
    fn default() -> Self {
        Demand { margin: 0.02, level: 0.05, alpha: 5.0 }
    }
}

/// A set of features and how well it ranks each query that it was not trained on; NaN where a query does not count.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Ids of its features.
    pub features: Vec<u32>,
    /// What it costs; the number of its features where costs are not known.
    pub cost: f64,
    /// A value for each query.
    pub per_query: Vec<f64>,
}

/// What smaller sets are measured by.
#[derive(Debug, Clone, Copy)]
pub struct Yardstick<'a> {
    /// The value of all features for each query.
    pub all: &'a [f64],
    /// The value of the system that risk is measured against for each query.
    pub baseline: &'a [f64],
}

/// A candidate and what the tests say of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The path it is on, from 0.
    pub path: usize,
    /// Its place on the path, from 0.
    pub place: usize,
    /// In effectiveness.
    pub effectiveness: NonInferiority,
    /// In risk.
    pub risk: NonInferiority,
}

impl Verdict {
    /// As good as all features, in both.
    pub fn passes(&self) -> bool {
        self.effectiveness.holds && self.risk.holds
    }
}

/// What is recommended, and what was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// What was asked.
    pub demand: Demand,
    /// The level of each test.
    pub level_of_a_test: f64,
    /// Every candidate that was tested, path by path.
    pub tested: Vec<Verdict>,
    /// The cheapest of those that passed, as a place in `tested`; all features where nothing passed.
    pub chosen: Option<usize>,
    /// The first on the same path that did not pass, or of those that failed first the one that came nearest, as a place in `tested`: what the
    /// next smaller set might lose.
    pub next: Option<usize>,
}

/// Tests candidates from the dearest to the cheapest of each path and recommends the cheapest that passes.
///
/// # Errors
/// A demand outside its range, values for other queries than those of the yardstick, or a path that gets dearer.
pub fn recommend(
    paths: &[Vec<Candidate>],
    yardstick: Yardstick<'_>,
    demand: Demand,
) -> Result<Recommendation> {
    check(paths, yardstick, demand)?;
    let level_of_a_test = demand.level / paths.len().max(1) as f64;
    let judge = Judge::new(yardstick, demand, level_of_a_test);
    let mut tested: Vec<Verdict> = Vec::new();
    for (path, candidates) in paths.iter().enumerate() {
        for (place, candidate) in candidates.iter().enumerate() {
            let (effectiveness, risk) = judge.tests(&candidate.per_query);
            let verdict = Verdict { path, place, effectiveness, risk };
            let passes = verdict.passes();
            tested.push(verdict);
            if !passes {
                break;
            }
        }
    }
    let cost = |verdict: &Verdict| paths[verdict.path][verdict.place].cost;
    let passed = tested.iter().enumerate().filter(|(_, verdict)| verdict.passes());
    // Of equally cheap ones the one whose bound is highest.
    let chosen = passed.min_by(|(_, a), (_, b)| {
        cost(a).total_cmp(&cost(b)).then(b.effectiveness.lower_bound.total_cmp(&a.effectiveness.lower_bound))
    });
    let chosen = chosen.map(|(place, _)| place);
    let failed = tested.iter().enumerate().filter(|(_, verdict)| {
        !verdict.passes() && chosen.is_none_or(|chosen| tested[chosen].path == verdict.path)
    });
    let next =
        failed.max_by(|(_, a), (_, b)| a.effectiveness.lower_bound.total_cmp(&b.effectiveness.lower_bound));
    let next = next.map(|(place, _)| place);
    Ok(Recommendation { demand, level_of_a_test, chosen, next, tested })
}

fn check(paths: &[Vec<Candidate>], yardstick: Yardstick<'_>, demand: Demand) -> Result<()> {
    let Demand { margin, level, alpha } = demand;
    if !(0.0..1.0).contains(&margin) {
        return Err(Error::invalid("margin", margin, "0 or more and below 1, such as 0.02 for 2 %"));
    }
    if !(level > 0.0 && level < 0.5) {
        return Err(Error::invalid("level", level, "above 0 and below 0.5, such as 0.05"));
    }
    if !(alpha >= 0.0 && alpha.is_finite()) {
        return Err(Error::invalid("alpha", alpha, "0 or more"));
    }
    let queries = yardstick.all.len();
    let of_candidates = paths.iter().flatten().map(|candidate| candidate.per_query.len());
    if let Some(other) = of_candidates.chain([yardstick.baseline.len()]).find(|&other| other != queries) {
        return Err(Error::invalid("values for queries", other, format!("{queries}, one for each query")));
    }
    if paths.iter().any(|path| path.windows(2).any(|two| two[1].cost > two[0].cost)) {
        return Err(Error::invalid(
            "path",
            "from cheap to dear",
            "candidates from the dearest to the cheapest",
        ));
    }
    Ok(())
}

/// The two tests of one candidate.
pub(super) struct Judge<'a> {
    yardstick: Yardstick<'a>,
    demand: Demand,
    level: f64,
    /// Weighted gains and losses of all features against the baseline.
    risk_of_all: Vec<f64>,
    /// What may be lost of them.
    risk_margin: f64,
}

impl<'a> Judge<'a> {
    /// For candidates that are tested at this level each.
    pub fn new(yardstick: Yardstick<'a>, demand: Demand, level: f64) -> Self {
        let shrunk: Vec<f64> = yardstick.all.iter().map(|value| (1.0 - demand.margin) * value).collect();
        let risk_of_all = weighted(yardstick.all, yardstick.baseline, demand.alpha);
        let of_shrunk = weighted(&shrunk, yardstick.baseline, demand.alpha);
        let lost: Vec<f64> = risk_of_all.iter().zip(of_shrunk).map(|(all, shrunk)| all - shrunk).collect();
        let counted: Vec<f64> = lost.into_iter().filter(|lost| !lost.is_nan()).collect();
        let risk_margin = counted.iter().sum::<f64>() / (counted.len() as f64).max(1.0);
        Judge { yardstick, demand, level, risk_of_all, risk_margin }
    }

    /// In effectiveness and in risk.
    pub fn tests(&self, values: &[f64]) -> (NonInferiority, NonInferiority) {
        let Yardstick { all, baseline } = self.yardstick;
        let risk = weighted(values, baseline, self.demand.alpha);
        (
            non_inferior_by_share(values, all, self.demand.margin, self.level),
            non_inferior(&risk, &self.risk_of_all, self.risk_margin, self.level),
        )
    }
}

/// What each query adds to U_RISK.
fn weighted(values: &[f64], baseline: &[f64], alpha: f64) -> Vec<f64> {
    let of_query = |(value, baseline): (&f64, &f64)| {
        let change = value - baseline;
        if change < 0.0 { (1.0 + alpha) * change } else { change }
    };
    values.iter().zip(baseline).map(of_query).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream, stream};
    use rand_distr::{Distribution, Normal};

    fn candidate(size: usize, per_query: Vec<f64>) -> Candidate {
        Candidate { features: (1..=size as u32).collect(), cost: size as f64, per_query }
    }

    /// Values around `mean`, by query.
    fn values(mean: f64, spread: f64, queries: usize, rng: &mut Stream) -> Vec<f64> {
        let normal = Normal::new(mean, spread).unwrap();
        (0..queries).map(|_| normal.sample(rng)).collect()
    }

    fn changed(all: &[f64], by: f64, spread: f64, rng: &mut Stream) -> Vec<f64> {
        all.iter().zip(values(by, spread, all.len(), rng)).map(|(all, change)| all + change).collect()
    }

    #[test]
    fn the_smallest_that_passes_before_the_first_that_fails() {
        let mut rng = stream(1, Purpose::Test, 0);
        let all = values(0.5, 0.2, 2_000, &mut rng);
        let baseline = values(0.3, 0.1, 2_000, &mut rng);
        let losses = [0.0, 0.001, 0.05, 0.0];
        let sizes = [40, 20, 10, 5];
        let path: Vec<Candidate> = sizes
            .iter()
            .zip(losses)
            .map(|(&size, loss)| candidate(size, changed(&all, -loss, 0.02, &mut rng)))
            .collect();
        let yardstick = Yardstick { all: &all, baseline: &baseline };
        let found = recommend(std::slice::from_ref(&path), yardstick, Demand::default()).unwrap();
        assert_eq!((found.chosen, found.next, found.tested.len()), (Some(1), Some(2), 3));
        assert!(found.tested[2].effectiveness.lower_bound < -0.045);
        // A second path that ends cheaper wins, at half the level.
        let other = vec![candidate(8, changed(&all, 0.0, 0.02, &mut rng))];
        let found = recommend(&[path, other], yardstick, Demand::default()).unwrap();
        let chosen = &found.tested[found.chosen.unwrap()];
        assert_eq!((chosen.path, found.level_of_a_test, found.next), (1, 0.025, None));
    }

    /// A set whose mean is that of all features, because it gains a lot where there is much to lose and loses below the baseline elsewhere.
    #[test]
    fn what_hurts_some_queries_is_refused_however_good_its_mean() {
        let queries = 1_000;
        let all = vec![0.5; queries];
        let baseline = vec![0.4; queries];
        let risky: Vec<f64> = (0..queries).map(|q| if q % 10 == 0 { 0.1 } else { 0.5 + 0.4 / 9.0 }).collect();
        let yardstick = Yardstick { all: &all, baseline: &baseline };
        let found = recommend(&[vec![candidate(5, risky)]], yardstick, Demand::default()).unwrap();
        let verdict = &found.tested[0];
        assert!(verdict.effectiveness.holds && !verdict.risk.holds && found.chosen.is_none());
        // Without extra weight of losses risk is effectiveness.
        let indifferent = Demand { alpha: 0.0, ..Demand::default() };
        let path = vec![candidate(5, changed(&all, 0.0, 0.01, &mut stream(2, Purpose::Test, 0)))];
        let verdict = &recommend(&[path], yardstick, indifferent).unwrap().tested[0];
        assert!((verdict.risk.lower_bound - verdict.effectiveness.lower_bound).abs() < 1e-12);
        assert!((verdict.risk.margin - verdict.effectiveness.margin).abs() < 1e-12);
    }

    #[test]
    fn few_queries_keep_all_features() {
        let mut rng = stream(3, Purpose::Test, 0);
        let all = values(0.5, 0.2, 30, &mut rng);
        let path = vec![candidate(20, changed(&all, 0.0, 0.1, &mut rng))];
        let yardstick = Yardstick { all: &all, baseline: &all };
        let found = recommend(&[path], yardstick, Demand::default()).unwrap();
        assert_eq!((found.chosen, found.next), (None, Some(0)));
        assert_eq!(recommend(&[], yardstick, Demand::default()).unwrap().chosen, None);
    }

    /// Three paths of six sizes, every one of which truly loses the whole margin: at most the level is recommended, but for chance.
    #[test]
    fn sets_at_the_margin_are_rarely_recommended() {
        let (runs, queries) = (2_000, 200);
        let mut wrong = 0;
        for run in 0..runs {
            let mut rng = stream(4, Purpose::Test, run);
            let all = vec![0.5; queries];
            let baseline = vec![0.3; queries];
            let path = |rng: &mut Stream| -> Vec<Candidate> {
                (0..6).map(|k| candidate(30 - k, changed(&all, -0.01, 0.05, rng))).collect()
            };
            let paths = [path(&mut rng), path(&mut rng), path(&mut rng)];
            let yardstick = Yardstick { all: &all, baseline: &baseline };
            wrong += usize::from(recommend(&paths, yardstick, Demand::default()).unwrap().chosen.is_some());
        }
        let share = wrong as f64 / runs as f64;
        assert!((0.02..0.065).contains(&share), "{share}");
    }

    #[test]
    fn bad_demands_and_paths_are_refused() {
        let all = [0.5; 4];
        let yardstick = Yardstick { all: &all, baseline: &all };
        let refused = |paths: &[Vec<Candidate>], yardstick: Yardstick<'_>, demand: Demand| {
            recommend(paths, yardstick, demand).unwrap_err().to_string()
        };
        let demand = Demand::default();
        assert!(refused(&[], yardstick, Demand { margin: -0.1, ..demand }).contains("margin"));
        assert!(refused(&[], yardstick, Demand { margin: f64::NAN, ..demand }).contains("margin"));
        assert!(refused(&[], yardstick, Demand { level: 0.5, ..demand }).contains("level"));
        assert!(refused(&[], yardstick, Demand { alpha: f64::INFINITY, ..demand }).contains("alpha"));
        assert!(refused(&[], Yardstick { all: &all, baseline: &[0.5] }, demand).contains("queries"));
        let upwards = vec![candidate(1, all.to_vec()), candidate(2, all.to_vec())];
        assert!(refused(&[upwards], yardstick, demand).contains("path"));
    }
}
