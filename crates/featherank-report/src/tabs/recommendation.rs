//! The recommendation: two sentences, the features, the sets that were evaluated, and next commands.

use std::path::Path;

use featherank::experiment::Results;
use featherank::select::Selection;
use featherank::select::auto::{Advice, Tried};
use serde::Serialize;

use super::fronts::{list, train};
use super::methods::MethodSummary;
use crate::content::counted;
use crate::shell;

/// The tab.
#[derive(Serialize)]
pub struct Recommended {
    /// Two sentences.
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

/// A key figure.
#[derive(Serialize)]
pub struct KeyFigure {
    pub value: String,
    pub what: String,
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
}

/// The recommendation of an experiment, or how to get one.
pub fn of_results(results: &Results, methods: &[MethodSummary]) -> Recommended {
    if let Some(selection) = &results.recommendation {
        let ids: Vec<u32> = selection.selected.iter().map(|chosen| chosen.id).collect();
        return recommended(selection, &["--features", &list(&ids)]);
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
        sentences,
        figures: Vec::new(),
        features: Vec::new(),
        scores: false,
        costs: false,
        commands: vec![ask()],
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
        command("Train a ranker on these features", train(ranker, &settings, features)),
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
        commands.push(ask());
    }
    Recommended {
        sentences: match advice {
            Some(advice) => vec![keep(selection, advice), next(advice)],
            None => untested(selection),
        },
        figures: advice.map_or(Vec::new(), |advice| figures(selection, advice)),
        features: selection
            .selected
            .iter()
            .map(|chosen| SelectedFeature { id: chosen.id, score: chosen.score, cost: chosen.cost })
            .collect(),
        scores: advice.is_none(),
        costs: selection.selected.iter().any(|chosen| chosen.cost != 1.0),
        commands,
        trial: advice.filter(|advice| !advice.tried.is_empty()).map(trial),
        set_aside: selection
            .set_aside
            .iter()
            .map(|aside| (aside.id, aside.reason.clone()))
            .collect(),
    }
}

/// How to get a recommendation.
fn ask() -> NextCommand {
    NextCommand {
        what: "Get a recommendation".into(),
        command: shell::command(&[
            "featherank",
            "select",
            "TRAIN",
            "--method",
            "auto",
            "-o",
            "selection.json",
        ]),
    }
}

fn queries(advice: &Advice) -> usize {
    advice.per_query_of_all.iter().flatten().count()
}

fn tried(advice: &Advice, place: Option<usize>) -> Option<&Tried> {
    place.and_then(|place| advice.tried.get(place))
}

/// How many features to keep, the effectiveness with them, and a bound on the loss.
fn keep(selection: &Selection, advice: &Advice) -> String {
    let Advice { ranker, measure, demand, .. } = advice;
    let (kept, all) =
        (selection.selected.len(), counted(selection.data.features as usize, "feature"));
    let queries = counted(queries(advice), "held-out quer|y|ies");
    let (confidence, allowed) = (percent(1.0 - demand.level), percent(demand.margin));
    let set = counted(kept, "feature");
    match tried(advice, advice.chosen) {
        Some(tried) => format!(
            "Keep {kept} of {all} for {ranker}: on {queries}, {measure} is {:.4} with {set} and \
             {:.4} with all {}; with {confidence} confidence {}; your margin is {allowed}.",
            tried.value,
            advice.all,
            selection.data.features,
            bounded(tried.effectiveness.lower_bound, advice.all),
        ),
        None if advice.tried.is_empty() => {
            format!(
                "Keep {kept} of {all}: the time limit was reached before a smaller set could be evaluated."
            )
        }
        None => format!(
            "Keep {kept} of {all} for {ranker}: {queries} do not show that a smaller set is within {allowed} of {measure} {:.4}.",
            advice.all
        ),
    }
}

/// Why the next smaller set was not chosen.
fn next(advice: &Advice) -> String {
    let Some(next) = tried(advice, advice.next) else {
        return match advice.tried.is_empty() {
            true => "Raise the time limit to evaluate smaller sets.".into(),
            false => {
                "Every set that was evaluated passed; there was no smaller set to evaluate.".into()
            }
        };
    };
    let set = counted(next.features, "feature");
    match (next.effectiveness.holds, next.risk.holds) {
        (true, _) => format!(
            "The next smaller set, {set} with {} {:.4}, is non-inferior on average, but its risk relative to the {} is not shown to be.",
            advice.measure, next.value, advice.baseline
        ),
        _ => format!(
            "The next smaller set, {set} with {} {:.4}, is not shown to be non-inferior: {}.",
            advice.measure,
            next.value,
            bounded(next.effectiveness.lower_bound, advice.all)
        ),
    }
}

/// The lower bound of the difference to all features, in words.
fn bounded(bound: f64, all: f64) -> String {
    match bound {
        bound if bound >= 0.0 => format!("the gain is at least {bound:.4}"),
        bound if bound.is_finite() => {
            format!("the loss is below {:.4} ({:.1} %)", -bound, -100.0 * bound / all)
        }
        _ => "too few queries count to bound the loss".into(),
    }
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

fn figures(selection: &Selection, advice: &Advice) -> Vec<KeyFigure> {
    let figure = |value: String, what: String| KeyFigure { value, what };
    let all = selection.data.features;
    let mut figures =
        vec![figure(format!("{} of {all}", selection.selected.len()), "features kept".into())];
    if let Some(tried) = tried(advice, advice.chosen) {
        let test = &tried.effectiveness;
        figures.push(figure(
            signed(test.mean_difference),
            format!("difference in {} to all features", advice.measure),
        ));
        figures.push(figure(
            signed(test.lower_bound),
            format!("lower bound with {} confidence", percent(1.0 - advice.demand.level)),
        ));
    }
    figures.push(figure(queries(advice).to_string(), "held-out queries".into()));
    figures
}

fn signed(value: f64) -> String {
    format!("{value:+.4}").replace('-', "−")
}

fn percent(share: f64) -> String {
    let rounded = (share * 1e6).round() / 1e4;
    format!("{rounded} %")
}

fn trial(advice: &Advice) -> EvaluatedSets {
    let size = |(place, tried): (usize, &Tried)| {
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
            chosen: advice.chosen == Some(place),
            methods: methods.join(", "),
        }
    };
    EvaluatedSets {
        measure: advice.measure.clone(),
        margin: advice.tried.first().map_or(f64::NAN, |tried| tried.effectiveness.margin),
        confidence: 100.0 * (1.0 - advice.demand.level),
        baseline: advice.baseline.clone(),
        sizes: advice.tried.iter().enumerate().map(size).collect(),
    }
}
