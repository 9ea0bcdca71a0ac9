//! Effectiveness and risk measures, and the significance tests that compare systems.
//!
//! A [`Measure`] is identified by its name: `ndcg@10`, `ndcg[letor]@10`, `map`, `p[rel=2]@5`. The
//! name states every convention that differs from the standard and parses back to the same measure.
//! Measures are computed for each query and then summarised.

mod average_precision;
mod cascade;
mod conventions;
mod gain;
mod name;
mod precision;
mod ranking;
mod recall;
mod relevance;
mod requested;
pub mod risk;
pub mod significance;
mod tops;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::View;
use crate::error::{Error, Result};
pub use conventions::{
    ConventionPreset, Conventions, Discount, Gain, NoRelevant, ShortLists, Ties,
};
pub use ranking::{RankedLabels, RankingScratch};
pub(crate) use ranking::{ascending, from_ascending};
pub use relevance::{LabelFrequency, label_frequencies};
pub(crate) use relevance::{check_threshold, divides, dividing_threshold};
pub(crate) use requested::threshold_note;
pub use requested::{FittedMeasures, RequestedMeasures};

/// The declaration of a measure.
#[derive(Debug)]
pub struct MeasureSpec {
    /// The name before brackets and cut-off.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// Keys of the papers that define it.
    pub cites: &'static [&'static str],
    /// Whether it takes `@k`.
    pub cutoff: Cutoff,
    /// The conventions it depends on.
    pub options: &'static [conventions::Key],
    /// Its default conventions.
    pub defaults: Conventions,
    /// How per-query values are summarised.
    pub summarise: Summary,
    /// The value of one ranked query that has a relevant document.
    pub(crate) value: fn(&Measure, &RankedLabels<'_>) -> f64,
    /// The normaliser of that value, if any, computed from the labels in ideal order.
    pub(crate) normaliser: Option<fn(&Measure, &[f32]) -> f64>,
}

/// Whether a measure takes a cut-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutoff {
    /// `@k` must be given.
    Required,
    /// `@k` may be given; without it the whole ranking counts.
    Optional,
    /// `@k` must not be given.
    None,
}

/// How per-query values are summarised.
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
    /// The options of the measure's name.
    pub(crate) fn option_entries(&self) -> Vec<ParameterEntry> {
        let cutoff = match self.cutoff {
            Cutoff::Required => Some("required"),
            Cutoff::Optional => Some("the whole list"),
            Cutoff::None => None,
        };
        let cutoff = cutoff.map(|default| ParameterEntry {
            name: "@k".into(),
            default: default.into(),
            range: "1 and up".into(),
            meaning: "cut-off: the number of positions that count".into(),
        });
        cutoff.into_iter().chain(name::option_entries(self)).collect()
    }
}

