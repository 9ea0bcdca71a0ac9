//! Sums over all preference pairs of all queries without enumerating the pairs.
//!
//! A preference pair consists of two documents of one query with labels yᵢ > yⱼ; its margin is sᵢ −
//! sⱼ, and it is violated if the margin is below 1. Document i is the better one in n⁻ violated
//! pairs, in which the scores of the worse documents sum to σ⁻, and the worse one in n⁺ violated
//! pairs, in which the scores of the better documents sum to σ⁺. Everything that hinge losses need
//! follows from these:
//!
//! * hinge Σ max(0, 1 − margin): value Σᵢ n⁻(1 − sᵢ) + σ⁻, gradient n⁺ − n⁻ for document i;
//! * squared hinge ½ Σ max(0, 1 − margin)²: gradient gᵢ = n⁺(1 + sᵢ) − σ⁺ − n⁻(1 − sᵢ) − σ⁻, value
//!   ½(hinge + Σ gᵢsᵢ);
//! * its Hessian times u: hᵢ = (n⁻ + n⁺)uᵢ − Σ⁻u − Σ⁺u.
//!
//! Documents are sorted by score. In descending order of score, the set of documents with sᵢ − sⱼ <
//! 1 only grows; in ascending order, the set of documents with sⱼ − sᵢ < 1 only grows. Sums by
//! label are kept in a Fenwick tree. The cost is O(n log n) per query for any number of pairs
//! (Joachims, KDD 2006; Chapelle & Keerthi 2010; Lee & Lin 2014). Labels may be any numbers.

use std::ops::Range;

use rayon::prelude::*;

use super::design::Design;
use super::sweep::{Fenwick, Rows, Sorted, Sum, Values};
use crate::error::{Error, Result};

/// Documents in a block, the unit of parallel work; fixed, so that results do not depend on the
/// machine.
const BLOCK: usize = 2048;

/// The preference pairs of all queries, by the rank of each document's label within its query.
#[derive(Debug)]
pub struct Preferences {
    queries: Vec<QueryGrades>,
    grades: Vec<u32>,
    blocks: Vec<Range<usize>>,
    pairs: u64,
}

#[derive(Debug, Clone)]
struct QueryGrades {
    documents: Range<usize>,
    grades: usize,
}

/// The violated pairs at given scores.
#[derive(Debug)]
pub struct Violations {
    /// Σ max(0, 1 − margin).
    pub hinge: f64,
    /// Number of violated pairs.
    pub count: u64,
    /// For each document, the number of violated pairs in which it is the worse one, minus the
    /// number in which it is the better one.
    pub hinge_gradient: Vec<f64>,
    /// ½ Σ max(0, 1 − margin)².
    pub squared: f64,
    /// The derivative of `squared` with respect to each score.
    pub squared_gradient: Vec<f64>,
    parts: Vec<BlockViolations>,
}

/// The sorted documents of a block of queries, kept for products with the Hessian.
#[derive(Debug, Default)]
struct BlockViolations {
    hinge: f64,
    count: f64,
    squared: f64,
    hinge_gradient: Vec<f64>,
    squared_gradient: Vec<f64>,
    /// Documents of each query by ascending score, as indices within the query.
    order: Vec<u32>,
    /// For each position in that order, the first position whose document has a score larger than
    /// its own minus 1.
    from: Vec<u32>,
    /// For each position in that order, the end of the positions whose scores are smaller than its
    /// own plus 1.
    to: Vec<u32>,
}

impl Preferences {
    /// Scans the labels once.
    pub fn new(labels: &[f32], queries: &[Range<usize>]) -> Self {
        let mut grades = vec![0; labels.len()];
        let mut pairs = 0;
        let mut sorted: Vec<f32> = Vec::new();
        let mut of_query = |documents: &Range<usize>| {
            let labels = &labels[documents.clone()];
            sorted.clear();
            sorted.extend_from_slice(labels);
            sorted.sort_unstable_by(f32::total_cmp);
            let n = labels.len() as u64;
            let equal: u64 =
                sorted.chunk_by(|a, b| a == b).map(|same| (same.len() * same.len()) as u64).sum();
            pairs += (n * n - equal) / 2;
            sorted.dedup();
            for (grade, label) in grades[documents.clone()].iter_mut().zip(labels) {
                *grade = sorted.partition_point(|known| known < label) as u32;
            }
            QueryGrades { documents: documents.clone(), grades: sorted.len() }
        };
        let queries: Vec<QueryGrades> = queries.iter().map(&mut of_query).collect();
        let mut blocks: Vec<Range<usize>> = Vec::new();
        for (q, query) in queries.iter().enumerate() {
            match blocks.last_mut() {
                Some(block)
                    if query.documents.start < queries[block.start].documents.start + BLOCK =>
                {
                    block.end = q + 1;
                }
                _ => blocks.push(q..q + 1),
            }
        }
        Preferences { queries, grades, blocks, pairs }
    }

