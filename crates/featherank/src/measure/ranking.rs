//! One ranked query: labels in the order of the scores, and the groups of ties.

use super::Ties;
use super::tops::{LANES, Lanes, Tops};

/// Labels of a query in ranked order, with the groups of tied documents.
#[derive(Debug, Clone, Copy)]
pub struct RankedLabels<'a> {
    len: usize,
    /// Labels of all documents, or of those that count.
    labels: &'a [f32],
    ends: &'a [u32],
    ideal: &'a [f32],
    worst: &'a [f32],
}

impl<'a> RankedLabels<'a> {
    /// Number of documents.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the query has no documents.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Labels from best to worst: the ideal ranking.
    pub fn ideal(&self) -> &'a [f32] {
        self.ideal
    }

    /// Labels in ranked order, with ties in input order or the worst first.
    pub(crate) fn ordered(&self, ties: Ties) -> &'a [f32] {
        match ties {
            Ties::Worst => self.worst,
            Ties::Input | Ties::Expected => self.labels,
        }
    }

    /// The groups of documents with equal scores, from the top: the position of the first, and
    /// their labels.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (usize, &'a [f32])> {
        let (labels, ends) = (self.labels, self.ends);
        let starts = std::iter::once(0).chain(ends.iter().map(|&end| end as usize));
        starts.zip(ends).map(move |(start, &end)| (start, &labels[start..end as usize]))
    }

    /// Calls `visit` with every position above `depth` and its expected value: `of` the label or,
    /// under expected ties, the mean of `of` over the tied documents.
    pub(crate) fn for_each(
        &self,
        depth: usize,
        ties: Ties,
        of: impl Fn(f32) -> f64,
        mut visit: impl FnMut(usize, f64),
    ) {
        if ties != Ties::Expected {
            self.ordered(ties)
                .iter()
                .take(depth)
                .enumerate()
                .for_each(|(i, &label)| visit(i, of(label)));
            return;
        }
        for (start, labels) in self.groups().take_while(|(start, _)| *start < depth) {
            let mean = match labels {
                [label] => of(*label),
                _ => labels.iter().map(|&label| of(label)).sum::<f64>() / labels.len() as f64,
            };
            (start..depth.min(start + labels.len())).for_each(|i| visit(i, mean));
        }
    }
}

/// Longer tops, and tops of fewer columns, are faster to find one by one.
const LONGEST_TOP: usize = 32;
const FEW_LANES: usize = 4;

/// Ranks queries one after the other, reusing its buffers.
#[derive(Debug, Default)]
pub struct RankingScratch {
    given: Vec<f32>,
    ideal: Vec<f32>,
    keys: Vec<u64>,
    labels: Vec<f32>,
    ends: Vec<u32>,
    /// 1, 2, 3, …: the ends of groups of one document.
    single_ends: Vec<u32>,
    worst: Vec<f32>,
    tops: Tops,
    /// Scores of one ranking out of many.
    column: Vec<f32>,
}

impl RankingScratch {
    /// Sets the labels of the query to be ranked.
    pub fn labels(&mut self, labels: &[f32]) {
        self.given.clear();
        self.given.extend_from_slice(labels);
        self.ideal.clear();
        self.ideal.extend_from_slice(labels);
        self.ideal.sort_unstable_by(|a, b| b.total_cmp(a));
    }

    /// The labels from best to worst.
    pub(super) fn ideal(&self) -> &[f32] {
        &self.ideal
    }

