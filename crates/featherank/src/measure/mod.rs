//! Measures of rankings, of risk, and the tests that compare them.
//!
//! A [`Measure`] is known by its name: `ndcg@10`, `ndcg[letor]@10`, `map`, `p[rel=2]@5`. The name
//! says every convention that differs from the standard ones, and parses back to the same measure.
//! Values per query come first; means after.

mod average_precision;
mod cascade;
mod conventions;
mod gain;
mod name;
mod precision;
mod ranking;
pub mod risk;
pub mod significance;
mod tops;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::View;
use crate::error::{Error, Result};
pub use conventions::{Conventions, Discount, Gain, NoRelevant, Preset, ShortLists, Ties};
pub use ranking::{Ranker as RankingScratch, Ranking};
pub(crate) use ranking::{ascending, from_ascending};

/// What the registry holds of a measure.
#[derive(Debug)]
pub struct MeasureSpec {
    /// The name before brackets and cut-off.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Keys of the papers that define it.
    pub cites: &'static [&'static str],
    /// Whether it takes `@k`.
    pub cutoff: Cutoff,
    /// The conventions it depends on.
    pub options: &'static [conventions::Key],
    /// Its conventions unless told otherwise.
    pub defaults: Conventions,
    /// How per-query values become one number.
    pub summarise: Summary,
    /// The value of one ranked query that has something to find.
    pub(crate) value: fn(&Measure, &Ranking<'_>) -> f64,
    /// What that is divided by, if by something: a number that its labels from best to worst tell.
    pub(crate) share_of: Option<fn(&Measure, &[f32]) -> f64>,
}

/// Whether a measure looks at the top of a ranking only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutoff {
    /// `@k` must be given.
    Required,
    /// `@k` may be given; without it the whole ranking counts.
    Optional,
    /// There is no such thing.
    None,
}

/// How per-query values become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summary {
    /// The mean.
    Mean,
    /// The geometric mean, with values below 0.00001 raised to it as TREC does.
    GeometricMean,
}

/// A parameter of a method, or an option of a measure's name, in `featherank methods`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParameterEntry {
    /// Name.
    pub name: String,
    /// Default.
    pub default: String,
    /// Range in words.
    pub range: String,
    /// What it does, in one sentence.
    pub meaning: String,
}

impl MeasureSpec {
    /// The options of the measure's name, as rows of a parameter table.
    pub(crate) fn option_entries(&self) -> Vec<ParameterEntry> {
        let cutoff = match self.cutoff {
            Cutoff::Required => Some("needed"),
            Cutoff::Optional => Some("the whole list"),
            Cutoff::None => None,
        };
        let cutoff = cutoff.map(|default| ParameterEntry {
            name: "@k".into(),
            default: default.into(),
            range: "1 and up".into(),
            meaning: "how many positions count".into(),
        });
        cutoff.into_iter().chain(name::option_entries(self)).collect()
    }
}

/// All measures, in the order they are listed.
pub static MEASURES: &[&MeasureSpec] = &[
    &gain::NDCG,
    &gain::DCG,
    &gain::MEAN_NDCG,
    &average_precision::MAP,
    &average_precision::GMAP,
    &precision::PRECISION,
    &precision::WTA,
    &cascade::MRR,
    &cascade::ERR,
];