    /// The pairs of a design's documents; fails if there are none.
    pub fn of_design(design: &Design<'_>) -> Result<Self> {
        let preferences = Preferences::new(design.labels(), design.queries());
        if preferences.pairs == 0 {
            return Err(Error::nothing_counts(
                "the training data has no preference pairs",
                "train on at least one query whose documents have different labels",
            ));
        }
        Ok(preferences)
    }

    /// Number of preference pairs.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The violated pairs at these scores.
    pub fn violations(&self, scores: &[f64]) -> Violations {
        let of_block = |block: &Range<usize>| {
            let mut part = BlockViolations::default();
            let mut scratch = Scratch::default();
            for query in &self.queries[block.clone()] {
                let documents = query.documents.clone();
                part.add_query(
                    &scores[documents.clone()],
                    &self.grades[documents],
                    query.grades,
                    &mut scratch,
                );
            }
            part
        };
        let mut parts: Vec<BlockViolations> = self.blocks.par_iter().map(of_block).collect();
        let sum = |of: fn(&BlockViolations) -> f64| parts.iter().map(of).sum::<f64>();
        let (hinge, squared, count) =
            (sum(|p| p.hinge), sum(|p| p.squared), sum(|p| p.count) as u64);
        let mut joined = |of: fn(&mut BlockViolations) -> &mut Vec<f64>| -> Vec<f64> {
            parts.iter_mut().flat_map(|part| std::mem::take(of(part))).collect()
        };
        let hinge_gradient = joined(|part| &mut part.hinge_gradient);
        let squared_gradient = joined(|part| &mut part.squared_gradient);
        Violations { hinge, count, hinge_gradient, squared, squared_gradient, parts }
    }

    /// The product of the Hessian of the squared hinge at the point of `at` with a change `u` of
    /// the scores.
    pub fn curvature(&self, at: &Violations, u: &[f64]) -> Vec<f64> {
        let of_block = |block: usize| {
            let documents = self.block(block);
            let mut h = vec![0.0; documents.len()];
            self.curvature_of_block(at, block, 1, &u[documents], &mut h);
            h
        };
        let parts: Vec<Vec<f64>> = (0..self.blocks.len()).into_par_iter().map(of_block).collect();
        parts.concat()
    }

    /// Number of blocks of queries.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The documents of a block of queries.
    pub fn block(&self, block: usize) -> Range<usize> {
        let queries = &self.queries[self.blocks[block].clone()];
        let end = queries.last().map_or(0, |last| last.documents.end);
        queries.first().map_or(0, |first| first.documents.start)..end
    }

    /// [`Self::curvature`] for one block: `u` and the result `h` hold the documents of the block
    /// only, with `width` values each, in row-major order.
    pub fn curvature_of_block(
        &self,
        at: &Violations,
        block: usize,
        width: usize,
        u: &[f64],
        h: &mut [f64],
    ) {
        let first = self.block(block).start;
        let (mut counts, mut totals, mut tree) = (Vec::new(), Vec::new(), Fenwick::default());
        for query in &self.queries[self.blocks[block].clone()] {
            let own = query.documents.start - first..query.documents.end - first;
            let sorted = at.parts[block].sorted(
                own.clone(),
                &self.grades[query.documents.clone()],
                query.grades,
            );
            let (u, h) = (
                &u[own.start * width..own.end * width],
                &mut h[own.start * width..own.end * width],
            );
            if width == 1 {
                let visit = |i: usize, sum: Sum| h[i] += sum.count * u[i] - sum.total;
                sorted.sweep(&mut Values { values: u, tree: &mut tree, visit });
            } else {
                let mut rows = Rows { width, u, h, counts, totals };
                sorted.sweep_rows(&mut rows);
                Rows { counts, totals, .. } = rows;
            }
        }
    }
}

