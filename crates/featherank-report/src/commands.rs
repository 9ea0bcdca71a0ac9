//! Commands that a page prints. They run when they are copied if the files of the data are known;
//! otherwise placeholders are in capitals.

use featherank::data::{DataSources, Feature};
use featherank::internals::shell;
use featherank::select::Selection;
use featherank::select::auto::TestedSize;

/// The ranker of commands for methods that were not asked to select for one.
const RANKER: &str = "lambdamart";

/// The size of a set to select.
pub enum SetSize<'a> {
    /// That of the selection itself.
    Same,
    /// One of the sizes that `auto` tried.
    Tested(&'a TestedSize),
}

/// The command that trains a ranker on given features.
pub fn train(
    sources: &DataSources,
    ranker: Option<&str>,
    settings: &[(&str, &str)],
    features: &[&str],
) -> String {
    let mut words = with_data(sources, "train");
    words.extend(["--ranker".into(), ranker.unwrap_or(RANKER).into()]);
    words.extend(settings.iter().flat_map(|(name, value)| setting(name, value)));
    words.extend(features.iter().map(|&word| word.to_owned()));
    words.extend(["-o".into(), "model.json".into()]);
    shell::command(&words)
}

/// The command that recommends a set.
pub fn recommend(sources: &DataSources) -> String {
    let mut words = with_data(sources, "select");
    words.extend(["--method", "auto", "-o", "selection.json"].map(str::to_owned));
    shell::command(&words)
}

/// The command that selects again from the same data under the same constraints, or a set of
/// another size.
pub fn select(selection: &Selection, size: &SetSize<'_>, output: &str) -> String {
    let (sources, constraints) = (&selection.sources, &selection.constraints);
    let mut words = with_data(sources, "select");
    words.extend(["--method".into(), selection.method.clone()]);
    let parameters = selection.parameters.iter().filter(|(_, value)| !value.is_empty());
    words.extend(parameters.flat_map(|(name, value)| setting(name, value)));
    words.extend(["--seed".into(), selection.seed.to_string()]);
    for (option, features) in [("--keep", &constraints.keep), ("--drop", &constraints.drop)] {
        if !features.is_empty() {
            words.extend([option.to_owned(), list(features)]);
        }
    }
    words.extend(limits(selection, size));
    words.extend(["-o".into(), output.to_owned()]);
    shell::command(&words)
}

/// Whether features have costs. Documents of older versions record only those of chosen features.
fn has_costs(selection: &Selection) -> bool {
    !selection.constraints.costs.is_empty()
        || selection.selected.iter().any(|chosen| chosen.cost != 1.0)
}

/// Whether the sizes that `auto` tried are costs: they are numbers of features if one was asked for
/// or features have no costs.
pub fn sizes_are_costs(selection: &Selection) -> bool {
    selection.constraints.k.is_none() && has_costs(selection)
}

/// Costs, and the limits on the size of the set.
fn limits(selection: &Selection, size: &SetSize<'_>) -> Vec<String> {
    let (sources, constraints) = (&selection.sources, &selection.constraints);
    let has_costs = has_costs(selection);
    let (kept, kept_cost) = match size {
        SetSize::Same => (0, 0.0),
        SetSize::Tested(tried) => unusable_kept(selection, tried),
    };
    let (k, budget) = match size {
        SetSize::Same => (constraints.k, selection.budget),
        SetSize::Tested(tried) if !sizes_are_costs(selection) => {
            // A budget does not restrict sizes that were only steps on the way.
            let features = tried.features + kept;
            let is_allowed = constraints.k.is_some_and(|k| features <= k);
            (Some(features), selection.budget.filter(|_| has_costs && is_allowed))
        }
        SetSize::Tested(tried) => (None, Some(tried.cost + kept_cost)),
    };
    let mut words = Vec::new();
    if has_costs {
        words.extend(["--costs".into(), sources.costs.clone().unwrap_or("COSTS".into())]);
    }
    words.extend(k.into_iter().flat_map(|k| ["--k".into(), k.to_string()]));
    words.extend(budget.into_iter().flat_map(|most| ["--budget".into(), most.to_string()]));
    words
}

/// The number and the cost of the features to keep that the ranker cannot use: sizes that were
/// tried do not count them, and limits do.
fn unusable_kept(selection: &Selection, tried: &TestedSize) -> (usize, f64) {
    let constraints = &selection.constraints;
    let cost = |id: u32| {
        let known = constraints.costs.iter().find(|(other, _)| *other == id);
        known.map_or(1.0, |(_, cost)| *cost)
    };
    let ids = constraints.keep.iter().map(|feature| feature.id);
    let costs: Vec<f64> = ids.filter(|id| !tried.set.contains(id)).map(cost).collect();
    match tried.set.is_empty() {
        // Documents of older versions record neither sets nor features to keep.
        true => (0, 0.0),
        false => (costs.len(), costs.iter().sum()),
    }
}

/// A command with its data.
fn with_data(sources: &DataSources, command: &str) -> Vec<String> {
    let mut words = vec!["featherank".to_owned(), command.to_owned()];
    match sources.train.is_empty() {
        true => words.push("TRAIN".into()),
        false => words.extend(sources.train.iter().cloned()),
    }
    words.extend(sources.options.iter().cloned());
    words.extend(sources.valid.iter().flat_map(|path| ["--valid".into(), path.clone()]));
    words
}

fn setting(name: &str, value: &str) -> [String; 2] {
    ["-p".to_owned(), format!("{name}={value}")]
}

/// Features as options understand them: names, in quotes if they could be read as something else.
fn list(features: &[Feature]) -> String {
    let item = |feature: &Feature| match &feature.name {
        None => feature.id.to_string(),
        Some(name) => {
            let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
            if is_plain { name.clone() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
        }
    };
    features.iter().map(item).collect::<Vec<_>>().join(",")
}
