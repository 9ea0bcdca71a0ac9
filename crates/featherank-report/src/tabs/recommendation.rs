//! The recommendation: the verdict, the features, the sets that were evaluated, and next commands.

use std::path::Path;

use featherank::data::{DataSources, FeatureTable};
use featherank::experiment::Results;
use featherank::internals::text::counted;
use featherank::select::auto::{Advice, TestedSize, Verdict};
use featherank::select::{KeyFigure, Selection, SelectionVerdict};
use serde::Serialize;

use super::methods::MethodSummary;
use crate::commands::{self, SetSize};
use crate::shell;

/// The tab.
#[derive(Serialize)]
pub struct Recommended {
    /// The name of the tab: a recommendation, or only a result.
    pub title: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<Badge>,
    /// The answer in one sentence, and explanations.
    pub sentences: Vec<String>,
    /// The key figures.
    pub figures: Vec<KeyFigure>,
    pub features: Vec<SelectedFeature>,
    /// Whether to show scores.
    pub scores: bool,
    /// Whether to show costs, because they differ.
    pub costs: bool,
    pub commands: Vec<NextCommand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<EvaluatedSets>,
    /// Features that were excluded, with the reason.
    pub set_aside: Vec<(u32, String)>,
}

/// The verdict, in the words of every front end.
#[derive(Serialize)]
pub struct Badge {
    /// The kind of verdict, which decides the colour.
    pub verdict: Verdict,
    pub words: String,
}

/// A selected feature.
#[derive(Serialize)]
pub struct SelectedFeature {
    pub id: u32,
    pub score: f64,
    pub cost: f64,
}

/// A command to run next.
#[derive(Serialize)]
pub struct NextCommand {
    pub what: String,
    pub command: String,
}

/// The sets that were evaluated.
#[derive(Serialize)]
pub struct EvaluatedSets {
    pub measure: String,
    /// The non-inferiority margin.
    pub margin: f64,
    /// In percent.
    pub confidence: f64,
    pub baseline: String,
    /// The verdict on the returned set, in words; "all features" if it contains them all.
    pub verdict: &'static str,
    /// Whether risk was tested, or ignored.
    pub risk: bool,
    /// Whether sizes are costs, and not numbers of features.
    pub by_cost: bool,
    pub sizes: Vec<EvaluatedSet>,
}

/// One of the sets.
#[derive(Serialize)]
pub struct EvaluatedSet {
    pub features: usize,
    pub cost: f64,
    pub value: f64,
    pub difference: f64,
    pub lower_bound: f64,
    pub risk_difference: f64,
    pub risk_bound: f64,
    pub risk_margin: f64,
    /// Non-inferior in effectiveness, and in risk.
    pub good_enough: bool,
    pub safe_enough: bool,
    pub chosen: bool,
    pub methods: String,
    /// The command that selects a set of this size.
    pub command: String,
}

/// The name of the tab without a recommendation.
const RESULT: &str = "Result";

/// The recommendation of an experiment, or how to get one.
pub fn of_results(results: &Results, methods: &[MethodSummary]) -> Recommended {
    if let Some(selection) = &results.recommendation {
        let ids: Vec<u32> = selection.selected.iter().map(|chosen| chosen.id).collect();
        let table = FeatureTable::from_features(results.features.clone());
        return recommended(selection, &["--features", &table.list_of(&ids)]);
    }
    let measure = results.measures.first().map_or("", String::as_str);
    let value = |method: &MethodSummary| method.values.first().map_or(f64::NAN, |value| value.mean);
    let best = methods.iter().filter(|method| !value(method).is_nan());
    let best = best.max_by(|a, b| value(a).total_cmp(&value(b)));
    let sentences = match best {
        Some(best) => vec![
            format!(
                "{1} has the highest mean {measure} of {0} on test queries: {2:.4} with {3:.1} features on average.",
                counted(methods.len(), "method"),
                best.name,
                value(best),
                best.features.mean
            ),
            "This experiment does not include a recommendation; the command below finds the smallest set that is non-inferior to all features.".into(),
        ],
        None => vec![
            "There are no results.".into(),
            "The command below finds the smallest set that is non-inferior to all features.".into(),
        ],
    };
    Recommended {
        title: RESULT,
        badge: None,
        sentences,
        figures: Vec::new(),
        features: Vec::new(),
        scores: false,
        costs: false,
        commands: vec![ask(&results.sources)],
        trial: None,
        set_aside: Vec::new(),
    }
}

/// The recommendation of a selection.
pub fn of_selection(selection: &Selection, file: &Path) -> Recommended {
    recommended(selection, &["--selection", &file.display().to_string()])
}

