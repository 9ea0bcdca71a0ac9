//! Growing a regression tree over binned columns: best-first up to a number of leaves, or until no
//! node can be split.
//!
//! The histograms of a split's larger child are those of the parent minus those of the smaller
//! child, so that a level costs at most half a pass. For nodes with few documents, the columns are
//! first copied into contiguous memory, so that all further work stays in the first-level cache.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use rand::seq::SliceRandom;

use super::bins::Bins;
use super::ensemble::Tree;
use super::histogram::{Filled, Histogram, PackedCell, Packing, WIDTH, total};
use super::split::{NodeSplit, Search};
use crate::error::Result;
use crate::random::Stream;
use crate::stop::StopToken;

/// Node sizes at which columns are copied into contiguous memory: one for the second-level cache
/// and one for the first-level cache.
const COPY_AT: [usize; 2] = [2048, 64];

/// For nodes with fewer documents, the split search visits individual documents.
const FEW: usize = 256;

/// Maximum number of pending leaves that keep their histograms: some hundred megabytes with a
/// hundred features.
const HISTOGRAMS: usize = 512;

/// Limits on the growth of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrowthSettings<'a> {
    /// The features available for splits, as columns of the binned matrix.
    pub features: &'a [usize],
    /// Maximum number of leaves; with `None` the tree grows until no node can be split.
    pub max_leaves: Option<usize>,
    /// Minimum number of documents in a leaf.
    pub min_leaf: usize,
    /// Minimum curvature in a leaf, for targets with curvatures.
    pub min_curvature: f64,
    /// Number of features sampled for each split; with `None` all are searched.
    pub per_split: Option<usize>,
    /// Stops the growth.
    pub stop: &'a StopToken,
}

/// The targets of a tree: for each document of the matrix its packed target and, for Newton splits,
/// its curvature.
pub(super) struct Targets<const K: usize> {
    cells: Vec<PackedCell<K>>,
    packings: [Packing; K],
}

impl<const K: usize> Targets<K> {
    /// Packs the targets (and curvatures) of all documents; `weight` is the multiplicity of each.
    pub fn new(values: [&[f64]; K], weight: impl Fn(usize) -> u32) -> Self {
        let size = |values: &[f64]| {
            values
                .iter()
                .enumerate()
                .map(|(i, value)| f64::from(weight(i)) * value.abs())
                .sum::<f64>()
        };
        let packings = values.map(|values| Packing::new(values.len(), size(values)));
        let documents = values.first().map_or(0, |values| values.len());
        let cell = |i| std::array::from_fn(|k| packings[k].cell(values[k][i], weight(i)));
        Targets { cells: (0..documents).map(cell).collect(), packings }
    }
}

/// A grown tree with leaf values still 0, and the documents of each leaf.
pub(super) struct GrownTree {
    pub tree: Tree,
    rows: Vec<u32>,
    leaves: Vec<Range<usize>>,
}

impl GrownTree {
    /// Sets the value of every leaf, computed from its documents.
    pub fn set_leaves(&mut self, value: impl Fn(&[u32]) -> f64) {
        self.tree.leaf = self.leaves.iter().map(|range| value(&self.rows[range.clone()])).collect();
    }

    /// The documents and value of each leaf.
    pub fn leaves(&self) -> impl Iterator<Item = (&[u32], f64)> {
        self.leaves
            .iter()
            .zip(&self.tree.leaf)
            .map(|(range, &value)| (&self.rows[range.clone()], value))
    }
}

/// Grows a tree on some documents of the matrix; an error if it is stopped.
pub(super) fn grow<const K: usize>(
    bins: &Bins,
    rows: Vec<u32>,
    targets: &Targets<K>,
    growth: &GrowthSettings<'_>,
    draws: &mut Stream,
) -> Result<GrownTree> {
    let missing_bins: Vec<Option<u8>> =
        growth.features.iter().map(|&f| bins.missing_bin(f)).collect();
    let search = Search {
        packings: targets.packings,
        min_leaf: growth.min_leaf.max(1) as i64,
        min_curvature: growth.min_curvature,
        missing_bins: &missing_bins,
    };
    let grower = TreeGrower {
        bins,
        growth,
        search,
        draws,
        tree: Tree::default(),
        links: vec![None],
        leaves: std::iter::once(0..rows.len()).collect(),
        order: (0..growth.features.len()).collect(),
        scratch: Box::new([[0; K]; WIDTH]),
    };
    grower.grow(rows, &targets.cells)
}

struct TreeGrower<'a, 'b, const K: usize> {
    bins: &'a Bins,
    growth: &'a GrowthSettings<'a>,
    search: Search<'b, K>,
    draws: &'a mut Stream,
    tree: Tree,
    /// The position of each leaf: its parent, and whether it is the left child.
    links: Vec<Option<(usize, bool)>>,
    leaves: Vec<Range<usize>>,
    order: Vec<usize>,
    scratch: Box<Filled<K>>,
}

