//! The settings of a synthetic data set, and their checks.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::preset::Preset;
use crate::error::{Error, Result};

/// The settings of a synthetic data set. Start from a [`Preset`] and change what matters. In a
/// document, settings that are omitted are those of the preset `tiny`, which is also the
/// [`Default`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SynthConfig {
    /// Number of queries: at least 1; `tiny`: 60.
    pub queries: usize,
    /// Total number of documents, met exactly: at least `queries` × `min_documents`, at most
    /// `queries` × `max_documents`; `tiny`: 1500.
    pub documents: usize,
    /// Documents of the shortest list: at least 1; `tiny`: 5.
    pub min_documents: usize,
    /// Documents of the longest list: at least `min_documents`; `tiny`: 80.
    pub max_documents: usize,
    /// Standard deviation of the logarithm of list sizes: from 0 to 5; `tiny`: 0.5.
    pub size_spread: f64,
    /// Number of features that affect relevance in every query, independently of each other;
    /// `tiny`: 5.
    pub useful: usize,
    /// Number of features that are noisy copies of useful ones; `tiny`: 5.
    pub redundant: usize,
    /// Number of features independent of relevance; `tiny`: 4.
    pub noisy: usize,
    /// Number of features that affect relevance in some queries and are noise in the others;
    /// `tiny`: 2.
    pub query_dependent: usize,
    /// Number of features that help most queries and mislead in a few; `tiny`: 2.
    pub risky: usize,
    /// Number of features with one value in each query, independent of relevance; `tiny`: 2.
    pub constant: usize,
    /// Number of features with one value in each query, which shows whether a query-dependent
    /// feature matters there; `tiny`: 0.
    pub switches: usize,
    /// Pearson correlation within queries of a redundant feature with its parent, before raw
    /// scales: at least 0 and below 1; `tiny`: 0.9.
    pub correlation: f64,
    /// Share of documents with grade 0, 1, 2 and so on: shares that sum to 1; `tiny`: 0.7, 0.2 and
    /// 0.1.
    pub labels: Vec<f64>,
    /// Share of queries without relevant documents: at least 0 and below 1; `tiny`: 0.05.
    pub no_relevant: f64,
    /// Share of the variance of relevance within queries that features explain: above 0 and at most
    /// 1; `tiny`: 0.7.
    pub signal: f64,
    /// How much queries differ in relevance: standard deviation, in units of that within queries,
    /// from 0 to 10; `tiny`: 0.5.
    pub difficulty: f64,
    /// Share of queries in which a query-dependent feature matters: above 0 and at most 1; `tiny`:
    /// 0.4.
    pub active_share: f64,
    /// Share of queries in which a risky feature misleads: at least 0 and below 0.5; `tiny`: 0.15.
    pub risky_share: f64,
    /// Whether features have the scales of raw logs (powers of ten, exponentials, counts with ties)
    /// or, with otherwise the same data, near-normal values; `tiny`: true.
    pub heavy_tails: bool,
    /// Whether features have the names `f1`, `f2` and so on, or only numbers; `tiny`: false.
    pub names: bool,
    /// The seed of all random numbers: equal settings and seed give equal bytes; `tiny`: 1.
    pub seed: u64,
}

impl Default for SynthConfig {
    fn default() -> Self {
        Preset::Tiny.config()
    }
}

impl SynthConfig {
    /// Total number of features, saturating on overflow.
    pub fn features(&self) -> usize {
        let SynthConfig { useful, redundant, noisy, query_dependent, risky, .. } = self;
        [*useful, *redundant, *noisy, *query_dependent, *risky, self.constant, self.switches]
            .into_iter()
            .fold(0, usize::saturating_add)
    }

    /// The number of queries without relevant documents.
    pub(super) fn queries_without_relevant(&self) -> usize {
        (self.no_relevant * self.queries as f64).round() as usize
    }

    /// The number of documents with this grade or a better one.
    pub(super) fn documents_from_grade(&self, grade: usize) -> usize {
        let share: f64 = self.labels.iter().skip(grade).sum();
        (share * self.documents as f64).round() as usize
    }

    /// Returns an error for the first invalid setting.
    pub fn check(&self) -> Result<()> {
        self.check_sizes()?;
        self.check_features()?;
        self.check_shares()?;
        self.check_labels()
    }

    fn check_sizes(&self) -> Result<()> {
        if self.queries == 0 {
            return Err(refused("queries", 0, "at least 1"));
        }
        if self.min_documents == 0 {
            return Err(refused("min_documents", 0, "at least 1"));
        }
        if self.max_documents < self.min_documents {
            let expected = format!("at least min_documents ({})", self.min_documents);
            return Err(refused("max_documents", self.max_documents, expected));
        }
        let least = self.queries.saturating_mul(self.min_documents);
        let most = self.queries.saturating_mul(self.max_documents);
        if !(least..=most).contains(&self.documents) {
            let (queries, min, max) = (self.queries, self.min_documents, self.max_documents);
            let expected =
                format!("{least} to {most}, for {queries} queries of {min} to {max} documents");
            return Err(refused("documents", self.documents, expected));
        }
        within(
            "size_spread",
            self.size_spread,
            (0.0..=5.0).contains(&self.size_spread),
            "a number from 0 to 5",
        )
    }

