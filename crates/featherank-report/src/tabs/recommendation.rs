//! The recommendation: two sentences, the features, what was tried, and the commands to go on with.

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
    /// The few numbers that matter, each with what it is.
    pub figures: Vec<Figure>,
    pub features: Vec<Feature>,
    /// Whether scores say more than the order does.
    pub scores: bool,
    /// Whether costs differ.
    pub costs: bool,
    pub commands: Vec<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// Features that no method was shown, and why.
    pub set_aside: Vec<(u32, String)>,
}

/// A number in large type.
#[derive(Serialize)]
pub struct Figure {
    pub value: String,
    pub what: String,
}

/// A chosen feature.
#[derive(Serialize)]
pub struct Feature {
    pub id: u32,
    pub score: f64,
    pub cost: f64,
}

/// What to type next.
#[derive(Serialize)]
pub struct Command {
    pub what: String,
    pub command: String,
}

/// The sizes that were tried.
#[derive(Serialize)]
pub struct Trial {
    pub measure: String,
    /// What may be lost.
    pub margin: f64,
    /// In percent.
    pub confidence: f64,
    pub baseline: String,
    pub sizes: Vec<Size>,
}

/// One of them.
#[derive(Serialize)]
pub struct Size {
    pub features: usize,
    pub cost: f64,
    pub value: f64,
    pub difference: f64,
    pub lower_bound: f64,
    pub risk_difference: f64,
    pub risk_bound: f64,
    pub risk_margin: f64,
    /// In effectiveness, and in risk.
    pub good_enough: bool,
    pub safe_enough: bool,
    pub chosen: bool,
    pub methods: String,
}

/// What the experiment recommends, or how to get a recommendation.
pub fn of_results(results: &Results, methods: &[MethodSummary]) -> Recommended {
    if let Some(selection) = &results.recommendation {
        let ids: Vec<u32> = selection.selected.iter().map(|chosen| chosen.id).collect();
        return recommended(selection, &["--features", &list(&ids)]);
    }
    let measure = results.measures.first().map_or("", String::as_str);
    let worth = |method: &MethodSummary| method.values.first().map_or(f64::NAN, |value| value.mean);
    let best = methods.iter().filter(|method| !worth(method).is_nan());
    let best = best.max_by(|a, b| worth(a).total_cmp(&worth(b)));
    let sentences = match best {
        Some(best) => vec![
            format!(
                "Of {}, {} has the highest mean {measure} on test queries: {:.4} with {:.1} features on average.",
                counted(methods.len(), "method"),
                best.name,
                worth(best),
                best.features.mean
            ),
            "This experiment asked for no recommendation; the command below finds the smallest set that is shown to be as good as all features.".into(),
        ],
        None => vec![
            "There is nothing to recommend: nothing was tested.".into(),
            "The command below finds the smallest set that is shown to be as good as all features.".into(),
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

/// What a selection comes to.
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
    let command = |what: &str, command: String| Command { what: what.to_owned(), command };
    let words = |words: &[&str]| shell::command(words);
    let mut commands = vec![
        command("Train a ranker on these features", train(ranker, &settings, features)),
        command(
            "Test it",
            words(&["featherank", "evaluate", "TEST", "--model", "model.json", "--risk"]),
        ),
        command(
            "Hand it to what serves it",
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
            .map(|chosen| Feature { id: chosen.id, score: chosen.score, cost: chosen.cost })
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
fn ask() -> Command {
    Command {
        what: "Ask for a recommendation".into(),
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

/// What to keep, what it costs, and what is lost at worst.
fn keep(selection: &Selection, advice: &Advice) -> String {
    let Advice { ranker, measure, demand, .. } = advice;
    let (kept, all) =
        (selection.selected.len(), counted(selection.data.features as usize, "feature"));
    let queries = counted(queries(advice), "held-out quer|y|ies");
    let (confidence, allowed) = (percent(1.0 - demand.level), percent(demand.margin));
    match tried(advice, advice.chosen) {
        Some(tried) => format!(
            "Keep {kept} of {all} for {ranker}: on {queries} {measure} is {:.4} with so few and {:.4} with all, and with {confidence} confidence {}, \
             where {:.4} ({allowed}) may be lost.",
            tried.value,
            advice.all,
            at_worst(tried.effectiveness.lower_bound),
            tried.effectiveness.margin
        ),
        None if advice.tried.is_empty() => {
            format!("Keep {kept} of {all}: time was up before any smaller set could be tried.")
        }
        None => format!(
            "Keep {kept} of {all} for {ranker}: {queries} cannot show that fewer are as good within {allowed} of {measure} {:.4}.",
            advice.all
        ),
    }
}

/// What the next smaller set might lose.
fn next(advice: &Advice) -> String {
    let Some(next) = tried(advice, advice.next) else {
        return match advice.tried.is_empty() {
            true => "Give it more time, and it tries smaller sets.".into(),
            false => "No set that was tried failed: there was none smaller to try.".into(),
        };
    };
    let set = counted(next.features, "feature");
    match (next.effectiveness.holds, next.risk.holds) {
        (true, _) => format!(
            "The next set that was tried, {set} with {} {:.4}, is good enough on average, but its risk against the {} is not shown to be as low.",
            advice.measure, next.value, advice.baseline
        ),
        _ => format!(
            "The next set that was tried, {set} with {} {:.4}, is not shown to be good enough: {}.",
            advice.measure,
            next.value,
            at_worst(next.effectiveness.lower_bound)
        ),
    }
}

fn at_worst(bound: f64) -> String {
    match bound {
        bound if bound >= 0.0 => format!("at least {bound:.4} is gained"),
        bound if bound.is_finite() => format!("at most {:.4} is lost", -bound),
        _ => "too few queries count to say what is lost".into(),
    }
}

fn untested(selection: &Selection) -> Vec<String> {
    vec![
        format!(
            "{} chose {} of {}.",
            selection.method,
            selection.selected.len(),
            counted(selection.data.features as usize, "feature")
        ),
        "Nobody has tested whether they are as good as all features; the last command below does."
            .into(),
    ]
}

fn figures(selection: &Selection, advice: &Advice) -> Vec<Figure> {
    let figure = |value: String, what: String| Figure { value, what };
    let all = selection.data.features;
    let mut figures =
        vec![figure(format!("{} of {all}", selection.selected.len()), "features kept".into())];
    if let Some(tried) = tried(advice, advice.chosen) {
        let test = &tried.effectiveness;
        figures.push(figure(
            signed(test.mean_difference),
            format!("{} against all features", advice.measure),
        ));
        figures.push(figure(
            signed(test.lower_bound),
            format!("at worst, with {} confidence", percent(1.0 - advice.demand.level)),
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

fn trial(advice: &Advice) -> Trial {
    let size = |(place, tried): (usize, &Tried)| {
        let mut methods = tried.methods.clone();
        methods.sort();
        methods.dedup();
        Size {
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
    Trial {
        measure: advice.measure.clone(),
        margin: advice.tried.first().map_or(f64::NAN, |tried| tried.effectiveness.margin),
        confidence: 100.0 * (1.0 - advice.demand.level),
        baseline: advice.baseline.clone(),
        sizes: advice.tried.iter().enumerate().map(size).collect(),
    }
}
