//! Pareto fronts of searches over subsets.

use std::collections::{BTreeMap, BTreeSet};

use featherank::data::FeatureTable;
use featherank::experiment::{MethodExpression, Results};
use featherank::select::{FrontSubset, Selection};
use serde::Serialize;

use crate::commands::train;
use crate::grouped::Grouped;

/// The front of one search.
#[derive(Serialize)]
pub struct Front {
    pub method: String,
    /// Fold and seed of the search; empty if there is only one.
    pub run: String,
    /// Objectives that can be drawn: those of the search, and the number of features.
    pub objectives: Vec<String>,
    /// The axes that are shown first.
    pub across: String,
    pub upwards: String,
    pub members: Vec<FrontMember>,
}

/// One subset of the front.
#[derive(Serialize)]
pub struct FrontMember {
    pub features: Vec<u32>,
    pub objectives: BTreeMap<String, f64>,
    pub chosen: bool,
    /// The command that trains a ranker on it.
    pub command: String,
}

/// The fronts of all cells.
pub fn of_results(results: &Results, groups: &[Grouped<'_>]) -> Vec<Front> {
    let seeds = results.cells.iter().any(|cell| cell.seed != results.seed);
    let mut fronts = Vec::new();
    for (cell, done) in
        groups.iter().flat_map(|group| &group.cells).filter(|(_, done)| !done.front.is_empty())
    {
        let seed = if seeds { format!(", seed {}", cell.seed) } else { String::new() };
        let settings: Vec<(&str, &str)> =
            done.ranking.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let run = format!("fold {}{seed}", cell.fold);
        let table = FeatureTable::from_features(results.features.clone());
        // Its settings are those of the ranking.
        let expression = cell.ranker.as_deref().and_then(|it| MethodExpression::parse(it).ok());
        let ranker = expression.as_ref().map(|expression| expression.name.as_str());
        let train = |list: &str| train(&results.sources, ranker, &settings, &["--features", list]);
        fronts.push(front(&cell.method, run, &done.front, &table, &train));
    }
    fronts
}

/// The front of the search behind a selection.
pub fn of_selection(selection: &Selection) -> Vec<Front> {
    let Some(searched) = selection.searched.as_ref().filter(|searched| !searched.front.is_empty())
    else {
        return Vec::new();
    };
    let ranker = selection.parameters.get("ranker").map(String::as_str);
    let table = FeatureTable::from_features(selection.features());
    let train = |list: &str| train(&selection.sources, ranker, &[], &["--features", list]);
    vec![front(&selection.method, String::new(), &searched.front, &table, &train)]
}

fn front(
    method: &str,
    run: String,
    members: &[FrontSubset],
    table: &FeatureTable,
    train: &dyn Fn(&str) -> String,
) -> Front {
    let point = |member: &FrontSubset| {
        let mut objectives = member.objectives.clone();
        objectives.entry(SIZE.to_owned()).or_insert(member.features.len() as f64);
        FrontMember {
            features: member.features.clone(),
            objectives,
            chosen: member.chosen,
            command: train(&table.list_of(&member.features)),
        }
    };
    let own: BTreeSet<&str> =
        members.iter().flat_map(|member| member.objectives.keys()).map(String::as_str).collect();
    let upwards = own.get("effectiveness").or(own.first()).copied().unwrap_or(SIZE);
    let others = || own.iter().copied().filter(|name| *name != upwards);
    let across = others().find(|name| *name == SIZE).or_else(|| others().next()).unwrap_or(SIZE);
    let mut objectives: BTreeSet<&str> = own.clone();
    objectives.insert(SIZE);
    Front {
        method: method.to_owned(),
        run,
        objectives: objectives.into_iter().map(str::to_owned).collect(),
        across: across.to_owned(),
        upwards: upwards.to_owned(),
        members: members.iter().map(point).collect(),
    }
}

/// The name of the number of features among the objectives.
const SIZE: &str = "features";