    fn check_features(&self) -> Result<()> {
        let features = self.features();
        if features == 0 {
            let expected =
                "at least 1; raise useful, redundant, noisy, query_dependent, risky or constant";
            return Err(Error::invalid("number of features", 0, expected));
        }
        if u32::try_from(features).is_err() {
            return Err(Error::invalid(
                "number of features",
                features,
                format!("at most {}", u32::MAX),
            ));
        }
        if self.redundant > 0 && self.useful == 0 {
            let expected = "0 if useful is 0, because redundant features copy useful ones";
            return Err(refused("redundant", self.redundant, expected));
        }
        if self.switches > 0 && self.query_dependent == 0 {
            let expected = "switches belong to query-dependent features, so query_dependent must \
                be at least 1";
            return Err(Error::invalid("switches", self.switches, expected));
        }
        Ok(())
    }

    fn check_shares(&self) -> Result<()> {
        let below_one = 0.0..1.0;
        let share = |x: f64| x > 0.0 && x <= 1.0;
        within(
            "correlation",
            self.correlation,
            below_one.contains(&self.correlation),
            "0 or more and below 1",
        )?;
        within(
            "no_relevant",
            self.no_relevant,
            below_one.contains(&self.no_relevant),
            "0 or more and below 1",
        )?;
        within("signal", self.signal, share(self.signal), "above 0 and at most 1")?;
        within(
            "difficulty",
            self.difficulty,
            (0.0..=10.0).contains(&self.difficulty),
            "a number from 0 to 10",
        )?;
        within(
            "active_share",
            self.active_share,
            share(self.active_share),
            "above 0 and at most 1",
        )?;
        let helps_most = (0.0..0.5).contains(&self.risky_share);
        within(
            "risky_share",
            self.risky_share,
            helps_most,
            "0 or more and below 0.5, because risky features help most queries",
        )
    }

    fn check_labels(&self) -> Result<()> {
        let shown = || format!("{:?}", self.labels);
        if self.labels.len() < 2 {
            return Err(refused("labels", shown(), "the shares of two or more grades"));
        }
        if self.labels.iter().any(|share| !(0.0..=1.0).contains(share)) {
            return Err(refused("labels", shown(), "shares between 0 and 1"));
        }
        let sum: f64 = self.labels.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(refused("labels", shown(), format!("shares that sum to 1, not {sum}")));
        }
        let (relevant, needed) = (
            self.documents_from_grade(1),
            self.queries.saturating_sub(self.queries_without_relevant()),
        );
        if relevant < needed.max(1) {
            let expected = format!(
                "at least {needed} relevant documents, and these shares give {relevant} of {}; raise \
                 the shares of grades above 0, or no_relevant",
                self.documents
            );
            return Err(refused("labels", shown(), expected));
        }
        Ok(())
    }
}

/// The error for the value of a setting.
pub(super) fn refused(
    setting: &str,
    value: impl fmt::Display,
    expected: impl Into<String>,
) -> Error {
    Error::invalid(format!("value of {setting}"), value, expected)
}

fn within(what: &str, value: f64, holds: bool, expected: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(refused(what, value, expected)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invalid_value_is_rejected_by_name() {
        type Change = fn(&mut SynthConfig);
        let cases: &[(&str, Change)] = &[
            ("queries", |c| c.queries = 0),
            ("documents", |c| c.documents = 60 * 5 - 1),
            ("documents", |c| c.documents = 60 * 80 + 1),
            ("min_documents", |c| c.min_documents = 0),
            ("max_documents", |c| c.max_documents = 4),
            ("size_spread", |c| c.size_spread = -0.1),
            ("size_spread", |c| c.size_spread = f64::NAN),
            ("redundant", |c| c.useful = 0),
            ("switches", |c| (c.switches, c.query_dependent) = (1, 0)),
            ("number of features", |c| c.noisy = usize::MAX),
            ("correlation", |c| c.correlation = 1.0),
            ("correlation", |c| c.correlation = -0.2),
            ("labels", |c| c.labels = vec![1.0]),
            ("labels", |c| c.labels = vec![0.5, 0.4]),
            ("labels", |c| c.labels = vec![1.5, -0.5]),
            ("labels", |c| c.labels = vec![f64::NAN, 1.0]),
            ("labels", |c| c.labels = vec![0.99, 0.01]),
            ("no_relevant", |c| c.no_relevant = 1.0),
            ("signal", |c| c.signal = 0.0),
            ("signal", |c| c.signal = 1.1),
            ("difficulty", |c| c.difficulty = f64::INFINITY),
            ("active_share", |c| c.active_share = 0.0),
            ("risky_share", |c| c.risky_share = 0.5),
        ];
        for (field, change) in cases {
            let mut config = SynthConfig::default();
            change(&mut config);
            let error = config.check().expect_err(field);
            assert!(
                matches!(&error, Error::Invalid { what, .. } if what.ends_with(field)),
                "{field}: {error}"
            );
        }
    }

    #[test]
    fn zero_features_are_rejected() {
        let none = SynthConfig {
            useful: 0,
            redundant: 0,
            noisy: 0,
            query_dependent: 0,
            risky: 0,
            constant: 0,
            ..SynthConfig::default()
        };
        assert!(none.check().unwrap_err().to_string().contains("number of features"));
    }
}
