//! The notes that explain a recommendation.

use super::{Advice, Tried, Verdict};
use crate::measure::significance::NonInferiority;
use crate::text::counted;

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

/// The set that is returned, and how it was found.
pub struct ReturnedSet {
    /// The number of its features.
    pub features: usize,
    /// The number of features that the ranker can use.
    pub all: usize,
    /// The method that chose it.
    pub method: &'static str,
    /// The share of the queries that sizes were tried on.
    pub share: f64,
}

/// The verdict, the evidence for it, and the possible loss of the next smaller set.
pub fn notes(advice: &Advice, set: &ReturnedSet) -> Vec<String> {
    let mut notes = Vec::new();
    let Advice { measure, ranker, demand, verdict, .. } = advice;
    let queries = advice.per_query_of_all.iter().flatten().count();
    let confidence = 100.0 * (1.0 - demand.level);
    let allowed = 100.0 * demand.margin;
    let all = advice.all.unwrap_or(f64::NAN);
    let evidence = |tried: &Tried| {
        format!(
            "{measure} is {:.4} with {} and {all:.4} with all {}, on {queries} held-out queries; \
             with {confidence} % confidence {}, and the margin is {:.4} ({allowed} %)",
            tried.value,
            features(tried.features),
            set.all,
            at_worst(&tried.effectiveness),
            tried.effectiveness.margin,
        )
    };
    let risk = |tried: &Tried| match advice.risk_verdict {
        Verdict::Shown => {
            format!("; the risk relative to the {} is within the margin, too", advice.baseline)
        }
        Verdict::NotShown if !tried.risk.holds => {
            format!("; the risk relative to the {} is not shown to be as low", advice.baseline)
        }
        _ => String::new(),
    };
    match advice.returned.map(|place| &advice.tried[place]) {
        None => notes.push(no_time()),
        Some(_) if set.features == set.all => notes.push(format!(
            "all {} kept: {queries} queries do not show that fewer are as good for {ranker}, \
             within {allowed} % of {measure} {all:.4}",
            features(set.features),
        )),
        Some(tried) => notes.push(format!(
            "{} for {ranker}: {}{}",
            verdict.words(),
            evidence(tried),
            risk(tried)
        )),
    }
    if let Some(next) = advice.next.map(|place| &advice.tried[place]) {
        let failed = match (next.effectiveness.holds, next.risk.holds) {
            (true, _) => {
                format!("risk relative to the {} is not shown to be as low", advice.baseline)
            }
            _ => format!(
                "{} (the margin is {:.4})",
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
    notes.push(format!("proposed by {}; the set by {}", advice.methods.join(", "), set.method));
    if set.share < 1.0 {
        notes.push(format!(
            "tried on {:.0} % of the queries; the set is chosen on all",
            100.0 * set.share
        ));
    }
    notes
}

fn features(count: usize) -> String {
    counted(count, "feature")
}

/// The upper bound of the loss of a set.
fn at_worst(test: &NonInferiority) -> String {
    match test.lower_bound {
        bound if bound >= 0.0 => format!("at least {bound:.4} better"),
        bound => format!("at worst {:.4} lower", -bound),
    }
}