/// A leaf that can be split.
struct SplitCandidate<const K: usize> {
    leaf: usize,
    split: NodeSplit,
    histogram: Option<Histogram<K>>,
    total: PackedCell<K>,
}

/// Leaves that are pending for a split. With a limited number of leaves, a priority queue returns
/// the best split first; otherwise the order has no effect, and a stack keeps the number of pending
/// leaves small.
enum Open<const K: usize> {
    Best(BinaryHeap<SplitCandidate<K>>),
    Newest(Vec<SplitCandidate<K>>),
}

impl<const K: usize> Open<K> {
    fn new(limited: bool) -> Self {
        if limited { Open::Best(BinaryHeap::new()) } else { Open::Newest(Vec::new()) }
    }

    fn add(&mut self, candidate: Option<SplitCandidate<K>>) {
        match self {
            Open::Best(heap) => {
                // Above this limit the histograms are dropped, and recomputed when the leaf is
                // split.
                let keep = heap.len() < HISTOGRAMS;
                heap.extend(candidate.map(|leaf| SplitCandidate {
                    histogram: leaf.histogram.filter(|_| keep),
                    ..leaf
                }));
            }
            Open::Newest(stack) => stack.extend(candidate),
        }
    }

    fn next(&mut self) -> Option<SplitCandidate<K>> {
        match self {
            Open::Best(heap) => heap.pop(),
            Open::Newest(stack) => stack.pop(),
        }
    }
}

impl<const K: usize> Ord for SplitCandidate<K> {
    /// Largest gain first; ties go to the leaf that was created first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.split.gain.total_cmp(&other.split.gain).then(other.leaf.cmp(&self.leaf))
    }
}

impl<const K: usize> PartialOrd for SplitCandidate<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const K: usize> PartialEq for SplitCandidate<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<const K: usize> Eq for SplitCandidate<K> {}

impl<const K: usize> TreeGrower<'_, '_, K> {
    fn grow(mut self, mut rows: Vec<u32>, cells: &[PackedCell<K>]) -> Result<GrownTree> {
        let columns: Vec<&[u8]> =
            self.growth.features.iter().map(|&f| self.bins.column(f)).collect();
        let mut open = Open::new(self.growth.max_leaves.is_some());
        open.add(self.open(0, &columns, &mut rows, cells, None));
        let most = self.growth.max_leaves.unwrap_or(usize::MAX);
        while self.leaves.len() < most {
            self.growth.stop.check()?;
            let Some(next) = open.next() else { break };
            let (left, right) = (next.leaf, self.split(&next, &columns, &mut rows));
            if self.leaves.len() == most {
                break;
            }
            let (small, large) = if self.leaves[left].len() <= self.leaves[right].len() {
                (left, right)
            } else {
                (right, left)
            };
            // Count the smaller child, but only if the larger child needs histograms; those of the
            // larger child are the parent's minus the smaller child's.
            let counted = (self.leaves[large].len() >= self.counted_from())
                .then(|| count(&columns, &rows[self.leaves[small].clone()], cells));
            let rest = match (&counted, next.histogram) {
                (Some((part, counted)), Some(parent)) => {
                    Some((parent.minus(part), std::array::from_fn(|k| next.total[k] - counted[k])))
                }
                _ => None,
            };
            open.add(self.open(small, &columns, &mut rows, cells, counted));
            open.add(self.open(large, &columns, &mut rows, cells, rest));
        }
        self.tree.leaf = vec![0.0; self.leaves.len()];
        Ok(GrownTree { tree: self.tree, rows, leaves: self.leaves })
    }

    /// Finds a leaf's best split; grows a small leaf to completion at once if the tree has no
    /// limit.
    fn open(
        &mut self,
        leaf: usize,
        columns: &[&[u8]],
        rows: &mut [u32],
        cells: &[PackedCell<K>],
        histogram: Option<(Histogram<K>, PackedCell<K>)>,
    ) -> Option<SplitCandidate<K>> {
        let range = self.leaves[leaf].clone();
        if range.len() < self.counted_from() {
            if self.growth.max_leaves.is_none() {
                self.grow_small(leaf, columns, &mut rows[range.clone()], cells, range.start);
                return None;
            }
            let split = self.split_of_few(columns, &rows[range], cells)?;
            return Some(SplitCandidate { leaf, split, histogram: None, total: [0; K] });
        }
        let (histogram, total) = match histogram {
            Some(known) => known,
            None => count(columns, &rows[range], cells),
        };
        let drawn = self.draw();
        let split = self.search.best(&histogram, &total, drawn.iter().copied())?;
        Some(SplitCandidate { leaf, split, histogram: Some(histogram), total })
    }

    /// The smallest node size for which histograms are used.
    fn counted_from(&self) -> usize {
        if self.growth.max_leaves.is_none() { COPY_AT[0] + 1 } else { FEW }
    }

