//! Measures for the labels of some data: defaults with a threshold that divides the labels, and
//! errors for measures that a user named and that are the same for every ranking.

use super::{LabelFrequency, Measure, divides, dividing_threshold, label_frequencies};
use crate::data::View;
use crate::error::{Error, Result};
use crate::text::counted;

/// Measures that a user named, or defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedMeasures {
    /// The measures, in order.
    pub measures: Vec<Measure>,
    /// Whether the user named them. A threshold of relevance is then respected or rejected; that of
    /// a default is replaced by a label of the data.
    pub are_named: bool,
}

/// Measures that a caller names.
impl From<Vec<Measure>> for RequestedMeasures {
    fn from(measures: Vec<Measure>) -> Self {
        RequestedMeasures { measures, are_named: true }
    }
}

/// Measures that differ between rankings of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedMeasures {
    /// The measures, in order.
    pub measures: Vec<Measure>,
    /// A sentence about thresholds that were replaced.
    pub note: Option<String>,
}

impl RequestedMeasures {
    /// The measures for data with these labels, which are given in ascending order.
    ///
    /// ```
    /// use featherank::measure::RequestedMeasures;
    ///
    /// let defaults = RequestedMeasures { measures: vec!["map".parse()?], are_named: false };
    /// let fitted = defaults.for_labels(&[(0.0, 70), (0.25, 20), (0.5, 10)])?;
    /// assert_eq!(fitted.measures[0].to_string(), "map[rel=0.25]");
    /// # Ok::<(), featherank::Error>(())
    /// ```
    ///
    /// # Errors
    /// A measure that the user named and that is the same for every ranking of the data.
    pub fn for_labels(&self, labels: &[LabelFrequency]) -> Result<FittedMeasures> {
        let unchanged = FittedMeasures { measures: self.measures.clone(), note: None };
        if self.are_named {
            self.measures.iter().try_for_each(|measure| measure.check_named(labels))?;
            return Ok(unchanged);
        }
        let Some(threshold) = dividing_threshold(labels) else { return Ok(unchanged) };
        let undivided = |measure: &&Measure| {
            measure.relevant_from().filter(|&from| !divides(from, labels)).is_some()
        };
        let Some(from) = self.measures.iter().find(undivided).and_then(Measure::relevant_from)
        else {
            return Ok(unchanged);
        };
        let fitted = |measure: &Measure| match undivided(&measure) {
            true => measure.clone().with_relevant_from(threshold),
            false => measure.clone(),
        };
        Ok(FittedMeasures {
            measures: self.measures.iter().map(fitted).collect(),
            note: Some(threshold_note(threshold, from, labels)),
        })
    }
}

/// Says which labels count as relevant instead of those from `from` on.
pub(crate) fn threshold_note(threshold: f32, from: f32, labels: &[LabelFrequency]) -> String {
    let share = if labels.last().is_some_and(|(most, _)| *most < from) { "no" } else { "every" };
    format!("labels from {threshold} on count as relevant, because {share} label reaches {from}")
}

/// A measure is scarce if fewer than one in this many queries that can be ranked well or badly
/// contributes to it.
const SCARCE: usize = 10;

impl Measure {
    /// Whether the measure can differ between rankings of a query with these labels.
    pub fn varies_on(&self, labels: &[f32]) -> bool {
        match self.relevant_from() {
            Some(from) => {
                labels.iter().any(|label| *label >= from) && labels.iter().any(|l| *l < from)
            }
            None => labels.iter().any(|label| *label != labels[0]),
        }
    }

    /// Whether the measure can differ between rankings of the data.
    pub fn varies(&self, data: &View<'_>) -> bool {
        data.labels().any(|labels| self.varies_on(labels))
    }

    /// Rejects data on which the measure is the same for every ranking, so that nothing can be
    /// chosen by it. `part` names the data.
    pub(crate) fn check_varies(&self, part: &str, data: &View<'_>) -> Result<()> {
        if self.varies(data) {
            return Ok(());
        }
        self.check_named(&label_frequencies(data))?;
        Err(Error::nothing_counts(
            format!("{self} is the same for every ranking of the {part}, so it cannot choose"),
            "use queries with documents of different relevance, or name another measure",
        ))
    }

