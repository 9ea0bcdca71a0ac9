//! Boruta: features that are more important to a forest than shuffled copies of features.
//!
//! Kursa & Rudnicki, Journal of Statistical Software 2010. In every round each feature gets a
//! shadow, a copy with its values shuffled, and a forest is trained on features and shadows. A
//! feature has a hit if it is more important than every shadow. An irrelevant feature has a hit in
//! at most half of the rounds: by a two-sided binomial test, corrected for the number of features,
//! features with many hits are confirmed, features with few are rejected and removed, and the
//! others stay tentative. It ends when none is tentative, or after `rounds`. Unlike methods that
//! search for the best set, Boruta searches for all relevant features: a copy is as good as its
//! original.
//!
//! Departures from the authors' package for R:
//! - Shadows are shuffled within queries. Shuffled over all documents, a shadow would also lose the
//!   differences of its feature between queries, which a ranking cannot use, and every feature that
//!   only distinguishes queries would be confirmed. A feature that is constant within queries has
//!   a shadow that is shuffled among the queries.
//! - Importance is the gain of splits in training (for linear rankers the weight times the standard
//!   deviation within queries), not the Z-score of the out-of-bag permutation loss. Any ranker can
//!   be used.
//! - There is one two-sided test at the level, instead of one test for each side, each at the
//!   level.
//! - Forests have 100 trees with at most 32 leaves instead of 500 trees, since hits are counted
//!   over many forests.
//!
//! A chance correlation of a feature with the labels is present in every round, here as in the
//! package: a feature is occasionally confirmed even if no feature explains the labels; with labels
//! shuffled within queries 6 of 5 × 18 were.
//!
//! As in the package, there are at least five shadows, and confirmed features continue to be
//! tested. Documents are sorted before random numbers are drawn, so that the order of rows has no
//! influence. The score is the share of rounds with a hit. The confirmed features are chosen, with
//! `tentative=keep` the tentative ones as well; within each group features are ordered by hits,
//! then by importance.

use rand::Rng;
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::data::{Dataset, FeatureId, FeatureTable, Queries};
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::random::{Purpose, shuffle_column, stream};
use crate::rank::{Ranker, model_importance};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::rows::rows;
use crate::select::shared_params::ranker_params;
use crate::select::subsets::on_threads_of;
use crate::select::{Findings, Selector};
use crate::stop::StopToken;

method! {
    /// All relevant features: those more important to a forest than copies shuffled within queries.
    pub struct Boruta: Selector as "boruta" in Wrapper,
        cites ["kursa2010"], AsPublished, Rows
    {
        use ranker_params!(
            "random-forest", &small_forest(),
            "Parameters of the ranker; auto: 100 trees, 32 leaves, a third of the features at each \
             split, as far as it has these parameters."
        );
        /// Maximum number of rounds.
        rounds: Whole(1..=10_000) = "100",
        /// Significance level of the test, before correction for the number of features.
        level: Real(1e-6..=0.5) = "0.01",
        /// Keep or drop features that remain undecided.
        tentative: Choice<TentativeRule> = "drop",
    }
}

/// The values that `settings=auto` sets, if the ranker has these parameters.
fn small_forest() -> [(&'static str, String); 3] {
    [("trees", "100"), ("leaves", "32"), ("features-per-split", "0.33")]
        .map(|(name, value)| (name, value.to_owned()))
}

choice! {
    /// What happens to features that stay undecided.
    pub enum TentativeRule {
        /// They are chosen.
        Keep = "keep",
        /// They are not.
        Drop = "drop",
    }
}

/// The minimum number of shadows.
const SHADOWS: usize = 5;

/// The decision about a feature; the order is that of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Decision {
    Confirmed,
    Tentative,
    Rejected,
}

/// The hits of a feature so far.
#[derive(Debug, Clone, Copy)]
struct Record {
    verdict: Decision,
    rounds: u64,
    hits: u64,
    importance: f64,
}

impl Record {
    const NEW: Record =
        Record { verdict: Decision::Tentative, rounds: 0, hits: 0, importance: 0.0 };

    /// The share of rounds with a hit.
    fn hit_rate(&self) -> f64 {
        self.hits as f64 / self.rounds.max(1) as f64
    }

    fn mean_importance(&self) -> f64 {
        self.importance / self.rounds.max(1) as f64
    }
}

