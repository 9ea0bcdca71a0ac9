//! Average precision: the mean of the precision at the positions of the relevant documents.
//!
//! AP = Σ over relevant positions of precision@position / number of relevant documents in the list;
//! MAP is its mean over queries, GMAP the geometric mean (Robertson 2006). Expected value under
//! ties (McSherry & Najork, ECIR 2008): in a group of n tied documents, r of them relevant, that
//! follows p documents with R relevant ones, position p + j is relevant with probability r/n and
//! then has on average R + 1 + (j − 1)(r − 1)/(n − 1) relevant documents up to it.

use super::conventions::{Conventions, Key};
use super::{Cutoff, Measure, MeasureSpec, RankedLabels, Summary, Ties};

pub(super) const MAP: MeasureSpec = MeasureSpec {
    name: "map",
    summary: "mean average precision",
    cites: &["mcsherry2008"],
    cutoff: Cutoff::None,
    options: &[Key::Relevant, Key::NoRelevant, Key::Ties],
    defaults: Conventions::STANDARD,
    summarise: Summary::Mean,
    value: average_precision,
    normaliser: None,
};

pub(super) const GMAP: MeasureSpec = MeasureSpec {
    name: "gmap",
    summary: "geometric mean of average precision",
    cites: &["robertson2006"],
    summarise: Summary::GeometricMean,
    ..MAP
};

fn average_precision(measure: &Measure, ranking: &RankedLabels<'_>) -> f64 {
    let Conventions { relevant_from, ties, .. } = *measure.conventions();
    let (mut seen, mut sum) = (0.0, 0.0);
    if ties == Ties::Expected {
        for (start, labels) in ranking.groups() {
            let n = labels.len() as f64;
            let relevant = labels.iter().filter(|&&y| y >= relevant_from).count() as f64;
            if relevant > 0.0 {
                let step = if n > 1.0 { (relevant - 1.0) / (n - 1.0) } else { 0.0 };
                let terms = (0..labels.len())
                    .map(|j| (seen + 1.0 + j as f64 * step) / (start + j + 1) as f64);
                sum += relevant / n * terms.sum::<f64>();
            }
            seen += relevant;
        }
    } else {
        for (i, _) in ranking.ordered(ties).iter().enumerate().filter(|(_, y)| **y >= relevant_from)
        {
            seen += 1.0;
            sum += seen / (i + 1) as f64;
        }
    }
    sum / seen
}