impl BlockViolations {
    fn add_query(
        &mut self,
        scores: &[f64],
        grades: &[u32],
        distinct: usize,
        scratch: &mut Scratch,
    ) {
        let start = self.order.len();
        let n = scores.len();
        // Scores are taken relative to their mean, so that sums of large scores do not cancel.
        let mean = scores.iter().sum::<f64>() / n as f64;
        scratch.relative.clear();
        scratch.relative.extend(scores.iter().map(|s| s - mean));
        let s = &scratch.relative;
        self.order.extend(0..n as u32);
        let order = &mut self.order[start..];
        order.sort_unstable_by(|&a, &b| s[a as usize].total_cmp(&s[b as usize]));
        let margin =
            |above: usize, below: usize| s[order[above] as usize] - s[order[below] as usize];
        // One expression decides for both documents of a pair, so that rounding cannot lead to
        // different decisions.
        let (mut from, mut to) = (0, 0);
        for place in 0..n {
            while margin(place, from) >= 1.0 {
                from += 1;
            }
            while to < n && margin(to, place) < 1.0 {
                to += 1;
            }
            self.from.push(from as u32);
            self.to.push(to as u32);
        }
        self.hinge_gradient.resize(start + n, 0.0);
        self.squared_gradient.resize(start + n, 0.0);
        let (mut hinge, mut count) = (0.0, 0.0);
        let sorted = self.sorted(start..start + n, grades, distinct);
        scratch.gradients.clear();
        scratch.gradients.resize(n, (0.0, 0.0));
        let gradients = &mut scratch.gradients;
        let visit = |i: usize, worse: Sum| {
            let lost = worse.count * (1.0 - s[i]) + worse.total;
            hinge += lost;
            count += worse.count;
            gradients[i].0 -= worse.count;
            gradients[i].1 -= lost;
        };
        sorted.sweep_down(&mut Values { values: s, tree: &mut scratch.tree, visit });
        let visit = |i: usize, better: Sum| {
            gradients[i].0 += better.count;
            gradients[i].1 += better.count * (1.0 + s[i]) - better.total;
        };
        sorted.sweep_up(&mut Values { values: s, tree: &mut scratch.tree, visit });
        let inner_product: f64 = gradients.iter().zip(s).map(|((_, g), s)| g * s).sum();
        for (i, &(hinge, squared)) in gradients.iter().enumerate() {
            self.hinge_gradient[start + i] = hinge;
            self.squared_gradient[start + i] = squared;
        }
        self.hinge += hinge;
        self.count += count;
        self.squared += 0.5 * (hinge + inner_product);
    }

    fn sorted<'a>(
        &'a self,
        places: Range<usize>,
        grades: &'a [u32],
        distinct: usize,
    ) -> Sorted<'a> {
        Sorted {
            order: &self.order[places.clone()],
            from: &self.from[places.clone()],
            to: &self.to[places],
            grades,
            distinct,
        }
    }
}

#[derive(Debug, Default)]
struct Scratch {
    relative: Vec<f64>,
    gradients: Vec<(f64, f64)>,
    tree: Fenwick,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compared with a loop over all pairs, on scores and labels with many ties.
    #[test]
    fn sums_equal_those_over_explicit_pairs() {
        let n = 61;
        let queries = [0..20, 20..21, 21..21, 21..61];
        let labels: Vec<f32> = (0..n).map(|i| [0.0, 1.5, 0.0, 7.0, -2.0][i * i % 5]).collect();
        let scores: Vec<f64> = (0..n).map(|i| (i * 7919 % 23) as f64 * 0.25 + 100.0).collect();
        let u: Vec<f64> = (0..n).map(|i| (i * 31 % 17) as f64 - 8.0).collect();
        let (mut hinge, mut squared, mut count, mut pairs) = (0.0, 0.0, 0, 0);
        let (mut gradient, mut flat, mut curve) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for query in &queries {
            for (i, j) in query.clone().flat_map(|i| query.clone().map(move |j| (i, j))) {
                let lost = 1.0 - (scores[i] - scores[j]);
                if labels[i] > labels[j] {
                    pairs += 1;
                    if lost > 0.0 {
                        (hinge, squared, count) =
                            (hinge + lost, squared + 0.5 * lost * lost, count + 1);
                        (gradient[i], gradient[j]) = (gradient[i] - lost, gradient[j] + lost);
                        (flat[i], flat[j]) = (flat[i] - 1.0, flat[j] + 1.0);
                        curve[i] += u[i] - u[j];
                        curve[j] += u[j] - u[i];
                    }
                }
            }
        }
        let preferences = Preferences::new(&labels, &queries);
        let got = preferences.violations(&scores);
        assert_eq!((preferences.pairs(), got.count), (pairs, count));
        assert!((got.hinge - hinge).abs() < 1e-9 && (got.squared - squared).abs() < 1e-9);
        assert_eq!(got.hinge_gradient, flat);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(close(&got.squared_gradient, &gradient));
        assert!(close(&preferences.curvature(&got, &u), &curve));
        // Three columns at once: u, 2u and 0.
        let rows: Vec<f64> = u.iter().flat_map(|u| [*u, 2.0 * u, 0.0]).collect();
        let mut h = vec![0.0; 3 * n];
        preferences.curvature_of_block(&got, 0, 3, &rows, &mut h);
        assert_eq!(preferences.blocks(), 1);
        assert!(close(&h, &curve.iter().flat_map(|h| [*h, 2.0 * h, 0.0]).collect::<Vec<_>>()));
    }

    #[test]
    fn no_documents_means_no_pairs() {
        let preferences = Preferences::new(&[], &[]);
        assert_eq!((preferences.pairs(), preferences.violations(&[]).count), (0, 0));
    }
}
