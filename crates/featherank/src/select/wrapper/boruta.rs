//! Boruta: features that matter more to a forest than features which cannot matter.
//!
//! Kursa & Rudnicki, Journal of Statistical Software 2010. Every round each feature gets a shadow,
//! a copy with its values shuffled, and a forest is trained on features and shadows. A feature that
//! matters more to it than every shadow has a hit. A feature that tells nothing has one in at most
//! half of the rounds: by a binomial test of both sides, corrected for the number of features,
//! features with many hits are confirmed, features with few are rejected and leave, and the others
//! stay tentative. It ends when none is tentative, or after `rounds`. Unlike methods that look for
//! the best set, Boruta looks for all features that tell something: a copy is as good as its
//! original.
//!
//! Departs from the authors' package for R:
//! - Shadows are shuffled within queries. Over all documents a shadow would also lose what its
//!   feature tells about queries, which is of no use to a ranking, and every feature that only
//!   tells queries apart would be confirmed.
//! - What matters is the gain of splits in training (for linear rankers the weight times the spread
//!   within queries), not the Z-score of the loss by permutation out of bag. Any ranker will do.
//! - One test of both sides at the level, instead of one a side, each at the level.
//! - Without forests of 500 trees: of 100 with at most 32 leaves, since hits are counted over many
//!   forests.
//!
//! What a feature and the labels have in common by chance is there in every round, here as in the
//! package: where nothing explains the labels, now and then a feature is confirmed all the same;
//! with labels shuffled within queries 6 of 5 × 18 were.
//!
//! As there, at least five shadows take part, and confirmed features go on to be tested. Documents
//! are put in an order of their own before anything is drawn, so that the order of rows plays no
//! part. The score is the share of rounds with a hit. Chosen are the confirmed features, with
//! `tentative=keep` the tentative ones as well; within each group features go by hits, then by
//! importance.

use std::sync::Arc;

use rand::Rng;
use rand::seq::SliceRandom;
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::data::{Dataset, FeatureId, FeatureTable, Queries};
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use crate::rank::{Ranker, model_importance};
use crate::run::{Run, Silent};
use crate::select::candidates::Candidates;
use crate::select::rows::rows;
use crate::select::shared_params::ranker_params;
use crate::select::subsets::on_threads_of;
use crate::select::{Selection, Selector};

method! {
    /// All features that matter more to a forest than shadows of features, shuffled within queries.
    pub struct Boruta: Selector as "boruta" in Wrapper,
        cites ["kursa2010"], AsPublished, Rows
    {
        use ranker_params!(
            "random-forest", &small_forest(),
            "Parameters of the ranker; auto: 100 trees, 32 leaves, a third of the features at each \
             split, as far as it has these parameters."
        );
        /// Most rounds.
        rounds: Whole(1..=10_000) = "100",
        /// Level of the test, before it is corrected for the number of features.
        level: Real(1e-6..=0.5) = "0.01",
        /// Whether features that stay undecided are chosen.
        tentative: Choice<Tentative> = "drop",
    }
}

/// What `settings=auto` sets, as far as the ranker has such parameters.
fn small_forest() -> [(&'static str, String); 3] {
    [("trees", "100"), ("leaves", "32"), ("features-per-split", "0.33")]
        .map(|(name, value)| (name, value.to_owned()))
}

choice! {
    /// What happens to features that stay undecided.
    pub enum Tentative {
        /// They are chosen.
        Keep = "keep",
        /// They are not.
        Drop = "drop",
    }
}

/// Shadows that take part, at least.
const SHADOWS: usize = 5;

/// What is known of a feature; the order is that of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Confirmed,
    Tentative,
    Rejected,
}

/// How a feature has done so far.
#[derive(Debug, Clone, Copy)]
struct Record {
    verdict: Verdict,
    rounds: u64,
    hits: u64,
    importance: f64,
}

impl Record {
    const NEW: Record = Record { verdict: Verdict::Tentative, rounds: 0, hits: 0, importance: 0.0 };

    /// The share of rounds with a hit.
    fn hit_rate(&self) -> f64 {
        self.hits as f64 / self.rounds.max(1) as f64
    }

    fn mean_importance(&self) -> f64 {
        self.importance / self.rounds.max(1) as f64
    }
}

impl Selector for Boruta {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let data = rows("boruta", engine)?;
        let candidates = Candidates::of(run, engine)?;
        let features = candidates.all();
        let records = on_threads_of(engine, || self.test(run, data, &features))?;
        let mut order: Vec<usize> = (0..features.len()).collect();
        order.sort_by(|&i, &j| {
            let (a, b) = (&records[i], &records[j]);
            let by_hits = a.verdict.cmp(&b.verdict).then(b.hit_rate().total_cmp(&a.hit_rate()));
            by_hits.then(b.mean_importance().total_cmp(&a.mean_importance())).then(i.cmp(&j))
        });
        let last =
            if self.tentative == Tentative::Keep { Verdict::Tentative } else { Verdict::Confirmed };
        let count = records.iter().filter(|record| record.verdict <= last).count();
        let scored: Vec<(FeatureId, f64)> =
            order.iter().map(|&i| (features[i], records[i].hit_rate())).collect();
        candidates.select(run, engine, &scored[..count], &scored[count..])
    }
}