    /// Ranks the query by these scores, highest first; equal scores keep input order.
    pub fn rank(&mut self, scores: &[f32]) -> RankedLabels<'_> {
        assert_eq!(scores.len(), self.given.len(), "one score per document");
        self.keys.clear();
        self.keys.extend(scores.iter().zip(0..).map(|(&score, row)| key(score, row)));
        self.keys.sort_unstable();
        self.of_keys()
    }

    /// The query in a given order: its labels from the top, without ties.
    pub(crate) fn in_order<'a>(&'a mut self, labels: &'a [f32]) -> RankedLabels<'a> {
        let known = self.single_ends.len();
        if known < labels.len() {
            self.single_ends.extend(known as u32 + 1..=labels.len() as u32);
        }
        let ends = &self.single_ends[..labels.len()];
        RankedLabels { len: labels.len(), labels, ends, ideal: &self.ideal, worst: labels }
    }

    /// Ranks the query by scores if only the first `depth` positions count. Unless ties are in
    /// input order, documents that tie with the last of them are included. Lower positions are
    /// undefined.
    pub(super) fn rank_top(
        &mut self,
        scores: &[f32],
        depth: usize,
        ties: Ties,
    ) -> RankedLabels<'_> {
        assert_eq!(scores.len(), self.given.len(), "one score per document");
        let depth = depth.min(scores.len());
        let mut keys = scores.iter().zip(0..).map(|(&score, row)| key(score, row));
        self.keys.clear();
        self.keys.extend(keys.by_ref().take(depth));
        self.keys.sort_unstable();
        for key in keys.filter(|_| depth > 0) {
            // Most documents do not reach the top; the few that do move others down.
            if key < self.keys[depth - 1] {
                let mut at = depth - 1;
                while at > 0 && self.keys[at - 1] > key {
                    self.keys[at] = self.keys[at - 1];
                    at -= 1;
                }
                self.keys[at] = key;
            }
        }
        if let Some(&last) = self.keys.last().filter(|_| ties != Ties::Input) {
            let (score, row) = (last >> 32, last & 0xffff_ffff);
            // Documents with its score that precede it in the input are already in the top.
            let after = scores.iter().zip(0u64..).skip(row as usize + 1);
            let tied = after.filter(|(other, _)| u64::from(descending(**other)) == score);
            self.keys.extend(tied.map(|(_, row)| score << 32 | row));
        }
        self.of_keys()
    }

    /// Ranks the query by each column of row-major scores if only the first `depth` positions
    /// count. Calls `visit` with each column and the result of [`Self::rank_top`] for it.
    pub(super) fn rank_columns(
        &mut self,
        scores: &[f32],
        width: usize,
        depth: usize,
        ties: Ties,
        mut visit: impl FnMut(usize, RankedLabels<'_>),
    ) {
        assert_eq!(scores.len(), self.given.len() * width, "one score per document and column");
        let is_short = (1..=LONGEST_TOP).contains(&depth) && depth <= self.given.len();
        for first in (0..width).step_by(LANES) {
            let count = LANES.min(width - first);
            let in_lanes = is_short && count >= FEW_LANES;
            if in_lanes {
                self.tops.find(Lanes { scores, width, first, count }, depth);
            }
            for (column, lane) in (first..).zip(0..count) {
                if in_lanes
                    && self.tops.of_lane(
                        lane,
                        |score, row| key(score, u64::from(row)),
                        &mut self.keys,
                    )
                {
                    visit(column, self.of_keys());
                    continue;
                }
                let mut own = std::mem::take(&mut self.column);
                own.clear();
                own.extend(scores.chunks_exact(width).map(|scores| scores[column]));
                match depth < self.given.len() {
                    true => visit(column, self.rank_top(&own, depth, ties)),
                    false => visit(column, self.rank(&own)),
                }
                self.column = own;
            }
        }
    }

    /// The ranking whose top, or all of it, is given by the sorted keys.
    fn of_keys(&mut self) -> RankedLabels<'_> {
        self.labels.clear();
        self.ends.clear();
        let mut last = None;
        for (position, key) in self.keys.iter().enumerate() {
            if last.is_some_and(|last| last != key >> 32) {
                self.ends.push(position as u32);
            }
            last = Some(key >> 32);
            self.labels.push(self.given[(key & 0xffff_ffff) as usize]);
        }
        if last.is_some() {
            self.ends.push(self.labels.len() as u32);
        }
        let has_ties = self.ends.len() < self.labels.len();
        if has_ties {
            self.worst.clone_from(&self.labels);
            let mut start = 0;
            for &end in &self.ends {
                self.worst[start..end as usize].sort_unstable_by(f32::total_cmp);
                start = end as usize;
            }
        }
        let worst = if has_ties { &self.worst } else { &self.labels };
        RankedLabels {
            len: self.given.len(),
            labels: &self.labels,
            ends: &self.ends,
            ideal: &self.ideal,
            worst,
        }
    }
}

