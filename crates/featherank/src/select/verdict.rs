//! The verdict on a selection of `auto`, in the words and figures that every front end shows.

use serde::Serialize;

use super::Selection;
use super::auto::{Advice, TestedSize, Verdict};
use crate::text::{counted, percent, signed};

/// What is known about a selection in comparison with all features.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SelectionVerdict {
    /// The verdict on the selected set; on smaller sets if all features were kept.
    pub verdict: Verdict,
    /// Whether every feature that the ranker can use was kept, or equals one that was; false if the
    /// set is shown to be as good as all features, duplicates included.
    pub keeps_all: bool,
    /// The verdict in a few words.
    pub badge: String,
    /// The answer in one sentence. It recommends the set only if it is shown to be as good, or
    /// contains all features.
    pub headline: String,
    /// The comparison of this set with all features; `None` if it was not tested, or is the same.
    pub evidence: Option<Evidence>,
    /// The number of held-out queries that the comparison counts.
    pub queries: usize,
    /// The total cost of the set.
    pub cost: f64,
    /// The greatest total cost that was allowed.
    pub budget: Option<f64>,
    /// Whether features have different costs.
    #[serde(skip)]
    has_costs: bool,
}

/// The measured difference between a set and all features.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// The measure.
    pub measure: String,
    /// Its value with the set, on held-out queries.
    pub value: f64,
    /// Its value with all features.
    pub all: Option<f64>,
    /// Set − all features.
    pub difference: f64,
    /// The lower confidence bound of the difference; `None` if too few queries count.
    pub lower_bound: Option<f64>,
    /// The acceptable loss.
    pub margin: f64,
    /// The confidence of the bound, such as .95.
    pub confidence: f64,
}

/// A figure with its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyFigure {
    /// The value with its unit.
    pub value: String,
    /// What it is.
    pub what: String,
}

impl Selection {
    /// The verdict on this set; `None` for methods that do not compare it with all features.
    pub fn verdict(&self) -> Option<SelectionVerdict> {
        let advice = self.advice.as_ref()?;
        let drops_only_duplicates = self.selected.len() + self.duplicates() >= self.usable();
        let is_shown = self.is_smaller() && advice.verdict == Verdict::Shown;
        let keeps_all = drops_only_duplicates && !is_shown;
        let words = advice.verdict.words();
        let returned = advice.returned.and_then(|place| advice.tried.get(place));
        Some(SelectionVerdict {
            verdict: advice.verdict,
            keeps_all,
            badge: if keeps_all { format!("smaller sets {words}") } else { words.to_owned() },
            headline: self.headline(advice, keeps_all),
            evidence: returned.filter(|_| !keeps_all).map(|tried| Evidence::new(advice, tried)),
            queries: advice.per_query_of_all.iter().flatten().count(),
            cost: self.selected.iter().map(|chosen| chosen.cost).sum(),
            budget: self.budget,
            has_costs: self.selected.iter().any(|chosen| chosen.cost != 1.0),
        })
    }

    /// Whether the set lacks a feature that the ranker can use. A feature that equals another one
    /// counts: "all features" includes it.
    pub fn is_smaller(&self) -> bool {
        self.selected.len() < self.usable()
    }

    /// The number of features that the ranker can use.
    fn usable(&self) -> usize {
        let unusable = self.set_aside.len() - self.duplicates();
        (self.data.features as usize).saturating_sub(unusable)
    }

    /// The number of features that were excluded because they equal another one.
    fn duplicates(&self) -> usize {
        self.set_aside.iter().filter(|aside| aside.is_duplicate()).count()
    }