    /// A note if few of the queries with different labels contribute to the measure.
    pub fn scarcity_note(&self, data: &View<'_>) -> Option<String> {
        let informative = data.labels().filter(|labels| labels.iter().any(|l| *l != labels[0]));
        let (counting, all) = informative.fold((0, 0), |(counting, all), labels| {
            (counting + usize::from(self.varies_on(labels)), all + 1)
        });
        let from = self.relevant_from()?;
        (counting * SCARCE < all).then(|| {
            format!(
                "{self} depends on {} of {} only: the others have no document, or only \
                 documents, with a label of {from} or more",
                counting,
                counted(all, "quer|y|ies")
            )
        })
    }

    /// Rejects labels on which this measure, which the user named, is the same for every ranking.
    fn check_named(&self, labels: &[LabelFrequency]) -> Result<()> {
        let Some(from) = self.relevant_from() else { return Ok(()) };
        super::check_threshold(self, from, labels, |threshold| {
            let other = self.clone().with_relevant_from(threshold);
            format!("name another measure, or another threshold: `{other}`").into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    fn requested(names: &[&str], are_named: bool) -> RequestedMeasures {
        let measures = names.iter().map(|name| name.parse().unwrap()).collect();
        RequestedMeasures { measures, are_named }
    }

    #[test]
    fn defaults_follow_the_labels_and_names_are_checked() {
        let names = |found: &FittedMeasures| -> Vec<String> {
            found.measures.iter().map(ToString::to_string).collect()
        };
        let fractions = [(0.0, 8), (0.25, 1), (0.5, 1)];
        let found = requested(&["ndcg@10", "map"], false).for_labels(&fractions).unwrap();
        assert_eq!(names(&found), ["ndcg@10", "map[rel=0.25]"]);
        let note = found.note.unwrap();
        assert_eq!(note, "labels from 0.25 on count as relevant, because no label reaches 1");
        let found = requested(&["map", "p@5"], false).for_labels(&[(1.0, 6), (3.0, 4)]).unwrap();
        assert_eq!(names(&found), ["map[rel=3]", "p[rel=3]@5"]);
        assert!(found.note.unwrap().contains("every label reaches 1"));
        let error = requested(&["ndcg@10", "map"], true).for_labels(&fractions).unwrap_err();
        assert!(error.to_string().contains("`map[rel=0.25]`"), "{error}");
        for are_named in [false, true] {
            let found = requested(&["ndcg", "map"], are_named).for_labels(&[(0.0, 9), (1.0, 1)]);
            assert_eq!(found.unwrap().note, None);
        }
    }

    fn data(labels: &[f32], sizes: &[usize]) -> Dataset {
        let queries = Queries::from_sizes(sizes);
        Dataset::new(labels.to_vec(), labels.to_vec(), queries, FeatureTable::numbered(1, 1))
    }

    #[test]
    fn a_measure_varies_if_some_query_has_documents_on_both_sides_of_its_threshold() {
        let (map, ndcg): (Measure, Measure) = ("map".parse().unwrap(), "ndcg".parse().unwrap());
        // Both sides of the threshold, but never within a query.
        let apart = data(&[0.0, 0.5, 1.0, 2.0], &[2, 2]);
        assert!(!map.varies(&apart.view()) && ndcg.varies(&apart.view()));
        let error = map.check_varies("validation data", &apart.view()).unwrap_err().to_string();
        assert!(error.contains("the same for every ranking of the validation data"), "{error}");
        assert!(map.varies(&data(&[0.0, 1.0], &[2]).view()));
        let equal = data(&[1.0, 1.0], &[2]);
        assert!(!map.varies(&equal.view()) && !ndcg.varies(&equal.view()));
    }

    #[test]
    fn few_queries_that_count_are_noted() {
        let map: Measure = "map".parse().unwrap();
        let mut labels = [0.0, 0.5].repeat(20);
        labels[1] = 1.0;
        let note = map.scarcity_note(&data(&labels, &[2; 20]).view()).unwrap();
        assert!(note.starts_with("map depends on 1 of 20 queries only"), "{note}");
        labels[3] = 1.0;
        assert_eq!(map.scarcity_note(&data(&labels, &[2; 20]).view()), None);
        let ndcg: Measure = "ndcg".parse().unwrap();
        assert_eq!(ndcg.scarcity_note(&data(&labels, &[2; 20]).view()), None);
    }
}