impl Boruta {
    fn test(&self, run: &Run, data: &Dataset, features: &[FeatureId]) -> Result<Vec<Record>> {
        let mut records = vec![Record::NEW; features.len()];
        let mut shadowed = Shadowed::new(data, features);
        for round in 0..self.rounds {
            let is_in = |i: &usize| records[*i].verdict != Verdict::Rejected;
            let left: Vec<usize> = (0..features.len()).filter(is_in).collect();
            if !records.iter().any(|record| record.verdict == Verdict::Tentative) {
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
                if record.verdict == Verdict::Tentative {
                    record.verdict =
                        verdict(record.hits, record.rounds, self.level / features.len() as f64)?;
                }
            }
            run.step("training forests", round + 1, Some(self.rounds))?;
        }
        Ok(records)
    }
}

/// What so many hits in so many rounds say, by a binomial test of both sides.
fn verdict(hits: u64, rounds: u64, level: f64) -> Result<Verdict> {
    let fair = Binomial::new(0.5, rounds)
        .map_err(|problem| Error::invalid("number of rounds", rounds, problem.to_string()))?;
    // Fair coins are symmetric: at least so many hits is at most so many misses.
    let (at_least, at_most) = (fair.cdf(rounds - hits), fair.cdf(hits));
    Ok(match (2.0 * at_least < level, 2.0 * at_most < level) {
        (true, _) => Verdict::Confirmed,
        (_, true) => Verdict::Rejected,
        _ => Verdict::Tentative,
    })
}

/// Documents in an order of their own, with room for shadows behind the features.
struct Shadowed {
    data: Dataset,
    features: usize,
}

impl Shadowed {
    fn new(data: &Dataset, features: &[FeatureId]) -> Self {
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
            let start = order.len();
            order.extend(data.queries().rows(q));
            order[start..].sort_by(compare);
        }
        let width = features.len() + features.len().max(SHADOWS);
        let mut values = Vec::with_capacity(width * order.len());
        columns.iter().for_each(|column| values.extend(order.iter().map(|&row| column[row])));
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
        Shadowed { data, features: features.len() }
    }

    /// How much some features matter to a ranker beside new shadows of them, as shares of 1, and
    /// the most that a shadow matters.
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
            let original = self.data.column(FeatureId::from(left[place % left.len()])).to_vec();
            let mut draws = stream(run.seed, Purpose::Shadows, round << 24 | place as u64);
            let column = self.data.column_mut(FeatureId::from(shadow));
            column.copy_from_slice(&original);
            spans.iter().for_each(|span| column[span.clone()].shuffle(&mut draws));
        }
        // Every round draws its own forest.
        let seed = stream(run.seed, Purpose::Shadows, round << 24 | 0xff_ffff).next_u64();
        let own = Run { seed, observer: Arc::new(Silent), ..run.clone() };
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
        assert_eq!(verdicts(9), [Verdict::Tentative; 3]);
        assert_eq!(verdicts(10), [Verdict::Rejected, Verdict::Tentative, Verdict::Confirmed]);
        // 2 · (1 + 12 + 66)/4096 = .0386 and 2 · (1 + 12)/4096 = .0063 and 2/4096 = .0005.
        let near = |hits| verdict(hits, 12, 0.01).unwrap();
        assert_eq!(
            [2, 1, 11, 10].map(near),
            [Verdict::Tentative, Verdict::Rejected, Verdict::Confirmed, Verdict::Tentative]
        );
    }

    /// A shadow has its feature's values in every query, and the rows stand in the same order
    /// whatever the input's.
    #[test]
    fn shadows_are_shuffled_within_queries() {
        let sizes = [6, 8];
        let labels: Vec<f32> = (0..14).map(|i| (i % 2) as f32).collect();
        let values: Vec<f32> = (0..28).map(|i| (i * 5 % 14) as f32).collect();
        let data =
            Dataset::new(values, labels, Queries::from_sizes(&sizes), FeatureTable::numbered(2, 1));
        let features = [FeatureId(0), FeatureId(1)];
        let mut shadowed = Shadowed::new(&data, &features);
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
        let (a, b) =
            (Shadowed::new(&data, &features).data, Shadowed::new(&reversed, &features).data);
        assert_eq!((a.values(), a.labels()), (b.values(), b.labels()));
    }
}
