//! Reduction of ranking to pairwise classification: NDCG-Train and NDCG-Test of Sun, Qin, Tao &
//! Wang (SIGIR 2009).
//!
//! NDCG-Train turns the labels of a query into weighted pairs (their Procedure 1). With gains a =
//! 2^y − 1, positions from the current ranking, b = 1/log₂(1 + position) and Z such that the ideal
//! ranking has value 1, the weight of a pair is Z·|(aᵢ − aⱼ)(bᵢ − bⱼ)|, their equation 3: the
//! change of NDCG when the two are swapped. A classifier c decides pairs, c(i, j) being true when
//! it prefers j to i; its loss is the total weight of the misclassified pairs, equation 4.
//! NDCG-Test ranks by the number of lost comparisons (their Procedure 2): position(i) = |{j : c(i,
//! j)}| + 1.
//!
//! Their Theorem 1, and the part of it that holds. For a classifier that is induced by scores, and
//! fixed labels, 1 − NDCG ≤ loss: the shortfall of a ranking is at most the weight of the pairs it
//! misorders (their Lemma 1; the printed "<" is an equality when one neighbouring pair is swapped).
//! The bound carries over to averages over queries. Two readings of the theorem go further than its
//! proof and do not hold; tests pin both. A cyclic classifier puts all documents at one position,
//! so that every weight and therefore its loss is 0, regardless of the NDCG of its ranking. And if
//! labels of the same documents are random, the regret of the loss (the excess over the minimum)
//! may be smaller than the regret of NDCG.

/// A pair of documents with different labels, and its weight in the loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedPair {
    /// The document with the larger label.
    pub better: usize,
    /// The document with the smaller label.
    pub worse: usize,
    /// Z·|(aᵢ − aⱼ)(bᵢ − bⱼ)|.
    pub weight: f64,
}

/// NDCG-Train: the weighted pairs of a query whose documents have these positions, counted from 1.
///
/// Positions may repeat: a classifier that is not transitive assigns one position to several
/// documents.
pub fn weighted_pairs(labels: &[f32], positions: &[usize]) -> Vec<WeightedPair> {
    assert_eq!(labels.len(), positions.len(), "one position per document");
    let ideal = ideal_dcg(labels);
    let mut pairs = Vec::new();
    for better in 0..labels.len() {
        for worse in (0..labels.len()).filter(|&worse| labels[better] > labels[worse]) {
            let gap = gain(labels[better]) - gain(labels[worse]);
            let shift = (discount(positions[better]) - discount(positions[worse])).abs();
            pairs.push(WeightedPair { better, worse, weight: gap * shift / ideal });
        }
    }
    pairs
}

/// NDCG-Test: the position of every document, from 1, by the number of comparisons it loses.
/// `prefers(i, j)` is true when the classifier prefers j to i.
pub fn positions(documents: usize, prefers: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let lost = |i: usize| (0..documents).filter(|&j| j != i && prefers(i, j)).count();
    (0..documents).map(|i| lost(i) + 1).collect()
}

/// NDCG-Test: documents from the best to the worst; documents with equally many losses keep their
/// order.
pub fn ranking(documents: usize, prefers: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let positions = positions(documents, prefers);
    let mut order: Vec<usize> = (0..documents).collect();
    order.sort_by_key(|&i| positions[i]);
    order
}

/// The loss of a classifier on a query: the weight of the misclassified pairs, at the positions
/// that the classifier itself induces.
pub fn loss(labels: &[f32], prefers: impl Fn(usize, usize) -> bool) -> f64 {
    let positions = positions(labels.len(), &prefers);
    let wrong = |pair: &WeightedPair| prefers(pair.better, pair.worse);
    weighted_pairs(labels, &positions)
        .iter()
        .filter(|pair| wrong(pair))
        .map(|pair| pair.weight)
        .sum()
}

fn gain(label: f32) -> f64 {
    f64::from(label).exp2() - 1.0
}

fn discount(position: usize) -> f64 {
    1.0 / ((1 + position) as f64).log2()
}

