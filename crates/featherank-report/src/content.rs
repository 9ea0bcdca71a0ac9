//! The content of the page as one document. Tabs without data are absent.

use std::collections::BTreeMap;
use std::path::Path;

use featherank::data::Feature;
use featherank::experiment::Results;
use featherank::internals::text::{counted, grouped as grouped_number};
use featherank::select::Selection;
use serde::Serialize;

use crate::grouped::{self, Grouped};
use crate::tabs::convergence::{self, Convergence};
use crate::tabs::fronts::{self, Front};
use crate::tabs::methods::{self, MethodSummary};
use crate::tabs::queries::{self, BaselineComparison};
use crate::tabs::recommendation::{self, Recommended};
use crate::tabs::redundancy::{self, RedundancyTab};
use crate::tabs::repeat::{self, Repeat};
use crate::tabs::sizes::{self, Sizes};
use crate::tabs::stability::{self, StabilityTab};

/// The document that the script of the page reads.
#[derive(Serialize)]
pub struct Content {
    pub title: String,
    /// A line under the title.
    pub about: String,
    /// Warnings at the top of the page.
    pub notices: Vec<String>,
    /// Names of features by id; everything else refers to ids.
    pub features: BTreeMap<u32, String>,
    /// The measures on test data; the first one is shown.
    pub measures: Vec<String>,
    pub methods: Vec<MethodSummary>,
    pub recommendation: Recommended,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fronts: Vec<Front>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<BaselineComparison>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub convergence: Vec<Convergence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redundancy: Option<RedundancyTab>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<StabilityTab>,
    pub repeat: Repeat,
}

/// The content for an experiment.
pub fn of_results(results: &Results) -> Content {
    let groups = grouped::methods(results);
    let methods = methods::of(results, &groups);
    let failed: usize = groups.iter().map(|group| group.failed).sum();
    let mut notices = Vec::new();
    if results.cells.is_empty() {
        notices.push("This experiment has no results yet.".to_owned());
    } else if failed == results.cells.len() {
        notices.push(
            "There are no results: every run failed. See “Reproduce” for the reasons.".to_owned(),
        );
    } else if failed > 0 {
        notices.push(format!(
            "{failed} of {} runs failed and {} excluded. See “Reproduce” for the reasons.",
            results.cells.len(),
            if failed == 1 { "is" } else { "are" }
        ));
    }
    Content {
        title: results.title.clone(),
        about: [
            counted(groups.len(), "method"),
            counted(results.folds.len(), "fold"),
            test_queries(results, &groups),
            counted(results.features.len(), "feature"),
        ]
        .join(" · "),
        notices,
        features: results.features.iter().map(|feature| (feature.id, feature.label())).collect(),
        measures: results.measures.clone(),
        recommendation: recommendation::of_results(results, &methods),
        fronts: fronts::of_results(results, &groups),
        sizes: sizes::of_results(results, &groups, &methods),
        queries: queries::of_results(results, &groups),
        convergence: convergence::of_results(&groups),
        redundancy: results.redundancy.as_ref().map(redundancy::of),
        stability: stability::of(results, &groups),
        repeat: repeat::of_results(results),
        methods,
    }
}

/// The content for one selection.
pub fn of_selection(selection: &Selection, file: &Path) -> Content {
    let chosen = selection.selected.iter().map(|f| Feature { id: f.id, name: f.name.clone() });
    let excluded = selection.set_aside.iter().map(|f| Feature { id: f.id, name: f.name.clone() });
    let mut notices = Vec::new();
    if selection.unfinished {
        notices.push(
            "The run was stopped before it was complete; this is the best selection so far."
                .to_owned(),
        );
    }
    Content {
        title: format!(
            "{}: {} of {}",
            selection.method,
            selection.selected.len(),
            counted(selection.data.features as usize, "feature")
        ),
        about: about_selection(selection),
        notices,
        features: chosen.chain(excluded).map(|feature| (feature.id, feature.label())).collect(),
        measures: selection.advice.iter().map(|advice| advice.measure.clone()).collect(),
        methods: Vec::new(),
        recommendation: recommendation::of_selection(selection, file),
        fronts: fronts::of_selection(selection),
        sizes: sizes::of_selection(selection),
        queries: queries::of_selection(selection),
        convergence: convergence::of_selection(selection),
        redundancy: None,
        stability: None,
        repeat: repeat::of_selection(selection, file),
    }
}

/// The number of test queries, and how many of them count: the sum of wins, losses and ties.
fn test_queries(results: &Results, groups: &[Grouped<'_>]) -> String {
    let all: usize = results.folds.iter().map(|fold| fold.queries.len()).sum();
    let values = groups.iter().map(|group| group.per_query(&results.folds, 0));
    let counting = values.map(|values| values.iter().filter(|value| !value.is_nan()).count()).max();
    let words = counted(all, "test quer|y|ies");
    match counting.filter(|&counting| 0 < counting && counting < all) {
        Some(counting) => format!("{words}, of which {} count", grouped_number(counting as u64)),
        None => words,
    }
}

/// The data that features were selected from, and the queries that sets were compared on: `auto`
/// adds those of the validation data.
fn about_selection(selection: &Selection) -> String {
    let data = &selection.data;
    let mut parts = vec![
        counted(data.queries as usize, "training quer|y|ies"),
        counted(data.documents as usize, "document"),
        counted(data.features as usize, "feature"),
    ];
    let verdict = selection.verdict().filter(|verdict| verdict.queries > 0);
    parts.extend(
        verdict.map(|verdict| {
            format!("compared on {}", counted(verdict.queries, "held-out quer|y|ies"))
        }),
    );
    parts.join(" · ")
}
