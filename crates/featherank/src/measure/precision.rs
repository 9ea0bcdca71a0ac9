//! Precision at a cut-off, and "winner takes all": whether the first document is relevant.
//!
//! A list shorter than the cut-off is filled up with irrelevant documents, as in trec_eval and the
//! LETOR scripts; `short=truncate` divides by the number of documents instead.

use super::conventions::{Conventions, Key, ShortLists};
use super::{Cutoff, Measure, MeasureSpec, RankedLabels, Summary};

pub(super) const PRECISION: MeasureSpec = MeasureSpec {
    name: "p",
    summary: "share of relevant documents among the first k",
    cites: &[],
    cutoff: Cutoff::Required,
    options: &[Key::Relevant, Key::ShortLists, Key::NoRelevant, Key::Ties],
    defaults: Conventions { short_lists: ShortLists::Pad, ..Conventions::STANDARD },
    summarise: Summary::Mean,
    value: precision,
    normaliser: None,
};

pub(super) const WTA: MeasureSpec = MeasureSpec {
    name: "wta",
    summary: "winner takes all: 1 when the first document is relevant",
    cutoff: Cutoff::None,
    options: &[Key::Relevant, Key::NoRelevant, Key::Ties],
    value: |measure, ranking| relevant_in_top(measure, ranking, 1),
    ..PRECISION
};

fn precision(measure: &Measure, ranking: &RankedLabels<'_>) -> f64 {
    let n = ranking.len();
    if measure.too_short(n) {
        return 0.0;
    }
    let depth = measure.depth(n);
    let divisor = match measure.conventions.short_lists {
        ShortLists::Truncate => depth,
        ShortLists::Pad | ShortLists::Zero => measure.cutoff.unwrap_or(n),
    };
    relevant_in_top(measure, ranking, depth) / divisor as f64
}

pub(super) fn relevant_in_top(measure: &Measure, ranking: &RankedLabels<'_>, depth: usize) -> f64 {
    let Conventions { relevant_from, ties, .. } = measure.conventions;
    let mut found = 0.0;
    ranking.for_each(
        depth,
        ties,
        |y| f64::from(u8::from(y >= relevant_from)),
        |_, relevant| found += relevant,
    );
    found
}