/// A measure of rankings with its cut-off and conventions.
///
/// ```
/// use featherank::measure::Measure;
/// let measure: Measure = "ndcg[letor]@10".parse()?;
/// assert_eq!(measure.to_string(), "ndcg[letor]@10");
/// // One query, two documents, the worse one first: positions 1 and 2 count alike in the LETOR scripts.
/// assert_eq!("ndcg[letor]@2".parse::<Measure>()?.of_query(&[0.9, 0.1], &[0.0, 1.0]), 1.0);
/// # Ok::<(), featherank::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Measure {
    spec: &'static MeasureSpec,
    cutoff: Option<usize>,
    conventions: Conventions,
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Measure {
    /// The registry's entry.
    pub fn spec(&self) -> &'static MeasureSpec {
        self.spec
    }

    /// The conventions in force.
    pub fn conventions(&self) -> &Conventions {
        &self.conventions
    }

    /// The same measure under other conventions, as far as it depends on them.
    #[must_use]
    pub fn with_preset(mut self, preset: Preset) -> Self {
        self.conventions.apply(preset, self.spec.options);
        self
    }

    /// The same measure with another treatment of ties.
    #[must_use]
    pub fn with_ties(mut self, ties: Ties) -> Self {
        self.conventions.ties = ties;
        self
    }

    /// The value of one query from scores and labels in the same order.
    pub fn of_query(&self, scores: &[f32], labels: &[f32]) -> f64 {
        let mut scratch = RankingScratch::default();
        scratch.labels(labels);
        self.of_ranking(&scratch.rank(scores))
    }

    /// The value of one ranked query; NaN when the query does not count.
    pub fn of_ranking(&self, ranking: &Ranking<'_>) -> f64 {
        self.in_any_order(ranking.ideal()).unwrap_or_else(|| {
            let value = (self.spec.value)(self, ranking);
            self.whole(ranking.ideal()).map_or(value, |whole| value / whole)
        })
    }

    /// What the value of a query is a share of, if it is one.
    fn whole(&self, ideal: &[f32]) -> Option<f64> {
        self.spec.share_of.map(|whole| whole(self, ideal))
    }

    /// What a query is worth however it is ranked, where it has nothing to find.
    fn in_any_order(&self, ideal: &[f32]) -> Option<f64> {
        let decided = self.spec.options.contains(&conventions::Key::NoRelevant);
        (decided && !self.has_something_to_find(ideal)).then_some(
            match self.conventions.no_relevant {
                NoRelevant::Zero => 0.0,
                NoRelevant::One => 1.0,
                NoRelevant::Skip => f64::NAN,
            },
        )
    }

    /// The value of the query whose labels `scratch` holds, ranked by these scores: the same as
    /// [`Self::of_ranking`], sooner where only the top of the list counts.
    pub fn of_scores(&self, scratch: &mut RankingScratch, scores: &[f32]) -> f64 {
        if let Some(value) = self.in_any_order(scratch.ideal()) {
            return value;
        }
        match self.cutoff {
            Some(depth) => self.of_ranking(&scratch.rank_top(scores, depth, self.conventions.ties)),
            None => self.of_ranking(&scratch.rank(scores)),
        }
    }

    /// The values of the query whose labels `scratch` holds, ranked by each of `width` columns of
    /// scores, document after document: `visit` hears the column and what [`Self::of_scores`] makes
    /// of it, sooner.
    pub(crate) fn of_columns(
        &self,
        scratch: &mut RankingScratch,
        scores: &[f32],
        width: usize,
        mut visit: impl FnMut(usize, f64),
    ) {
        if let Some(value) = self.in_any_order(scratch.ideal()) {
            return (0..width).for_each(|column| visit(column, value));
        }
        let depth = self.cutoff.unwrap_or(usize::MAX);
        let whole = self.whole(scratch.ideal());
        scratch.rank_columns(scores, width, depth, self.conventions.ties, |column, ranking| {
            let value = (self.spec.value)(self, &ranking);
            visit(column, whole.map_or(value, |whole| value / whole));
        });
    }

    /// A relevant document, or for measures of gain a label above 0.
    fn has_something_to_find(&self, ideal: &[f32]) -> bool {
        let graded = self.spec.options.contains(&conventions::Key::Gain);
        let least = if graded { f32::MIN_POSITIVE } else { self.conventions.relevant_from };
        ideal.first().is_some_and(|&best| best >= least)
    }

    /// The value of every query of a view; `scores` are in the view's order of documents.
    pub fn per_query(&self, scores: &[f32], view: &View<'_>) -> Vec<f64> {
        assert_eq!(scores.len(), view.documents(), "one score a document");
        let mut scratch = RankingScratch::default();
        let mut start = 0;
        view.labels()
            .map(|labels| {
                let scores = &scores[start..start + labels.len()];
                start += labels.len();
                scratch.labels(labels);
                self.of_ranking(&scratch.rank(scores))
            })
            .collect()
    }

    /// One number from per-query values; queries that do not count (NaN) are left out.
    pub fn summary(&self, per_query: &[f64]) -> f64 {
        let values = self.additive(per_query);
        let counted = values.iter().copied().filter(|value| !value.is_nan());
        self.from_additive(counted.clone().sum::<f64>() / counted.count() as f64)
    }

    /// Per-query values on the scale on which the summary is a plain mean, which is where they may
    /// be resampled and tested: logarithms for the geometric mean, the values themselves otherwise.
    pub fn additive(&self, per_query: &[f64]) -> Vec<f64> {
        per_query.iter().map(|&value| self.additive_value(value)).collect()
    }

    /// One query's value on that scale.
    pub(crate) fn additive_value(&self, value: f64) -> f64 {
        match self.spec.summarise {
            Summary::Mean => value,
            // `max` would turn NaN, a query that does not count, into the floor.
            Summary::GeometricMean if value < 1e-5 => 1e-5f64.ln(),
            Summary::GeometricMean => value.ln(),
        }
    }

    /// The summary that a mean on the additive scale stands for.
    pub fn from_additive(&self, mean: f64) -> f64 {
        match self.spec.summarise {
            Summary::Mean => mean,
            Summary::GeometricMean => mean.exp(),
        }
    }

    /// Refuses labels that the measure cannot express.
    pub fn check_labels(&self, largest: f32) -> Result<()> {
        let uses = |key| self.spec.options.contains(&key);
        if uses(conventions::Key::MaxGrade) && largest > self.conventions.max_grade {
            let expected =
                format!("labels go up to {largest}; write {}[max={largest}]", self.spec.name);
            return Err(Error::invalid("measure for this data", self, expected));
        }
        // 2^y − 1 loses its last digits beyond 53 bits.
        if uses(conventions::Key::Gain)
            && self.conventions.gain == Gain::Exponential
            && largest > 53.0
        {
            let expected = format!(
                "labels go up to {largest}, too large for the gain 2^y-1; write gain=linear"
            );
            return Err(Error::invalid("measure for this data", self, expected));
        }
        Ok(())
    }

    /// The number of positions that count in a list of `n` documents.
    pub(crate) fn depth(&self, n: usize) -> usize {
        self.cutoff.map_or(n, |k| k.min(n))
    }

    /// True where the conventions give a list shorter than the cut-off nothing.
    pub(crate) fn too_short(&self, n: usize) -> bool {
        self.conventions.short_lists == ShortLists::Zero && self.cutoff.is_some_and(|k| n < k)
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Values per query as documents hold them: nothing where a query does not count.
pub(crate) fn counted(per_query: &[f64]) -> Vec<Option<f64>> {
    per_query.iter().map(|&value| Some(value).filter(|value| !value.is_nan())).collect()
}
