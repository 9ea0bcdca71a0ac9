//! The notes that explain a recommendation.

use super::{Advice, TestedSize, Verdict};
use crate::error::Stop;
use crate::measure::significance::NonInferiority;
use crate::text::counted;

/// What an untested result contains.
pub fn kept(selected: usize, lacks_any: bool) -> String {
    match lacks_any {
        true => format!("{} kept, not tested", features(selected)),
        false => "all features are kept".to_owned(),
    }
}

/// For data with too few queries.
pub fn too_few(queries: usize, folds: usize) -> String {
    format!(
        "{queries} queries with documents of different relevance are too few to show that fewer \
         features are as good; {} are needed at least, and some hundreds to drop many",
        4 * folds
    )
}

/// For runs that stopped before they could try a size; `stop` is the reason.
pub fn no_time(stop: Option<Stop>) -> String {
    let why = match stop {
        Some(Stop::Interrupted) => "the run was interrupted",
        Some(Stop::TimeLimit) | None => "the time limit was reached",
    };
    format!("{why} before any size could be tried")
}

/// The set that is returned, and how it was found.
pub struct ReturnedSet {
    /// The number of its features.
    pub features: usize,
    /// Whether it lacks any feature that the ranker can use.
    pub lacks_any: bool,
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
    let Advice { measure, ranker, demand, verdict, baseline, .. } = advice;
    let queries = advice.per_query_of_all.iter().flatten().count();
    let confidence = 100.0 * (1.0 - demand.level);
    let allowed = 100.0 * demand.margin;
    let all = advice.all.unwrap_or(f64::NAN);
    let evidence = |tried: &TestedSize| {
        format!(
            "{measure} is {:.4} with {} and {all:.4} with all {}, on {queries} held-out queries; \
             with {confidence} % confidence {}; your margin is {allowed} %",
            tried.value,
            features(set.features),
            set.all,
            bound_of_loss(&tried.effectiveness, all),
        )
    };
    let risk = |tried: &TestedSize| match advice.risk_verdict {
        Verdict::Shown => {
            format!("; the risk relative to the {baseline} is within the margin, too")
        }
        Verdict::NotShown if !tried.risk.holds => {
            format!("; the risk relative to the {baseline} is not shown to be within its margin")
        }
        _ => String::new(),
    };
    match advice.returned.map(|place| &advice.tried[place]) {
        None => notes.push("this set was not tested".to_owned()),
        Some(_) if !set.lacks_any => notes.push(format!(
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
        let is_risk_tested = advice.risk_verdict != Verdict::NotTested;
        let failed = match (next.effectiveness.holds, next.risk.holds) {
            (false, _) => Some(format!(
                "the loss may reach {}; your margin is {allowed} %",
                with_share(-next.effectiveness.lower_bound, all)
            )),
            (true, false) if is_risk_tested => Some(format!(
                "risk relative to the {baseline} is not shown to be within its margin"
            )),
            (true, _) => None,
        };
        notes.extend(failed.map(|failed| {
            format!("{}: {measure} {:.4}, but {failed}", features(next.features), next.value)
        }));
    }
    let methods = advice.methods.join(", ");
    notes.push(format!("proposed by {methods}; the set is from {}", set.method));
    if set.share < 1.0 {
        notes.push(format!("chosen and tested on {:.2} % of the queries", 100.0 * set.share));
    }
    notes
}

fn features(count: usize) -> String {
    counted(count, "feature")
}

/// The upper bound of the loss of a set, or the lower bound of its gain; `all` is the value with
/// all features.
fn bound_of_loss(test: &NonInferiority, all: f64) -> String {
    match test.lower_bound {
        bound if bound >= 0.0 => format!("the gain is at least {}", with_share(bound, all)),
        bound => format!("the loss is below {}", with_share(-bound, all)),
    }
}

/// A difference, with its share of a positive value.
fn with_share(difference: f64, of: f64) -> String {
    match of > 0.0 {
        true => format!("{difference:.4} ({:.1} %)", 100.0 * difference / of),
        false => format!("{difference:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_without_results_name_the_reason() {
        let limit = "the time limit was reached before any size could be tried";
        assert_eq!(no_time(Some(Stop::TimeLimit)), limit);
        let interrupted = "the run was interrupted before any size could be tried";
        assert_eq!(no_time(Some(Stop::Interrupted)), interrupted);
    }
}