impl Selector for Boruta {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let data = rows("boruta", engine)?;
        let candidates = Candidates::for_ranker(run, engine, self.ranker.spec())?;
        let features = candidates.all();
        let records = on_threads_of(engine, || self.test(run, data, &features))?;
        let mut order: Vec<usize> = (0..features.len()).collect();
        order.sort_by(|&i, &j| {
            let (a, b) = (&records[i], &records[j]);
            let by_hits = a.verdict.cmp(&b.verdict).then(b.hit_rate().total_cmp(&a.hit_rate()));
            by_hits.then(b.mean_importance().total_cmp(&a.mean_importance())).then(i.cmp(&j))
        });
        let last = if self.tentative == TentativeRule::Keep {
            Decision::Tentative
        } else {
            Decision::Confirmed
        };
        let count = records.iter().filter(|record| record.verdict <= last).count();
        let scored: Vec<(FeatureId, f64)> =
            order.iter().map(|&i| (features[i], records[i].hit_rate())).collect();
        candidates.select(run, engine, &scored[..count], &scored[count..])
    }
}

impl Boruta {
    fn test(&self, run: &Run, data: &Dataset, features: &[FeatureId]) -> Result<Vec<Record>> {
        let mut records = vec![Record::NEW; features.len()];
        let mut shadowed = Shadowed::new(data, features, run.stop())?;
        for round in 0..self.rounds {
            let is_in = |i: &usize| records[*i].verdict != Decision::Rejected;
            let left: Vec<usize> = (0..features.len()).filter(is_in).collect();
            if !records.iter().any(|record| record.verdict == Decision::Tentative) {
                break;
            }
            let (own, highest) = shadowed.importances(self.ranker.as_ref(), run, round, &left)?;
            for (&i, importance) in left.iter().zip(own) {
                let record = &mut records[i];
                record.rounds += 1;
                record.hits += u64::from(importance > highest);
                record.importance += importance;
            }
            for &i in &left {
                let record = &mut records[i];
                if record.verdict == Decision::Tentative {
                    record.verdict =
                        verdict(record.hits, record.rounds, self.level / features.len() as f64)?;
                }
            }
            run.step("training forests", round + 1, Some(self.rounds))?;
        }
        Ok(records)
    }
}

/// The decision for a number of hits in a number of rounds, by a two-sided binomial test.
fn verdict(hits: u64, rounds: u64, level: f64) -> Result<Decision> {
    let fair = Binomial::new(0.5, rounds)
        .map_err(|problem| Error::invalid("number of rounds", rounds, problem.to_string()))?;
    // The distribution is symmetric: P(at least this many hits) = P(at most this many misses).
    let (at_least, at_most) = (fair.cdf(rounds - hits), fair.cdf(hits));
    Ok(match (2.0 * at_least < level, 2.0 * at_most < level) {
        (true, _) => Decision::Confirmed,
        (_, true) => Decision::Rejected,
        _ => Decision::Tentative,
    })
}

/// Documents in a canonical order, with columns for shadows after the features.
struct Shadowed {
    data: Dataset,
    features: usize,
}

impl Shadowed {
    fn new(data: &Dataset, features: &[FeatureId], stop: &StopToken) -> Result<Self> {
        let columns: Vec<&[f32]> = features.iter().map(|&f| data.column(f)).collect();
        let mut queries: Vec<usize> = (0..data.queries().len()).collect();
        queries.sort_by_key(|&q| (data.queries().key(q), data.queries().id(q)));
        let compare = |&i: &usize, &j: &usize| {
            let by_label = data.labels()[i].total_cmp(&data.labels()[j]);
            columns
                .iter()
                .fold(by_label, |order, column| order.then_with(|| column[i].total_cmp(&column[j])))
        };
        let mut order: Vec<usize> = Vec::with_capacity(data.documents());
        for &q in &queries {
            stop.check()?;
            let start = order.len();
            order.extend(data.queries().rows(q));
            order[start..].sort_by(compare);
        }
        let width = features.len() + features.len().max(SHADOWS);
        let mut values = Vec::with_capacity(width * order.len());
        for column in &columns {
            stop.check()?;
            values.extend(order.iter().map(|&row| column[row]));
        }
        values.resize(width * order.len(), 0.0);
        let labels = order.iter().map(|&row| data.labels()[row]).collect();
        let sizes: Vec<usize> = queries.iter().map(|&q| data.queries().rows(q).len()).collect();
        let ids = queries.iter().map(|&q| data.queries().id(q).to_owned()).collect();
        let data = Dataset::new(
            values,
            labels,
            Queries::new(&sizes, ids),
            FeatureTable::numbered(width, 0),
        );
        Ok(Shadowed { data, features: features.len() })
    }

