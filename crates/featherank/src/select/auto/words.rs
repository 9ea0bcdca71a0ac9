//! The notes that explain a recommendation.

use super::Advice;
use crate::measure::significance::NonInferiority;
use crate::select::Selection;

/// For data with too few queries.
pub fn too_few(queries: usize, folds: usize) -> String {
    format!(
        "all features are kept: {queries} queries with documents of different relevance are too few to show that fewer features \
         are as good; {} are needed at least, and some hundreds to drop many",
        4 * folds
    )
}

/// For runs without enough time.
pub fn no_time() -> String {
    "time was up before any size could be tried: all features are kept".to_owned()
}

/// The result, the evidence for it, and the possible loss of the next smaller set.
pub fn notes(advice: &Advice, selection: &Selection, method: &str, share: f64) -> Vec<String> {
    let mut notes = Vec::new();
    let Advice { measure, ranker, demand, .. } = advice;
    let queries = advice.per_query_of_all.iter().flatten().count();
    let confidence = 100.0 * (1.0 - demand.level);
    let allowed = 100.0 * demand.margin;
    let alive = selection.data.features as usize - selection.set_aside.len();
    match advice.chosen.map(|place| &advice.tried[place]) {
        // All features are trivially as good as themselves.
        Some(tried) if tried.features < alive => notes.push(format!(
            "as good as all for {ranker}: {measure} {:.4} with {}, {:.4} with all, on {queries} held-out queries; {} with {confidence} % confidence, \
             and {:.4} ({allowed} %) is allowed; risk against the {} passes too",
            tried.value,
            features(tried.features),
            advice.all,
            at_worst(&tried.effectiveness),
            tried.effectiveness.margin,
            advice.baseline,
        )),
        None if advice.tried.is_empty() => notes.push(no_time()),
        _ => notes.push(format!(
            "{} kept: {queries} queries cannot show that fewer are as good for {ranker} within {allowed} % of {measure} {:.4}",
            features(selection.selected.len()),
            advice.all
        )),
    }
    if let Some(next) = advice.next.map(|place| &advice.tried[place]) {
        let failed = match (next.effectiveness.holds, next.risk.holds) {
            (true, _) => format!("risk against the {} is not shown to be as low", advice.baseline),
            _ => format!(
                "{} ({:.4} is allowed)",
                at_worst(&next.effectiveness),
                next.effectiveness.margin
            ),
        };
        notes.push(format!(
            "{}: {measure} {:.4}, but {failed}",
            features(next.features),
            next.value
        ));
    }
    notes.push(format!("proposed by {}; the set by {method}", advice.methods.join(", ")));
    if share < 1.0 {
        notes.push(format!(
            "tried on {:.0} % of the queries; the set is chosen on all",
            100.0 * share
        ));
    }
    notes
}

fn features(count: usize) -> String {
    if count == 1 { "1 feature".into() } else { format!("{count} features") }
}

/// The upper bound of the loss of a set.
fn at_worst(test: &NonInferiority) -> String {
    match test.lower_bound {
        bound if bound >= 0.0 => format!("at least {bound:.4} better"),
        bound => format!("at worst {:.4} lower", -bound),
    }
}
