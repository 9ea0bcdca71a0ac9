//! The verdict of a comparison in two sentences: the best method, and what it gains over all
//! features.

use super::mean;
use super::pooled::PooledResults;
use crate::error::Result;
use crate::evaluate::{PairComparison, compare};
use crate::experiment::Results;
use crate::measure::Measure;
use crate::measure::significance::LEVEL;
use crate::text::{counted, p_value, signed};

/// Two sentences on an experiment, by the first measure: which method is best and which others it
/// beats significantly, and how it differs from all features.
///
/// # Errors
/// A measure that this version does not know.
pub fn verdict(results: &Results) -> Result<[String; 2]> {
    let methods = PooledResults::all(results)?;
    let named = results.measures.first().map(|name| (name, name.parse::<Measure>()));
    let complete = |i: &usize| methods[*i].complete && !methods[*i].means[0].is_nan();
    let value = |i: usize| methods[i].means[0];
    let best = match named {
        Some(_) => (0..methods.len())
            .filter(complete)
            // Of equal methods the first one.
            .reduce(|best, i| if value(i) > value(best) { i } else { best }),
        None => None,
    };
    let (Some(best), Some((name, Ok(measure)))) = (best, named) else {
        return Ok([
            "No method has results on every fold.".into(),
            "The reasons are in the table of failed cells.".into(),
        ]);
    };
    let values: Vec<&[f64]> = methods.iter().map(|method| &method.per_query[0][..]).collect();
    let pairs = compare(0, &measure, &values);
    let first = format!(
        "{} has the highest {name}, {:.4}, of {} on {}{}.",
        methods[best].name,
        value(best),
        counted(methods.len(), "method"),
        counted(queries(results), "test quer|y|ies"),
        beats(&pairs, best, methods.len() - 1),
    );
    Ok([first, against_all(results, &methods, &pairs, best)])
}

fn queries(results: &Results) -> usize {
    results.folds.iter().map(|fold| fold.queries.len()).sum()
}

/// How many of the others a method beats significantly.
fn beats(pairs: &[PairComparison], best: usize, others: usize) -> String {
    let ahead = |pair: &&PairComparison| {
        pair.t_p_holm < LEVEL
            && ((pair.a == best && pair.difference > 0.0)
                || (pair.b == best && pair.difference < 0.0))
    };
    let beaten = pairs.iter().filter(ahead).count();
    match (beaten, others) {
        (_, 0) => String::new(),
        (0, _) => ", but beats none of the others significantly".into(),
        (beaten, others) if beaten == others => {
            format!(", and beats all {others} others significantly")
        }
        (beaten, others) => format!(", and beats {beaten} of the {others} others significantly"),
    }
}

/// The best method in comparison with all features and the same ranker.
fn against_all(
    results: &Results,
    methods: &[PooledResults<'_>],
    pairs: &[PairComparison],
    best: usize,
) -> String {
    let method = &methods[best];
    let size = mean(method.cells.iter().map(|(_, done)| done.features.len() as f64));
    let features = counted(results.features.len(), "feature");
    if method.selector.is_none() {
        return format!("It uses {size:.1} of {features}: no selection has a higher value.");
    }
    let is_all = |&i: &usize| methods[i].selector.is_none() && methods[i].ranker == method.ranker;
    let all = (0..methods.len()).filter(is_all).find(|&i| !methods[i].means[0].is_nan());
    let pair = all.and_then(|all| {
        let is_pair = |pair: &&PairComparison| [pair.a, pair.b] == [all.min(best), all.max(best)];
        pairs.iter().find(is_pair).map(|pair| (all, pair))
    });
    match pair {
        Some((all, pair)) => format!(
            "It uses {size:.1} of {features} on average; its difference of {} to all features \
             with the same ranker is {} (paired t-test, Holm, p {}).",
            signed(method.means[0] - methods[all].means[0]),
            if pair.t_p_holm < LEVEL { "significant" } else { "not significant" },
            p_value(pair.t_p_holm),
        ),
        None => format!(
            "It uses {size:.1} of {features} on average; no method uses all features with the \
             same ranker."
        ),
    }
}