    fn headline(&self, advice: &Advice, keeps_all: bool) -> String {
        let Advice { ranker, verdict, .. } = advice;
        let kept = counted(self.selected.len(), "feature");
        let share = format!(
            "{} of {}",
            self.selected.len(),
            counted(self.data.features as usize, "feature")
        );
        let usable = match self.set_aside.len() {
            0 => "",
            excluded if excluded == self.duplicates() => " that differ",
            _ if self.duplicates() == 0 => " that it can use",
            _ => " that it can use and that differ",
        };
        match (verdict, keeps_all) {
            (Verdict::NotTested, true) if advice.tried.is_empty() => format!(
                "Recommendation: keep all {kept}{usable} for {ranker}. No smaller set was tested."
            ),
            (_, true) => format!(
                "Recommendation: keep all {kept}{usable} for {ranker}. No smaller set is shown to \
                 be as good."
            ),
            (Verdict::Shown, false) => format!(
                "Recommendation: keep {share} for {ranker}. They are shown to be as good as all."
            ),
            (Verdict::NotShown, false) => format!(
                "Not shown to be as good as all: {share} for {ranker}. This is not a \
                 recommendation."
            ),
            (Verdict::NotTested, false) => {
                let why = match advice.tried.is_empty() {
                    true => "No set of this size was compared with all features.",
                    false => "This set was not tested.",
                };
                format!("Not tested: {share} for {ranker}. {why}")
            }
        }
    }
}

impl Evidence {
    fn new(advice: &Advice, tried: &TestedSize) -> Self {
        let test = &tried.effectiveness;
        Evidence {
            measure: advice.measure.clone(),
            value: tried.value,
            all: advice.all,
            difference: test.mean_difference,
            lower_bound: Some(test.lower_bound).filter(|bound| bound.is_finite()),
            margin: test.margin,
            confidence: 1.0 - advice.demand.level,
        }
    }

    /// A difference, with its share of the value of all features.
    fn relative(&self, difference: f64) -> String {
        match self.all.filter(|&all| all > 0.0) {
            Some(all) => {
                let share = format!("{:+.1}", 100.0 * difference / all).replace('-', "−");
                format!("{} ({share} %)", signed(difference))
            }
            None => signed(difference),
        }
    }
}

impl SelectionVerdict {
    /// The figures that belong to the verdict, most important first.
    pub fn figures(&self) -> Vec<KeyFigure> {
        let figure = |value: String, what: &str| KeyFigure { value, what: what.to_owned() };
        let mut figures = Vec::new();
        if let Some(evidence) = &self.evidence {
            let bound = evidence.lower_bound.map(|bound| evidence.relative(bound));
            figures.extend([
                figure(
                    evidence.relative(evidence.difference),
                    &format!("difference in {} to all features", evidence.measure),
                ),
                figure(
                    bound.unwrap_or_else(|| "none".into()),
                    &format!("lower bound with {} confidence", percent(evidence.confidence)),
                ),
                figure(evidence.relative(-evidence.margin), "margin"),
            ]);
        }
        let cost = rounded(self.cost);
        match self.budget {
            Some(budget) => {
                figures.push(figure(format!("{cost} of {}", rounded(budget)), "cost, of budget"))
            }
            None if self.has_costs => figures.push(figure(cost, "total cost")),
            None => {}
        }
        if self.queries > 0 {
            figures.push(figure(crate::text::grouped(self.queries as u64), "held-out queries"));
        }
        figures
    }
}