/// All measures, in the order of their listing.
pub static MEASURES: &[&MeasureSpec] = &[
    &gain::NDCG,
    &gain::DCG,
    &gain::MEAN_NDCG,
    &average_precision::MAP,
    &average_precision::GMAP,
    &precision::PRECISION,
    &recall::RECALL,
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
/// // One query, two documents, the worse one first: the LETOR scripts weight positions 1 and 2
/// // equally.
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
    /// The declaration of the measure.
    pub fn spec(&self) -> &'static MeasureSpec {
        self.spec
    }

    /// The conventions.
    pub fn conventions(&self) -> &Conventions {
        &self.conventions
    }

    /// The same measure under the preset's conventions, as far as it depends on them.
    #[must_use]
    pub fn with_preset(mut self, preset: ConventionPreset) -> Self {
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

    /// The value of one ranked query; NaN if the query does not count.
    pub fn of_ranking(&self, ranking: &RankedLabels<'_>) -> f64 {
        self.unrankable(ranking.ideal()).unwrap_or_else(|| {
            let value = (self.spec.value)(self, ranking);
            self.normaliser(ranking.ideal()).map_or(value, |normaliser| value / normaliser)
        })
    }

    /// The normaliser of a query's value, if the measure is normalised.
    fn normaliser(&self, ideal: &[f32]) -> Option<f64> {
        self.spec.normaliser.map(|normaliser| normaliser(self, ideal))
    }

    /// The value of a query without relevant documents, which does not depend on the ranking.
    fn unrankable(&self, ideal: &[f32]) -> Option<f64> {
        let decided = self.spec.options.contains(&conventions::Key::NoRelevant);
        (decided && !self.has_relevant(ideal)).then_some(match self.conventions.no_relevant {
            NoRelevant::Zero => 0.0,
            NoRelevant::One => 1.0,
            NoRelevant::Skip => f64::NAN,
        })
    }

    /// The value of the query whose labels `scratch` holds, ranked by these scores. Equals
    /// [`Self::of_ranking`], and is faster if only the top of the list counts.
    pub fn of_scores(&self, scratch: &mut RankingScratch, scores: &[f32]) -> f64 {
        if let Some(value) = self.unrankable(scratch.ideal()) {
            return value;
        }
        match self.cutoff {
            Some(depth) => self.of_ranking(&scratch.rank_top(scores, depth, self.conventions.ties)),
            None => self.of_ranking(&scratch.rank(scores)),
        }
    }

    /// The values of the query whose labels `scratch` holds, ranked by each of `width` columns of
    /// row-major scores. Calls `visit` with each column and the value that [`Self::of_scores`]
    /// returns for it, but is faster.
    pub(crate) fn of_columns(
        &self,
        scratch: &mut RankingScratch,
        scores: &[f32],
        width: usize,
        mut visit: impl FnMut(usize, f64),
    ) {
        if let Some(value) = self.unrankable(scratch.ideal()) {
            return (0..width).for_each(|column| visit(column, value));
        }
        let depth = self.cutoff.unwrap_or(usize::MAX);
        let normaliser = self.normaliser(scratch.ideal());
        scratch.rank_columns(scores, width, depth, self.conventions.ties, |column, ranking| {
            let value = (self.spec.value)(self, &ranking);
            visit(column, normaliser.map_or(value, |normaliser| value / normaliser));
        });
    }

    /// Whether the query has a relevant document or, for measures of gain, a label above 0.
    fn has_relevant(&self, ideal: &[f32]) -> bool {
        let graded = self.spec.options.contains(&conventions::Key::Gain);
        let least = if graded { f32::MIN_POSITIVE } else { self.conventions.relevant_from };
        ideal.first().is_some_and(|&best| best >= least)
    }

    /// The value of every query of a view; `scores` are in the view's order of documents.
    pub fn per_query(&self, scores: &[f32], view: &View<'_>) -> Vec<f64> {
        assert_eq!(scores.len(), view.documents(), "one score per document");
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

    /// Summarises per-query values, omitting queries that do not count (NaN).
    pub fn summary(&self, per_query: &[f64]) -> f64 {
        let values = self.additive(per_query);
        let counted = values.iter().copied().filter(|value| !value.is_nan());
        self.summary_of_mean(counted.clone().sum::<f64>() / counted.count() as f64)
    }

    /// Per-query values on the scale on which the summary is an arithmetic mean, so that they can
    /// be resampled and tested: logarithms for the geometric mean, the values themselves otherwise.
    pub(crate) fn additive(&self, per_query: &[f64]) -> Vec<f64> {
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

    /// The summary for a mean on the additive scale.
    pub(crate) fn summary_of_mean(&self, mean: f64) -> f64 {
        match self.spec.summarise {
            Summary::Mean => mean,
            Summary::GeometricMean => mean.exp(),
        }
    }

    /// Returns an error for labels that the measure cannot handle.
    pub fn check_labels(&self, largest: f32) -> Result<()> {
        let uses = |key| self.spec.options.contains(&key);
        if uses(conventions::Key::MaxGrade) && largest > self.conventions.max_grade {
            let expected =
                format!("{}[max={largest}], because labels go up to {largest}", self.spec.name);
            return Err(Error::invalid("measure for this data", self, expected));
        }
        // 2^y − 1 is inexact beyond 53 bits.
        if uses(conventions::Key::Gain)
            && self.conventions.gain == Gain::Exponential
            && largest > 53.0
        {
            let expected = format!(
                "gain=linear, because labels go up to {largest} and 2^y-1 is inexact above 53"
            );
            return Err(Error::invalid("measure for this data", self, expected));
        }
        Ok(())
    }

    /// The number of positions that count in a list of `n` documents.
    pub(crate) fn depth(&self, n: usize) -> usize {
        self.cutoff.map_or(n, |k| k.min(n))
    }

    /// Whether the conventions give a list of this length 0 because it is shorter than the cut-off.
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

/// Per-query values for serialisation: `None` if a query does not count.
pub(crate) fn counted(per_query: &[f64]) -> Vec<Option<f64>> {
    per_query.iter().map(|&value| Some(value).filter(|value| !value.is_nan())).collect()
}
