//! DCG and its normalised forms: gains of labels, discounted by position.
//!
//! DCG@k = Σ gain(y) · discount(position) over the first k positions; NDCG divides by the DCG of
//! the ideal ranking (Järvelin & Kekäläinen 2002; gain 2^y − 1: Burges et al. 2005). The LETOR
//! scripts discount from position 3 on and give a list shorter than k a value of 0. Expected value
//! under ties: every tied position has the group's mean gain (McSherry & Najork, ECIR 2008),
//! because DCG is a sum over positions.

use super::conventions::{Conventions, Key};
use super::{Cutoff, Measure, MeasureSpec, RankedLabels, Summary};

pub(super) const NDCG: MeasureSpec = MeasureSpec {
    name: "ndcg",
    summary: "normalised discounted cumulative gain",
    cites: &["jarvelin2002", "burges2005", "mcsherry2008"],
    cutoff: Cutoff::Optional,
    options: &[Key::Gain, Key::Discount, Key::ShortLists, Key::NoRelevant, Key::Ties],
    defaults: Conventions::STANDARD,
    summarise: Summary::Mean,
    value: dcg,
    normaliser: Some(ideal_dcg),
};

pub(super) const DCG: MeasureSpec = MeasureSpec {
    name: "dcg",
    summary: "discounted cumulative gain, not normalised",
    options: &[Key::Gain, Key::Discount, Key::ShortLists, Key::Ties],
    normaliser: None,
    ..NDCG
};

pub(super) const MEAN_NDCG: MeasureSpec = MeasureSpec {
    name: "mean-ndcg",
    summary: "mean of NDCG@1, NDCG@2 … over the whole list, as the LETOR 4.0 script prints it",
    cutoff: Cutoff::None,
    value: mean_ndcg,
    normaliser: None,
    ..NDCG
};

fn dcg(measure: &Measure, ranking: &RankedLabels<'_>) -> f64 {
    if measure.too_short(ranking.len()) {
        return 0.0;
    }
    let Conventions { gain, discount, ties, .. } = *measure.conventions();
    let mut total = 0.0;
    ranking.for_each(
        measure.depth(ranking.len()),
        ties,
        |y| gain.of(y),
        |i, gain| {
            // Most documents have no gain and need no logarithm.
            if gain != 0.0 {
                total += gain * discount.at(i);
            }
        },
    );
    total
}

fn ideal_dcg(measure: &Measure, ideal: &[f32]) -> f64 {
    let Conventions { gain, discount, .. } = *measure.conventions();
    let top = ideal.iter().take(measure.depth(ideal.len())).take_while(|&&y| y > 0.0);
    top.enumerate().map(|(i, &y)| gain.of(y) * discount.at(i)).sum()
}

fn mean_ndcg(measure: &Measure, ranking: &RankedLabels<'_>) -> f64 {
    let Conventions { gain, discount, ties, .. } = *measure.conventions();
    let (mut actual, mut ideal, mut sum) = (0.0, 0.0, 0.0);
    ranking.for_each(
        ranking.len(),
        ties,
        |y| gain.of(y),
        |i, g| {
            actual += g * discount.at(i);
            ideal += gain.of(ranking.ideal()[i]) * discount.at(i);
            sum += actual / ideal;
        },
    );
    sum / ranking.len() as f64
}
