//! Thresholds of relevance that divide the labels of the data, for parameters that are not set.
//!
//! Average precision and other measures of binary relevance count labels from 1 on as relevant. On
//! labels of another scale every document or none may be relevant, and nothing can be learnt or
//! chosen. A threshold that the user has set is respected, or rejected by
//! [`Measure::check_divides`]; a default is replaced by a label of the data.

use super::{Kind, Param, Params};
use crate::measure::{LabelFrequency, Measure, divides, dividing_threshold, threshold_note};

/// Parameters with other thresholds.
pub(crate) struct AdaptedParams {
    /// All parameters.
    pub params: Params,
    /// A sentence about the change.
    pub note: String,
}

impl Params {
    /// Whether thresholds of relevance can depend on the data.
    pub(crate) fn has_open_thresholds(&self, declared: &[Param]) -> bool {
        declared.iter().any(|param| self.open_threshold(param).is_some())
    }

    /// The parameters with thresholds that divide the labels; `None` if nothing changes. Labels are
    /// given in ascending order.
    pub(crate) fn for_labels(
        &self,
        declared: &[Param],
        labels: &[LabelFrequency],
    ) -> Option<AdaptedParams> {
        let threshold = dividing_threshold(labels)?;
        let (mut params, mut replaced) = (self.clone(), None);
        for param in declared {
            let Some(from) = self.open_threshold(param).filter(|&from| !divides(from, labels))
            else {
                continue;
            };
            let value = match param.kind {
                Kind::Measure => {
                    let measure: Measure = self.text(param.name).parse().ok()?;
                    measure.with_relevant_from(threshold).to_string()
                }
                _ => threshold.to_string(),
            };
            if param.kind.accepts(&value) {
                params.values.insert(param.name, value);
                replaced = Some(from);
            }
        }
        let from = replaced?;
        Some(AdaptedParams { params, note: threshold_note(threshold, from, labels) })
    }

    /// The threshold of a parameter that is not set, if it has one.
    fn open_threshold(&self, param: &Param) -> Option<f32> {
        let text = Some(self.text(param.name)).filter(|_| !self.set.contains(param.name))?;
        match param.kind {
            Kind::Measure => text.parse::<Measure>().ok()?.relevant_from(),
            Kind::Threshold { .. } => text.parse().ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static DECLARED: &[Param] = &[
        Param { name: "measure", kind: Kind::Measure, default: "map", meaning: "" },
        Param { name: "other", kind: Kind::Measure, default: "ndcg@10", meaning: "" },
        Param {
            name: "relevant",
            kind: Kind::Threshold { min: 0.1, max: 10.0 },
            default: "1",
            meaning: "",
        },
    ];

    fn params(set: &[(&str, &str)]) -> Params {
        let set: Vec<(String, String)> =
            set.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        Params::new("test", DECLARED, &set).unwrap()
    }

    #[test]
    fn defaults_follow_the_labels_and_settings_do_not() {
        let fractions = [(0.0, 8), (0.5, 1), (0.75, 1)];
        let found = params(&[]).for_labels(DECLARED, &fractions).unwrap();
        assert_eq!(found.params.text("measure"), "map[rel=0.5]");
        assert_eq!((found.params.text("other"), found.params.text("relevant")), ("ndcg@10", "0.5"));
        assert_eq!(found.note, "labels from 0.5 on count as relevant, because no label reaches 1");
        assert!(found.params.for_labels(DECLARED, &fractions).is_none(), "nothing is left to do");

        let from_one = [(1.0, 6), (2.0, 3), (3.0, 1)];
        let found = params(&[("measure", "map")]).for_labels(DECLARED, &from_one).unwrap();
        assert_eq!((found.params.text("measure"), found.params.text("relevant")), ("map", "2"));
        assert!(found.note.contains("every label reaches 1"), "{}", found.note);

        let set = params(&[("measure", "map"), ("relevant", "1")]);
        assert!(
            set.for_labels(DECLARED, &from_one).is_none() && !set.has_open_thresholds(DECLARED)
        );
    }

    #[test]
    fn labels_that_are_divided_change_nothing() {
        assert!(params(&[]).for_labels(DECLARED, &[(0.0, 1), (1.0, 9)]).is_none());
        assert!(params(&[]).for_labels(DECLARED, &[(0.0, 9)]).is_none(), "equal labels");
        let tiny = params(&[("measure", "ndcg")]).for_labels(DECLARED, &[(0.0, 9), (0.01, 1)]);
        assert!(tiny.is_none(), "out of the range of the parameter");
    }
}