    fn split_of_few(
        &mut self,
        columns: &[&[u8]],
        rows: &[u32],
        cells: &[PackedCell<K>],
    ) -> Option<NodeSplit> {
        let drawn = self.draw();
        self.search.best_of_few(columns, rows, cells, drawn.iter().copied(), &mut self.scratch)
    }

    /// The features searched for the next split, in ascending order.
    fn draw(&mut self) -> Vec<usize> {
        let Some(count) = self.growth.per_split.filter(|&count| count < self.order.len()) else {
            return (0..self.order.len()).collect();
        };
        let (drawn, _) = self.order.partial_shuffle(self.draws, count);
        let mut drawn = drawn.to_vec();
        drawn.sort_unstable();
        drawn
    }

    /// Splits a leaf: it becomes the left child, the returned new leaf the right one.
    fn split(
        &mut self,
        candidate: &SplitCandidate<K>,
        columns: &[&[u8]],
        rows: &mut [u32],
    ) -> usize {
        let range = self.leaves[candidate.leaf].clone();
        let left = self.partition(&candidate.split, columns, &mut rows[range.clone()]);
        self.record(candidate.leaf, &candidate.split, range, left)
    }

    /// Moves the documents that go left to the front, keeps the order on both sides, and returns
    /// the size of the left side.
    fn partition(&self, split: &NodeSplit, columns: &[&[u8]], rows: &mut [u32]) -> usize {
        let (column, missing_bin) =
            (columns[split.feature], self.search.missing_bins[split.feature]);
        let mut right = Vec::with_capacity(rows.len());
        let mut left = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            if split.goes_left(column[row as usize], missing_bin) {
                rows[left] = row;
                left += 1;
            } else {
                right.push(row);
            }
        }
        rows[left..].copy_from_slice(&right);
        left
    }

    fn record(
        &mut self,
        leaf: usize,
        split: &NodeSplit,
        range: Range<usize>,
        left: usize,
    ) -> usize {
        let (at, new_leaf) = (self.tree.feature.len(), self.leaves.len());
        if let Some((parent, on_left)) = self.links[leaf] {
            let side = if on_left { &mut self.tree.left } else { &mut self.tree.right };
            side[parent] = at as i32;
        }
        let feature = self.growth.features[split.feature];
        let middle = range.start + left;
        let larger_left = 2 * left >= range.len();
        let saw_missing = self.search.missing_bins[split.feature].is_some();
        self.tree.feature.push(feature as u32);
        self.tree.threshold.push(self.bins.threshold(feature, split.last_left, split.first_right));
        // If values are missing only in new data, they follow the larger child.
        self.tree.missing_left.push(if saw_missing { split.missing_left } else { larger_left });
        self.tree.left.push(-1 - leaf as i32);
        self.tree.right.push(-1 - new_leaf as i32);
        self.tree.gain.push(split.gain);
        self.leaves[leaf] = range.start..middle;
        self.leaves.push(middle..range.end);
        self.links[leaf] = Some((at, true));
        self.links.push(Some((at, false)));
        new_leaf
    }

    /// Grows a small leaf to completion on columns copied into contiguous memory. `start` is the
    /// offset of its rows among all rows.
    fn grow_small(
        &mut self,
        leaf: usize,
        columns: &[&[u8]],
        rows: &mut [u32],
        cells: &[PackedCell<K>],
        start: usize,
    ) {
        let copy: Vec<u8> = columns
            .iter()
            .flat_map(|column| rows.iter().map(|&row| column[row as usize]))
            .collect();
        let copied: Vec<&[u8]> = copy.chunks(rows.len().max(1)).collect();
        let own_cells: Vec<PackedCell<K>> = rows.iter().map(|&row| cells[row as usize]).collect();
        let mut own: Vec<u32> = (0..rows.len() as u32).collect();
        let mut open = vec![leaf];
        while let Some(leaf) = open.pop() {
            let range = self.leaves[leaf].clone();
            let local = range.start - start..range.end - start;
            if local.len() <= COPY_AT[1] && rows.len() > 2 * COPY_AT[1] {
                self.grow_small(leaf, &copied, &mut own[local], &own_cells, range.start);
                continue;
            }
            let Some(split) = self.split_of_few(&copied, &own[local.clone()], &own_cells) else {
                continue;
            };
            let left = self.partition(&split, &copied, &mut own[local]);
            let right = self.record(leaf, &split, range, left);
            open.extend([right, leaf]);
        }
        let before = rows.to_vec();
        rows.iter_mut().zip(&own).for_each(|(row, &place)| *row = before[place as usize]);
    }
}

fn count<const K: usize>(
    columns: &[&[u8]],
    rows: &[u32],
    cells: &[PackedCell<K>],
) -> (Histogram<K>, PackedCell<K>) {
    let cells: Vec<PackedCell<K>> = rows.iter().map(|&row| cells[row as usize]).collect();
    (Histogram::of(columns, rows, &cells), total(cells.iter()))
}
