//! A selection as text: the answer first, then the features, the evidence and the parameters.

use std::collections::BTreeMap;

use featherank::internals::text::{counted, wrapped};
use featherank::select::{
    ChosenFeature, Exclusion, FittedModel, Generation, KeyFigure, Searched, Selection,
    SelectionVerdict,
};

use crate::output::table;
use crate::style::{DIM, STRONG, of_verdict, styled};

/// Formats a selection in lines of at most `width` columns.
pub fn summary(selection: &Selection, width: usize) -> String {
    let verdict = selection.verdict();
    let mut parts = vec![answer(selection, verdict.as_ref(), width)];
    parts.push(features(selection, verdict.is_none(), width));
    let evidence = evidence(selection);
    if !evidence.is_empty() {
        let lines: Vec<String> = evidence.iter().map(|line| wrapped(line, width, 2)).collect();
        parts.push(lines.join("\n"));
    }
    if !selection.parameters.is_empty() {
        let parameters: Vec<String> =
            selection.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let line = format!("parameters of {}: {}", selection.method, parameters.join(", "));
        parts.push(styled(DIM, &wrapped(&line, width, 2)));
    }
    parts.join("\n\n")
}

/// The verdict with its figures, or the number of features of a method without a verdict.
fn answer(selection: &Selection, verdict: Option<&SelectionVerdict>, width: usize) -> String {
    let Some(verdict) = verdict else {
        let (selected, all) = (selection.selected.len(), selection.data.features as usize);
        let line =
            format!("{} selected {selected} of {}", selection.method, counted(all, "feature"));
        return styled(STRONG, &wrapped(&line, width, 2));
    };
    verdict_text(verdict, width)
}

/// The headline of a verdict, then its figures.
pub fn verdict_text(verdict: &SelectionVerdict, width: usize) -> String {
    let headline = styled(of_verdict(verdict.verdict), &wrapped(&verdict.headline, width, 2));
    let figures = verdict.figures();
    let most = figures.iter().map(|figure| figure.value.chars().count()).max().unwrap_or(0);
    let line = |figure: &KeyFigure| format!("  {:<most$}  {}", figure.value, figure.what);
    let lines: Vec<String> =
        figures.iter().map(|figure| wrapped(&line(figure), width, most + 4)).collect();
    match lines.is_empty() {
        true => headline,
        false => format!("{headline}\n{}", lines.join("\n")),
    }
}

/// The features; scores of `auto` express only the order and are left out.
fn features(selection: &Selection, scores: bool, width: usize) -> String {
    let costs = selection.selected.iter().any(|chosen| chosen.cost != 1.0);
    let mut header = vec!["rank", "feature"];
    header.extend(scores.then_some("score"));
    header.extend(costs.then_some("cost"));
    let row = |(i, chosen): (usize, &ChosenFeature)| {
        let label = chosen.name.clone().unwrap_or_else(|| chosen.id.to_string());
        let mut cells = vec![(i + 1).to_string(), label];
        cells.extend(scores.then(|| format!("{:.4}", chosen.score)));
        cells.extend(costs.then(|| chosen.cost.to_string()));
        cells
    };
    table(&header, &selection.selected.iter().enumerate().map(row).collect::<Vec<_>>(), width)
}

/// How the method arrived at the set.
fn evidence(selection: &Selection) -> Vec<String> {
    let fit = selection.fits.iter().find(|fit| fit.chosen);
    let mut lines: Vec<String> =
        fit.map(|fit| model_line(fit, selection.fits.len())).into_iter().collect();
    lines.extend(selection.searched.as_ref().map(search_line));
    lines.extend(selection.notes.iter().map(|note| format!("note: {note}")));
    let mut by_reason: BTreeMap<&Exclusion, Vec<String>> = BTreeMap::new();
    for feature in &selection.set_aside {
        let label = feature.name.clone().unwrap_or_else(|| feature.id.to_string());
        by_reason.entry(&feature.reason).or_default().push(label);
    }
    lines.extend(
        by_reason.into_iter().map(|(reason, some)| {
            format!("excluded, {}: {}", reason.of(some.len()), some.join(", "))
        }),
    );
    lines
}

/// Describes the model that an embedded method selected.
fn model_line(fit: &FittedModel, fits: usize) -> String {
    let settings = fit.settings.iter().map(|(name, value)| format!("{name} {value:.3e}"));
    let value = fit.value.map(|value| format!("validation {value:.4}"));
    // Smaller values are rounding errors, which differ between machines.
    let certificates = fit.certificate.iter().map(|(name, value)| match value {
        ..1e-8 => format!("{name} below 1e-8"),
        _ => format!("{name} {value:.1e}"),
    });
    let parts: Vec<String> = settings.chain(value).chain(certificates).collect();
    format!("model selected from {fits}: {}", parts.join(", "))
}

/// Describes the result of a search over subsets.
fn search_line(searched: &Searched) -> String {
    let chosen = searched.front.iter().find(|member| member.chosen);
    let objectives: Vec<String> = chosen
        .iter()
        .flat_map(|member| &member.objectives)
        .map(|(name, value)| match name.as_str() {
            "features" | "cost" => format!("{name} {value}"),
            _ => format!("{name} {value:.4}"),
        })
        .collect();
    let best =
        |generation: Option<&Generation>| generation.map_or(0.0, |generation| generation.best);
    format!(
        "subset selected from a Pareto front of {}: {}; best value {:.4} in the first generation, {:.4} in the last",
        searched.front.len(),
        objectives.join(", "),
        best(searched.generations.first()),
        best(searched.generations.last())
    )
}