/// 1/Z. Called only if labels differ, so that at least one gain is positive.
fn ideal_dcg(labels: &[f32]) -> f64 {
    let mut gains: Vec<f64> = labels.iter().map(|&label| gain(label)).collect();
    gains.sort_unstable_by(|a, b| b.total_cmp(a));
    gains.iter().zip(1..).map(|(gain, position)| gain * discount(position)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measure;
    use proptest::prelude::*;

    /// NDCG of the ranking that NDCG-Test produces.
    fn ndcg(labels: &[f32], order: &[usize]) -> f64 {
        let mut scores = vec![0.0; labels.len()];
        order.iter().zip(0u8..).for_each(|(&i, place)| scores[i] = -f32::from(place));
        "ndcg".parse::<Measure>().unwrap().of_query(&scores, labels)
    }

    /// Labels 0, 2, 1 in file order: Z = 1/(3 + 1/log₂3), and the first document incorrectly beats
    /// both others.
    #[test]
    fn pair_weights_match_manual_computation() {
        let labels = [0.0, 2.0, 1.0];
        let (second, ideal) = (1.0 / 3f64.log2(), 3.0 + 1.0 / 3f64.log2());
        let pairs = weighted_pairs(&labels, &[1, 2, 3]);
        let of = |better, worse| {
            pairs.iter().find(|p| (p.better, p.worse) == (better, worse)).unwrap().weight
        };
        assert_eq!(pairs.len(), 3);
        assert!((of(1, 0) - 3.0 * (1.0 - second) / ideal).abs() < 1e-12);
        assert!((of(1, 2) - 2.0 * (second - 0.5) / ideal).abs() < 1e-12);
        assert!((of(2, 0) - 1.0 * (1.0 - 0.5) / ideal).abs() < 1e-12);
        let file_order = |i: usize, j: usize| j < i;
        assert!((loss(&labels, file_order) - of(1, 0) - of(2, 0)).abs() < 1e-12);
        assert_eq!(ranking(3, file_order), [0, 1, 2]);
        assert!(weighted_pairs(&[0.0, 0.0], &[1, 2]).is_empty());
    }

    /// One neighbouring pair swapped: the bound is an equality.
    #[test]
    fn the_bound_is_tight() {
        let labels = [2.0, 0.0, 1.0];
        let file_order = |i: usize, j: usize| j < i;
        let missed = 1.0 - ndcg(&labels, &[0, 1, 2]);
        assert!(missed > 0.0 && (loss(&labels, file_order) - missed).abs() < 1e-12);
    }

    /// 0 beats 1, 1 beats 2, 2 beats 0: each loses once, all weights are 0, and NDCG is below 1.
    #[test]
    fn cyclic_classifiers_have_zero_loss_and_low_ndcg() {
        let labels = [0.0, 1.0, 2.0];
        let circle = |i: usize, j: usize| (j + 1) % 3 == i;
        assert_eq!(positions(3, circle), [2, 2, 2]);
        assert_eq!(loss(&labels, circle), 0.0);
        assert!(ndcg(&labels, &ranking(3, circle)) < 0.8);
    }

    /// Labels (0, 1, 1) with probability .43 and (1, 0, 0) with .57: some ranking has less regret
    /// in loss than in NDCG.
    #[test]
    fn regret_bound_fails_for_random_labels() {
        let draws = [(0.43, [0.0, 1.0, 1.0]), (0.57, [1.0, 0.0, 0.0])];
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let place = |order: &[usize; 3], i: usize| order.iter().position(|&other| other == i);
        let expected =
            |of: &dyn Fn(&[f32]) -> f64| draws.iter().map(|(p, y)| p * of(y)).sum::<f64>();
        let losses = orders.map(|order| {
            expected(&|labels| loss(labels, |i, j| place(&order, j) < place(&order, i)))
        });
        let gains = orders.map(|order| expected(&|labels| ndcg(labels, &order)));
        let (least, most) =
            (losses.iter().copied().fold(9.0, f64::min), gains.iter().copied().fold(0.0, f64::max));
        let slack = losses.iter().zip(gains).map(|(loss, gain)| (loss - least) - (most - gain));
        assert!(slack.fold(9.0, f64::min) < -0.05);
    }

    proptest! {
        /// Lemma 1: for any labels and any scores, 1 − NDCG ≤ loss, and the loss is positive only
        /// if a pair is misordered.
        #[test]
        fn loss_bounds_the_shortfall_of_ndcg(
            documents in prop::collection::vec((0u8..5, 0u16..2000), 1..25)
        ) {
            let labels: Vec<f32> = documents.iter().map(|(label, _)| f32::from(*label)).collect();
            prop_assume!(labels.iter().any(|label| *label > 0.0));
            // Ties are broken by file order, so that the classifier is induced by scores.
            let prefers = |i: usize, j: usize| (documents[j].1, i) > (documents[i].1, j);
            let order = ranking(labels.len(), prefers);
            let (missed, loss) = (1.0 - ndcg(&labels, &order), loss(&labels, prefers));
            prop_assert!(missed <= loss + 1e-12, "{missed} missed, loss {loss}");
            let wrong = order.windows(2).any(|pair| labels[pair[0]] < labels[pair[1]]);
            prop_assert_eq!(loss > 0.0, wrong);
            prop_assert_eq!(missed > 1e-9, wrong);
        }

        /// A perfect ranking has no loss, so that training has nothing to correct.
        #[test]
        fn labels_as_scores_have_no_loss(labels in prop::collection::vec(0u8..5, 1..25)) {
            let labels: Vec<f32> = labels.into_iter().map(f32::from).collect();
            let prefers = |i: usize, j: usize| (labels[j], i) > (labels[i], j);
            prop_assert_eq!(loss(&labels, prefers), 0.0);
        }
    }
}
