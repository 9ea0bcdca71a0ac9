//! Reciprocal rank and expected reciprocal rank: the user reads down the list until satisfied.
//!
//! A document satisfies with probability R; the measure is the expected 1/position of the last
//! document read (Chapelle, Metzler, Zhang, Grinspan, CIKM 2009). ERR uses R = (2^y − 1) / 2^max;
//! MRR is the case R = 1 for relevant documents and 0 for others. Expected value under ties: the
//! probability of reaching the j-th position of a tied group unsatisfied is the mean, over all
//! choices of j − 1 documents of the group, of the product of their (1 − R), an elementary
//! symmetric mean; the probability of stopping there is the difference of two consecutive means.

use super::conventions::{Conventions, Key};
use super::{Cutoff, Measure, MeasureSpec, RankedLabels, Summary, Ties};

pub(super) const ERR: MeasureSpec = MeasureSpec {
    name: "err",
    summary: "expected reciprocal rank",
    cites: &["chapelle2009"],
    cutoff: Cutoff::Optional,
    options: &[Key::MaxGrade, Key::ShortLists, Key::Ties],
    defaults: Conventions::STANDARD,
    summarise: Summary::Mean,
    value: |measure, ranking| {
        let max = f64::from(measure.conventions.max_grade).exp2();
        cascade(measure, ranking, |y| ((f64::from(y).exp2() - 1.0) / max).min(1.0))
    },
    normaliser: None,
};

pub(super) const MRR: MeasureSpec = MeasureSpec {
    name: "mrr",
    summary: "mean reciprocal rank of the first relevant document",
    cites: &[],
    options: &[Key::Relevant, Key::ShortLists, Key::NoRelevant, Key::Ties],
    value: |measure, ranking| {
        let relevant_from = measure.conventions.relevant_from;
        cascade(measure, ranking, |y| f64::from(u8::from(y >= relevant_from)))
    },
    ..ERR
};

fn cascade(measure: &Measure, ranking: &RankedLabels<'_>, satisfies: impl Fn(f32) -> f64) -> f64 {
    if measure.too_short(ranking.len()) {
        return 0.0;
    }
    let depth = measure.depth(ranking.len());
    let ties = measure.conventions.ties;
    let (mut unsatisfied, mut sum) = (1.0, 0.0);
    if ties != Ties::Expected {
        for (i, &label) in ranking.ordered(ties).iter().take(depth).enumerate() {
            let stops = satisfies(label);
            sum += unsatisfied * stops / (i + 1) as f64;
            unsatisfied *= 1.0 - stops;
        }
        return sum;
    }
    for (start, labels) in ranking.groups().take_while(|(start, _)| *start < depth) {
        let reach = mean_products(
            labels.iter().map(|&y| 1.0 - satisfies(y)),
            labels.len().min(depth - start),
        );
        for (j, pair) in reach.windows(2).enumerate() {
            sum += unsatisfied * (pair[0] - pair[1]) / (start + j + 1) as f64;
        }
        unsatisfied *= reach[reach.len() - 1];
    }
    sum
}

/// The mean product of j factors over all choices of j factors, for j = 0 … `most`.
fn mean_products(factors: impl Iterator<Item = f64>, most: usize) -> Vec<f64> {
    let mut means = vec![0.0; most + 1];
    means[0] = 1.0;
    for (n, factor) in (1..).zip(factors) {
        let n: usize = n;
        for j in (1..=most.min(n)).rev() {
            // A choice of j out of n excludes the newest factor with probability (n − j)/n, or
            // includes it with j − 1 others.
            means[j] = ((n - j) as f64 * means[j] + j as f64 * factor * means[j - 1]) / n as f64;
        }
    }
    means
}
