//! Binary relevance of graded labels: the threshold of a measure, and labels that it does not
//! divide.
//!
//! Measures of binary relevance count labels from a threshold on as relevant, 1 unless stated. On
//! labels of another scale every document or none may be relevant. The measure is then the same for
//! every ranking, and nothing can be chosen by it.

use std::fmt::Display;

use super::{Measure, conventions};
use crate::data::View;
use crate::error::{Error, Remedy, Result, Setting};
use crate::remedy;

/// A label and the number of documents that have it.
pub type LabelFrequency = (f32, u64);

/// Each label and its number of documents, smallest label first.
pub fn label_frequencies(view: &View<'_>) -> Vec<LabelFrequency> {
    let mut labels: Vec<f32> = view.labels().flatten().copied().collect();
    labels.sort_unstable_by(f32::total_cmp);
    labels.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect()
}

/// A threshold that divides the documents: the smallest label that at most half of them reach.
/// `None` if all labels are equal. Labels are given in ascending order.
pub(crate) fn dividing_threshold(labels: &[LabelFrequency]) -> Option<f32> {
    let total: u64 = labels.iter().map(|(_, documents)| documents).sum();
    let mut reached = total;
    let (_, above) = labels.split_first()?;
    for (place, (label, _)) in above.iter().enumerate() {
        reached -= labels[place].1;
        if 2 * reached <= total {
            return Some(*label);
        }
    }
    above.last().map(|(label, _)| *label)
}

/// Whether some labels reach a threshold, and some do not. Labels are given in ascending order.
pub(crate) fn divides(from: f32, labels: &[LabelFrequency]) -> bool {
    labels.first().is_some_and(|(least, _)| *least < from)
        && labels.last().is_some_and(|(most, _)| from <= *most)
}

/// Rejects labels of which all or none reach a threshold; `help` says how to set a better one.
/// Labels are given in ascending order. Equal labels are reported elsewhere.
pub(crate) fn check_threshold(
    what: impl Display,
    from: f32,
    labels: &[LabelFrequency],
    help: impl FnOnce(f32) -> Remedy,
) -> Result<()> {
    let (Some(&(least, _)), Some(&(most, _)), Some(threshold)) =
        (labels.first(), labels.last(), dividing_threshold(labels))
    else {
        return Ok(());
    };
    if divides(from, labels) {
        return Ok(());
    }
    let share = if from > most { "no" } else { "every" };
    Err(Error::nothing_counts(
        format!(
            "{what} counts labels from {from} on as relevant, and {share} document has such a \
             label: the labels are {least} to {most}"
        ),
        help(threshold),
    ))
}

impl Measure {
    /// The smallest label that counts as relevant, if the measure has binary relevance.
    pub fn relevant_from(&self) -> Option<f32> {
        let is_binary = self.spec.options.contains(&conventions::Key::Relevant);
        is_binary.then_some(self.conventions.relevant_from)
    }

    /// The same measure with another threshold of relevance.
    #[must_use]
    pub fn with_relevant_from(mut self, label: f32) -> Self {
        self.conventions.relevant_from = label;
        self
    }

    /// Rejects labels on which the measure is the same for every ranking. `parameter` is the name
    /// of the parameter that holds the measure. Labels are given in ascending order.
    pub(crate) fn check_divides(
        &self,
        parameter: &'static str,
        labels: &[LabelFrequency],
    ) -> Result<()> {
        let Some(from) = self.relevant_from() else { return Ok(()) };
        check_threshold(self, from, labels, |threshold| {
            remedy![
                "set ",
                Setting::Parameter(parameter),
                format!(
                    " to another measure, or to another threshold: `{}`",
                    self.clone().with_relevant_from(threshold)
                )
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_divides_the_documents() {
        assert_eq!(dividing_threshold(&[]), None);
        assert_eq!(dividing_threshold(&[(0.0, 9)]), None);
        assert_eq!(dividing_threshold(&[(0.0, 80), (0.5, 20)]), Some(0.5));
        // 60, then 40 of 100 documents reach the label.
        assert_eq!(dividing_threshold(&[(1.0, 40), (2.0, 20), (3.0, 40)]), Some(3.0));
        // Even if most documents have the largest label.
        assert_eq!(dividing_threshold(&[(0.0, 1), (1.0, 9)]), Some(1.0));
    }

    #[test]
    fn measures_that_are_constant_on_the_labels_are_rejected() {
        let check = |measure: &str, labels: &[f32]| {
            let labels: Vec<LabelFrequency> = labels.iter().map(|&label| (label, 10)).collect();
            measure.parse::<Measure>().unwrap().check_divides("measure", &labels)
        };
        assert!(check("map", &[0.0, 1.0]).is_ok() && check("map", &[0.0, 0.5, 2.0]).is_ok());
        assert!(check("ndcg@10", &[0.0, 0.5]).is_ok(), "graded relevance has no threshold");
        let none = check("map", &[0.0, 0.25, 0.5]).unwrap_err().to_string();
        assert!(none.contains("no document") && none.contains("map[rel=0.5]"), "{none}");
        let every = check("p@5", &[1.0, 2.0, 3.0, 4.0]).unwrap_err().to_string();
        assert!(every.contains("every document") && every.contains("p[rel=3]@5"), "{every}");
        assert!(check("map[rel=0.5]", &[0.0, 0.25, 0.5]).is_ok());
        assert!(check("map", &[1.0]).is_ok(), "equal labels are reported elsewhere");
    }
}