/// A key that sorts documents by descending score and then by row.
#[inline]
fn key(score: f32, row: u64) -> u64 {
    u64::from(descending(score)) << 32 | row
}

/// A key that sorts scores in descending order; 0 and −0 are equal, NaN comes last.
#[inline]
fn descending(score: f32) -> u32 {
    if score.is_nan() { u32::MAX } else { !ascending(score) }
}

/// A key that sorts numbers in ascending order; 0 and −0 are equal.
#[inline]
pub(crate) fn ascending(number: f32) -> u32 {
    let bits = (number + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The number of an ascending key.
#[inline]
pub(crate) fn from_ascending(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_high_scores_first_and_ties_by_input_order() {
        let mut ranker = RankingScratch::default();
        ranker.labels(&[1., 2., 3., 4., 5., 6.]);
        let ranking = ranker.rank(&[0.0, -1.0, f32::NAN, -0.0, 7.0, f32::NEG_INFINITY]);
        assert_eq!(ranking.ordered(Ties::Input), [5., 1., 4., 2., 6., 3.]);
        assert_eq!(
            ranking.groups().map(|(start, g)| (start, g.len())).collect::<Vec<_>>(),
            [(0, 1), (1, 2), (3, 1), (4, 1), (5, 1)]
        );
        let ranking = ranker.rank(&[1.0; 6]);
        assert_eq!(ranking.ordered(Ties::Worst), [1., 2., 3., 4., 5., 6.]);
        assert_eq!(ranking.ideal(), [6., 5., 4., 3., 2., 1.]);
    }

    /// The value of the top must not depend on how it was found: one by one, or for many scores at
    /// once. Some columns have many ties, and some have NaN or infinite scores.
    #[test]
    fn tops_have_the_value_of_complete_rankings() {
        let names = [
            "ndcg[ties=expected]@10",
            "ndcg[ties=worst]@5",
            "ndcg@3",
            "p[ties=expected]@4",
            "err[ties=expected]@6",
            "mrr[ties=worst]@5",
            "ndcg@33",
            "map",
        ];
        let odd = [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, -0.0];
        let score = |row: usize, column: usize| match column {
            column if column % 5 == 4 && (row + column).is_multiple_of(3) => odd[row / 3 % 4],
            column => ((row * 7919 + column * 31) % 101 % [1000, 1, 3, 11, 70][column % 5]) as f32,
        };
        const WIDTH: usize = 2 * LANES + FEW_LANES + 1;
        for (name, length) in
            names.into_iter().flat_map(|name| [2, 10, 40].map(|length| (name, length)))
        {
            let measure: crate::measure::Measure = name.parse().unwrap();
            let labels: Vec<f32> = (0..length).map(|i| (i * i % 7 % 3) as f32).collect();
            let scores: Vec<f32> = (0..length)
                .flat_map(|row| (0..WIDTH).map(move |column| score(row, column)))
                .collect();
            let mut scratch = RankingScratch::default();
            scratch.labels(&labels);
            let mut together = Vec::new();
            measure.of_columns(&mut scratch, &scores, WIDTH, |column, value| {
                together.push((column, value))
            });
            for (column, &got) in together.iter().enumerate() {
                let own: Vec<f32> = (0..length).map(|row| score(row, column)).collect();
                let whole = measure.of_ranking(&scratch.rank(&own));
                assert_eq!(measure.of_scores(&mut scratch, &own), whole, "{name}, column {column}");
                assert_eq!(got, (column, whole), "{name} of {length} documents");
            }
            assert_eq!(together.len(), WIDTH);
        }
    }

    #[test]
    fn keys_are_ordered_as_numbers() {
        let numbers = [f32::MIN, -1.5, -1e-30, 0.0, 1e-30, 2.0, f32::MAX];
        assert!(numbers.windows(2).all(|pair| ascending(pair[0]) < ascending(pair[1])));
        assert!(numbers.iter().all(|&x| from_ascending(ascending(x)) == x));
        assert_eq!(ascending(-0.0), ascending(0.0));
    }

    #[test]
    fn an_empty_query_has_no_groups() {
        let mut ranker = RankingScratch::default();
        ranker.labels(&[]);
        assert_eq!(ranker.rank(&[]).groups().count(), 0);
    }
}