/// A cost without the rounding errors of its sum.
fn rounded(cost: f64) -> String {
    // The sum turns −0 into 0.
    ((cost * 1e6).round() / 1e6 + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::engine::LocalEngine;
    use crate::run::{Constraints, Run};
    use crate::select::{Exclusion, SetAside};

    fn selection(settings: &[(&str, &str)], constraints: Constraints) -> Selection {
        let settings: Vec<(String, String)> = [&[("ranker", "linear-regression")], settings]
            .concat()
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let engine = LocalEngine::new(generate(&Preset::Tiny.config()).unwrap().0, 0).unwrap();
        let run = Run::new(1, constraints);
        crate::registry::selector("auto").unwrap().run(&settings, &run, &engine).unwrap()
    }

    /// With a duplicate in the data, the full set has one feature more than the largest selection.
    #[test]
    fn duplicates_are_features_of_the_full_set() {
        let all = selection(&[], Constraints { k: Some(3), ..Constraints::default() });
        let mut all = Selection { set_aside: Vec::new(), ..all };
        all.data.features = 4;
        let reason = Exclusion::EqualTo("f".into());
        all.set_aside.push(SetAside { id: 9, name: None, reason });
        assert!(all.is_smaller());
        let shown = of(Verdict::Shown, &all);
        assert!(!shown.keeps_all && shown.evidence.is_some());
        assert_eq!(shown.badge, "shown to be as good");
        assert!(shown.headline.starts_with("Recommendation: keep 3 of 4"), "{}", shown.headline);
        let not_shown = of(Verdict::NotShown, &all);
        assert!(not_shown.keeps_all && not_shown.badge.starts_with("smaller sets not"));
        let says = "keep all 3 features that differ";
        assert!(not_shown.headline.contains(says), "{}", not_shown.headline);
        all.set_aside[0].reason = Exclusion::Constant;
        assert!(!all.is_smaller() && of(Verdict::NotTested, &all).keeps_all);
    }

    fn of(verdict: Verdict, selection: &Selection) -> SelectionVerdict {
        let mut selection = selection.clone();
        selection.advice.as_mut().unwrap().verdict = verdict;
        selection.verdict().unwrap()
    }

    #[test]
    fn only_sets_that_are_shown_or_complete_are_recommended() {
        let budget = Constraints { budget: Some(3.0), ..Constraints::default() };
        let few = selection(&[], budget);
        assert_eq!(few.budget, Some(3.0));
        for (verdict, recommended) in
            [(Verdict::Shown, true), (Verdict::NotShown, false), (Verdict::NotTested, false)]
        {
            let found = of(verdict, &few);
            assert_eq!(found.headline.starts_with("Recommendation: keep"), recommended);
            assert_eq!(found.badge, verdict.words());
            let cost = found.figures().into_iter().find(|figure| figure.what == "cost, of budget");
            assert_eq!(cost.unwrap().value, "3 of 3");
        }
        let mut all = few;
        all.data.features = 3 + all.set_aside.len() as u64;
        for verdict in [Verdict::NotShown, Verdict::NotTested] {
            let found = of(verdict, &all);
            assert!(found.headline.starts_with("Recommendation: keep all 3 features"));
            assert!(found.badge.starts_with("smaller sets not"), "{}", found.badge);
            assert!(found.evidence.is_none());
        }
    }

    #[test]
    fn untested_sets_of_runs_that_tested_others_say_so() {
        let few = selection(&[], Constraints { k: Some(2), ..Constraints::default() });
        let tested = of(Verdict::NotTested, &few);
        assert!(tested.headline.ends_with("This set was not tested."), "{}", tested.headline);
        let mut untested = few;
        untested.advice.as_mut().unwrap().tried.clear();
        let found = of(Verdict::NotTested, &untested);
        assert!(found.headline.contains("No set of this size was compared"), "{}", found.headline);
    }

    /// The verdict of a document is derived: an edited one is ignored.
    #[test]
    fn documents_contain_the_verdict() {
        let few = selection(&[], Constraints { k: Some(2), ..Constraints::default() });
        let text = few.to_json().unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let verdict = few.verdict().unwrap();
        assert_eq!(document["verdict"]["headline"], verdict.headline);
        assert_eq!(document["verdict"]["queries"], verdict.queries);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("selection.json");
        few.save(&path).unwrap();
        assert_eq!(Selection::load(&path).unwrap(), few);
        let headline = serde_json::to_string(&verdict.headline).unwrap();
        let edited = text.replace(&headline, "\"All is well.\"");
        assert_ne!(edited, text);
        std::fs::write(&path, crate::document::resealed(&edited).unwrap()).unwrap();
        assert_eq!(Selection::load(&path).unwrap().to_json().unwrap(), text);
    }

    #[test]
    fn costs_have_no_rounding_errors() {
        assert_eq!([119.04000000000002, -4.6e-19, 3.0].map(rounded), ["119.04", "0", "3"]);
    }

    #[test]
    fn figures_are_those_of_the_returned_set() {
        let few = selection(&[], Constraints { k: Some(2), ..Constraints::default() });
        let advice = few.advice.as_ref().unwrap();
        let tried = &advice.tried[advice.returned.unwrap()];
        let found = few.verdict().unwrap();
        let evidence = found.evidence.as_ref().unwrap();
        assert_eq!(evidence.difference, tried.effectiveness.mean_difference);
        assert_eq!(evidence.lower_bound, Some(tried.effectiveness.lower_bound));
        let figures = found.figures();
        assert!(figures[0].value.starts_with(&signed(tried.effectiveness.mean_difference)));
        assert!(figures[1].value.starts_with(&signed(tried.effectiveness.lower_bound)));
        assert_eq!(figures.last().unwrap().value, found.queries.to_string());
    }
}