fn recommended(selection: &Selection, features: &[&str]) -> Recommended {
    let advice = selection.advice.as_ref();
    let ranker = advice.map(|advice| advice.ranker.as_str());
    let settings: Vec<(&str, &str)> = advice
        .iter()
        .flat_map(|advice| &advice.settings)
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let command = |what: &str, command: String| NextCommand { what: what.to_owned(), command };
    let words = |words: &[&str]| shell::command(words);
    let mut commands = vec![
        command(
            "Train a ranker on these features",
            commands::train(&selection.sources, ranker, &settings, features),
        ),
        command(
            "Evaluate it on test data",
            words(&["featherank", "evaluate", "TEST", "--model", "model.json", "--risk"]),
        ),
        command(
            "Export it to a search engine",
            words(&["featherank", "export", "model.json", "--to", "TARGET"]),
        ),
    ];
    if advice.is_none() {
        commands.push(ask(&selection.sources));
    }
    let verdict = selection.verdict();
    let keeps_all = verdict.as_ref().is_some_and(|verdict| verdict.keeps_all);
    let badge = |verdict: &SelectionVerdict| Badge {
        verdict: verdict.verdict,
        words: verdict.badge.clone(),
    };
    Recommended {
        title: match verdict.as_ref().is_some_and(recommends) {
            true => "Recommendation",
            false => RESULT,
        },
        badge: verdict.as_ref().map(badge),
        sentences: match &verdict {
            Some(verdict) => sentences(selection, verdict),
            None => untested(selection),
        },
        figures: verdict.map_or(Vec::new(), |verdict| figures(selection, &verdict)),
        features: selection
            .selected
            .iter()
            .map(|chosen| SelectedFeature { id: chosen.id, score: chosen.score, cost: chosen.cost })
            .collect(),
        scores: advice.is_none(),
        costs: selection.selected.iter().any(|chosen| chosen.cost != 1.0),
        commands,
        trial: advice
            .filter(|advice| !advice.tried.is_empty())
            .map(|advice| trial(selection, advice, keeps_all)),
        set_aside: selection
            .set_aside
            .iter()
            .map(|aside| (aside.id, aside.reason.to_string()))
            .collect(),
    }
}

/// How to get a recommendation.
fn ask(sources: &DataSources) -> NextCommand {
    NextCommand { what: "Get a recommendation".into(), command: commands::recommend(sources) }
}

fn untested(selection: &Selection) -> Vec<String> {
    vec![
        format!(
            "{} selected {} of {}.",
            selection.method,
            selection.selected.len(),
            counted(selection.data.features as usize, "feature")
        ),
        "They were not compared with all features; the last command below does that.".into(),
    ]
}

/// The number of features, then the figures of the verdict.
fn figures(selection: &Selection, verdict: &SelectionVerdict) -> Vec<KeyFigure> {
    let kept = format!("{} of {}", selection.selected.len(), selection.data.features);
    let what = if recommends(verdict) { "features to keep" } else { "features selected" };
    let mut figures = vec![KeyFigure { value: kept, what: what.to_owned() }];
    figures.extend(verdict.figures());
    figures
}

/// Whether the set is recommended.
fn recommends(verdict: &SelectionVerdict) -> bool {
    verdict.verdict == Verdict::Shown || verdict.keeps_all
}

/// The headline of the verdict, then the notes of the method.
fn sentences(selection: &Selection, verdict: &SelectionVerdict) -> Vec<String> {
    let notes = selection.notes.iter().map(|note| sentence(note));
    std::iter::once(verdict.headline.clone()).chain(notes).collect()
}

/// A note with a capital letter and a full stop.
fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    let start = letters.next().map_or(String::new(), |first| first.to_uppercase().collect());
    format!("{start}{}.", letters.as_str().trim_end_matches('.'))
}

/// Whether risk is not reported, as the parameter asks.
fn ignores_risk(selection: &Selection, advice: &Advice) -> bool {
    let is_ignored = selection.parameters.get("risk").is_some_and(|rule| rule == "ignore");
    is_ignored && advice.risk_verdict == Verdict::NotTested
}

/// The sets that were evaluated; `keeps_all` says whether the returned one contains all features.
fn trial(selection: &Selection, advice: &Advice, keeps_all: bool) -> EvaluatedSets {
    let size = |(place, tried): (usize, &TestedSize)| {
        let mut methods = tried.methods.clone();
        methods.sort();
        methods.dedup();
        EvaluatedSet {
            features: tried.features,
            cost: tried.cost,
            value: tried.value,
            difference: tried.effectiveness.mean_difference,
            lower_bound: tried.effectiveness.lower_bound,
            risk_difference: tried.risk.mean_difference,
            risk_bound: tried.risk.lower_bound,
            risk_margin: tried.risk.margin,
            good_enough: tried.effectiveness.holds,
            safe_enough: tried.risk.holds,
            chosen: advice.returned == Some(place),
            methods: methods.join(", "),
            command: commands::select(selection, &SetSize::Tested(tried), "selection.json"),
        }
    };
    EvaluatedSets {
        measure: advice.measure.clone(),
        margin: advice.tried.first().map_or(f64::NAN, |tried| tried.effectiveness.margin),
        confidence: 100.0 * (1.0 - advice.demand.level),
        baseline: advice.baseline.clone(),
        verdict: match keeps_all {
            true => "all features",
            false => advice.verdict.words(),
        },
        risk: !ignores_risk(selection, advice),
        by_cost: commands::sizes_are_costs(selection),
        sizes: advice.tried.iter().enumerate().map(size).collect(),
    }
}
