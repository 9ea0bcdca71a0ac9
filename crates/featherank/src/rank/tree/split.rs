//! The best split of a node: the feature and the cut that improve the fit most.
//!
//! With targets only, the gain is n_L n_R / n · (mean_L − mean_R)², the decrease of the sum of
//! squared errors. With curvatures, it is G_L²/H_L + G_R²/H_R − G²/H, twice the gain of a Newton
//! step in each leaf over one in the node (Chen & Guestrin 2016). Ties go to the first feature,
//! then to the lowest cut. Missing values are tried on both sides of every cut, and separated from
//! all other values.

use super::histogram::{BinSums, Filled, Histogram, PackedCell, Packing, WIDTH, add, total};

/// Gains below this fraction of the sums they are differences of are treated as rounding errors.
const ROUNDING: f64 = 1e-12;

/// A split of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NodeSplit {
    /// The feature, as an index into the searched features.
    pub feature: usize,
    /// The improvement of the fit.
    pub gain: f64,
    /// The last bin on the left.
    pub last_left: u8,
    /// The first bin on the right; `None` if only missing values go right.
    pub first_right: Option<u8>,
    /// Whether missing values go left.
    pub missing_left: bool,
}

impl NodeSplit {
    /// Whether a document goes left.
    pub fn goes_left(&self, bin: u8, missing_bin: Option<u8>) -> bool {
        if Some(bin) == missing_bin { self.missing_left } else { bin <= self.last_left }
    }
}

/// The inputs of a split search other than the histograms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a, const K: usize> {
    pub packings: [Packing; K],
    /// Minimum number of documents in a leaf.
    pub min_leaf: i64,
    /// Minimum curvature in a leaf.
    pub min_curvature: f64,
    /// The bin of missing values of each feature.
    pub missing_bins: &'a [Option<u8>],
}

impl<const K: usize> Search<'_, K> {
    /// The best split among some features, from a node's histograms and their total.
    pub fn best(
        &self,
        histogram: &Histogram<K>,
        total: &PackedCell<K>,
        features: impl Iterator<Item = usize>,
    ) -> Option<NodeSplit> {
        let mut best = None;
        for feature in features {
            let cells = histogram.feature(feature);
            let (values, missing) = match self.missing_bins[feature] {
                Some(bin) => (usize::from(bin), cells[usize::from(bin)]),
                None => (WIDTH, [0; K]),
            };
            let filled =
                (0..values).filter(|&bin| cells[bin] != [0; K]).map(|bin| (bin as u8, cells[bin]));
            self.scan(feature, filled, missing, total, &mut best);
        }
        best
    }

    /// The best split of a node with few documents, for which histograms would be mostly empty.
    pub fn best_of_few(
        &self,
        columns: &[&[u8]],
        rows: &[u32],
        cells: &[PackedCell<K>],
        features: impl Iterator<Item = usize>,
        scratch: &mut Filled<K>,
    ) -> Option<NodeSplit> {
        let total = total(rows.iter().map(|&row| &cells[row as usize]));
        let most = self.most_to_gain(rows, cells, &total)?;
        let mut best: Option<NodeSplit> = None;
        for feature in features {
            let column = columns[feature];
            let mut filled = [0u64; WIDTH / 64];
            for &row in rows {
                let bin = usize::from(column[row as usize]);
                add(&mut scratch[bin], &cells[row as usize]);
                filled[bin / 64] |= 1 << (bin % 64);
            }
            let missing_bin = self.missing_bins[feature];
            let missing = missing_bin.map_or([0; K], |bin| scratch[usize::from(bin)]);
            let values = set_bits(filled).filter(|&bin| Some(bin) != missing_bin);
            self.scan(
                feature,
                values.map(|bin| (bin, scratch[usize::from(bin)])),
                missing,
                &total,
                &mut best,
            );
            set_bits(filled).for_each(|bin| scratch[usize::from(bin)] = [0; K]);
            // A split without remaining error cannot be improved, and ties go to the first feature.
            if best.is_some_and(|split| split.gain >= most * (1.0 - ROUNDING)) {
                break;
            }
        }
        best
    }

    /// An upper bound on the gain of any split of a node; `None` if no gain is possible.
    fn most_to_gain(
        &self,
        rows: &[u32],
        cells: &[PackedCell<K>],
        total: &PackedCell<K>,
    ) -> Option<f64> {
        if K > 1 {
            // A single document may have zero curvature, in which case no bound exists.
            return Some(f64::INFINITY);
        }
        let alone: f64 = rows.iter().map(|&row| self.fit(&cells[row as usize])).sum();
        let most = alone - self.fit(total);
        (most > ROUNDING * alone).then_some(most)
    }

    /// How well the mean fits some documents: (Σ target)² divided by their number.
    fn fit(&self, cell: &PackedCell<K>) -> f64 {
        let BinSums { count, sum } = self.packings[0].open(cell[0]);
        sum * sum / count as f64
    }

    /// Tries every cut of a feature; `filled` holds its non-empty bins in order, without the bin of
    /// missing values.
    fn scan(
        &self,
        feature: usize,
        filled: impl Iterator<Item = (u8, PackedCell<K>)>,
        missing: PackedCell<K>,
        total: &PackedCell<K>,
        best: &mut Option<NodeSplit>,
    ) {
        let mut most = best.map_or(0.0, |split| split.gain);
        let mut consider = |left: &PackedCell<K>, last_left, first_right, missing_left| {
            let gain = self.gain(left, total);
            if gain > most {
                most = gain;
                *best = Some(NodeSplit { feature, gain, last_left, first_right, missing_left });
            }
        };
        let (mut left, mut last) = ([0; K], None);
        let some_missing = missing != [0; K];
        for (bin, cell) in filled {
            if let Some(last) = last {
                consider(&left, last, Some(bin), false);
                if some_missing {
                    let mut left = left;
                    add(&mut left, &missing);
                    consider(&left, last, Some(bin), true);
                }
            }
            add(&mut left, &cell);
            last = Some(bin);
        }
        if let Some(last) = last.filter(|_| some_missing) {
            consider(&left, last, None, false);
        }
    }

    /// The improvement of the fit by a split; 0 if a side is too small or the sides do not differ.
    fn gain(&self, left: &PackedCell<K>, total: &PackedCell<K>) -> f64 {
        let right: PackedCell<K> = std::array::from_fn(|k| total[k] - left[k]);
        let (l, r) = (self.packings[0].open(left[0]), self.packings[0].open(right[0]));
        if l.count < self.min_leaf || r.count < self.min_leaf {
            return 0.0;
        }
        let (wl, wr) = if K > 1 {
            let (hl, hr) =
                (self.packings[1].open(left[1]).sum, self.packings[1].open(right[1]).sum);
            if hl < self.min_curvature || hr < self.min_curvature || hl <= 0.0 || hr <= 0.0 {
                return 0.0;
            }
            (hl, hr)
        } else {
            (l.count as f64, r.count as f64)
        };
        // G_L²/w_L + G_R²/w_R − G²/w, in a form without cancellation.
        let (a, b) = (l.sum * wr, r.sum * wl);
        let apart = a - b;
        if apart.abs() <= ROUNDING * (a.abs() + b.abs()) {
            return 0.0;
        }
        apart * apart / ((wl + wr) * wl * wr)
    }
}

fn set_bits(words: [u64; WIDTH / 64]) -> impl Iterator<Item = u8> {
    words.into_iter().enumerate().flat_map(|(at, mut word)| {
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros();
            word &= word.wrapping_sub(1);
            (bit < 64).then(|| (at * 64) as u8 + bit as u8)
        })
    })
}