    /// The importance of some features to a ranker trained on them and new shadows, as shares of 1,
    /// and the largest importance of a shadow.
    fn importances(
        &mut self,
        ranker: &dyn Ranker,
        run: &Run,
        round: u64,
        left: &[usize],
    ) -> Result<(Vec<f64>, f64)> {
        let shadows: Vec<usize> =
            (0..left.len().max(SHADOWS)).map(|place| self.features + place).collect();
        let spans: Vec<_> = self.data.queries().iter().collect();
        for (place, &shadow) in shadows.iter().enumerate() {
            run.check()?;
            let original = self.data.column(FeatureId::from(left[place % left.len()])).to_vec();
            let mut draws = stream(run.seed, Purpose::Shadows, round << 24 | place as u64);
            let column = self.data.column_mut(FeatureId::from(shadow));
            column.copy_from_slice(&original);
            shuffle_column(column, &spans, &mut draws);
        }
        // Every round trains its forest with another seed.
        let seed = stream(run.seed, Purpose::Shadows, round << 24 | 0xff_ffff).next_u64();
        let own = Run { seed, ..run.quiet() };
        let columns: Vec<FeatureId> =
            left.iter().chain(&shadows).map(|&f| FeatureId::from(f)).collect();
        let view = self.data.view().with_features(columns);
        let model = ranker.learn(&own, &view, None)?;
        let mut values = vec![0.0; self.data.features().len()];
        let known = model_importance(&model, &view)?;
        let total: f64 = known.iter().map(|(_, value)| value).sum();
        known
            .iter()
            .filter(|_| total > 0.0)
            .for_each(|(f, value)| values[f.index()] = value / total);
        let highest = shadows.iter().map(|&f| values[f]).fold(0.0, f64::max);
        Ok((left.iter().map(|&f| values[f]).collect(), highest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::tree::random_forest::RandomForest;

    /// With 3 features at level .01: 9 hits of 9 have a probability of 2/512 = .0039, which is
    /// above .0033; 10 of 10 have .00195.
    #[test]
    fn both_sides_are_tested() {
        let level = 0.01 / 3.0;
        let verdicts =
            |rounds: u64| [0, rounds / 2, rounds].map(|hits| verdict(hits, rounds, level).unwrap());
        assert_eq!(verdicts(9), [Decision::Tentative; 3]);
        assert_eq!(verdicts(10), [Decision::Rejected, Decision::Tentative, Decision::Confirmed]);
        // 2 · (1 + 12 + 66)/4096 = .0386 and 2 · (1 + 12)/4096 = .0063 and 2/4096 = .0005.
        let near = |hits| verdict(hits, 12, 0.01).unwrap();
        assert_eq!(
            [2, 1, 11, 10].map(near),
            [Decision::Tentative, Decision::Rejected, Decision::Confirmed, Decision::Tentative]
        );
    }

    /// A shadow has its feature's values in every query, and the rows have the same order for any
    /// order of the input.
    #[test]
    fn shadows_are_shuffled_within_queries() {
        let sizes = [6, 8];
        let labels: Vec<f32> = (0..14).map(|i| (i % 2) as f32).collect();
        let values: Vec<f32> = (0..28).map(|i| (i * 5 % 14) as f32).collect();
        let data =
            Dataset::new(values, labels, Queries::from_sizes(&sizes), FeatureTable::numbered(2, 1));
        let features = [FeatureId(0), FeatureId(1)];
        let never = StopToken::default();
        let mut shadowed = Shadowed::new(&data, &features, &never).unwrap();
        let run = Run::new(3, crate::run::Constraints::default());
        let ranker = RandomForest::builder().build().unwrap();
        shadowed.importances(&ranker, &run, 0, &[0, 1]).unwrap();
        let sorted = |f: usize, rows: std::ops::Range<usize>| {
            let mut values = shadowed.data.column(FeatureId::from(f))[rows].to_vec();
            values.sort_by(f32::total_cmp);
            values
        };
        for (shadow, original) in [(2, 0), (3, 1), (4, 0), (5, 1), (6, 0)] {
            for rows in shadowed.data.queries().iter() {
                assert_eq!(sorted(shadow, rows.clone()), sorted(original, rows));
            }
            assert_ne!(
                shadowed.data.column(FeatureId::from(shadow)),
                shadowed.data.column(FeatureId::from(original))
            );
        }
        let order: Vec<usize> = (0..14).rev().collect();
        let reversed =
            data.clone().reordered(&order, Queries::new(&[8, 6], vec!["2".into(), "1".into()]));
        let [a, b] =
            [data, reversed].map(|data| Shadowed::new(&data, &features, &never).unwrap().data);
        assert_eq!((a.values(), a.labels()), (b.values(), b.labels()));
    }
}
