//! Consistency checks of documents, which may have been written by other programs.

use std::path::Path;

use featherank::Error;
use featherank::experiment::{FeatureSimilarity, FoldData, Results};
use featherank::select::Selection;

/// The error for an inconsistent document.
pub fn damaged(what: String, path: &Path) -> Error {
    Error::Document {
        what: format!("this document is inconsistent: {what}"),
        path: path.to_owned(),
        help: "write it again with featherank".into(),
    }
}

/// Checks that values match queries and that cells match folds.
pub fn results(results: &Results) -> Result<(), String> {
    for fold in &results.folds {
        let name = format!("fold {}", fold.number);
        for (baseline, values) in &fold.baselines {
            same(&format!("baseline `{baseline}` of {name}"), values.len(), fold.queries.len())?;
        }
    }
    if results.measures.is_empty() && results.done().next().is_some() {
        return Err("values of no measure".into());
    }
    for (cell, done) in results.done() {
        let name = format!("`{}` on fold {}", cell.method, cell.fold);
        let Some(fold) = results.folds.iter().find(|fold| fold.number == cell.fold) else {
            return Err(format!("{name} belongs to no fold"));
        };
        let FoldData { queries, .. } = fold;
        if done.test.len() != results.measures.len() {
            let (found, wanted) = (done.test.len(), results.measures.len());
            return Err(format!("{name} has values of {found} measures, and there are {wanted}"));
        }
        done.test.iter().try_for_each(|values| same(&name, values.len(), queries.len()))?;
    }
    if let Some(similarity) = &results.redundancy {
        matrix(similarity)?;
    }
    results.recommendation.as_deref().map_or(Ok(()), selection)
}

/// Checks that indices are in range and that values match queries.
pub fn selection(selection: &Selection) -> Result<(), String> {
    let Some(advice) = &selection.advice else { return Ok(()) };
    for place in [advice.chosen, advice.next].into_iter().flatten() {
        if place >= advice.tried.len() {
            return Err(format!("size {place} of {} that were tried", advice.tried.len()));
        }
    }
    same("all features", advice.per_query_of_all.len(), advice.queries.len())?;
    same("the chosen features", advice.per_query.len(), advice.queries.len())
}

fn matrix(similarity: &FeatureSimilarity) -> Result<(), String> {
    let wanted = similarity.features.len();
    let is_square = similarity.matrix.len() == wanted
        && similarity.matrix.iter().all(|row| row.len() == wanted);
    if is_square {
        Ok(())
    } else {
        Err(format!("the correlations of {wanted} features are no square"))
    }
}

fn same(what: &str, values: usize, queries: usize) -> Result<(), String> {
    if values == queries {
        Ok(())
    } else {
        Err(format!("{what} has {values} values for {queries} queries"))
    }
}
