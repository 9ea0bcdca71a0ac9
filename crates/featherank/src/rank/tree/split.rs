//! The best split of a node: by how much cutting a feature at a value brings the squared error down.
//!
//! Gain = n_L n_R / n · (mean_L − mean_R)², the fall in the sum of squared errors. Equal gains: the first feature, then the
//! lowest cut. Missing values are tried on both sides of every cut, and alone against all values.

use super::histogram::{Histogram, Packing, Sums, WIDTH};

/// Gains smaller than this share of the sums they are differences of are rounding, not structure.
const ROUNDING: f64 = 1e-12;

/// Where to cut a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    /// The feature, by its place among those searched.
    pub feature: usize,
    /// The fall in squared error, in fixed point.
    pub gain: f64,
    /// The last bin on the left.
    pub last_left: u8,
    /// The first bin on the right; none when only missing values go right.
    pub first_right: Option<u8>,
    /// Whether missing values go left.
    pub missing_left: bool,
}

impl Split {
    /// Whether a document goes left.
    pub fn goes_left(&self, bin: u8, missing_bin: Option<u8>) -> bool {
        if Some(bin) == missing_bin { self.missing_left } else { bin <= self.last_left }
    }
}

/// What a search needs to know beside the histograms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub packing: Packing,
    /// Fewest documents in a leaf.
    pub min_leaf: i64,
    /// The bin of missing values of each feature.
    pub missing_bins: &'a [Option<u8>],
}

impl Search<'_> {
    /// The best split among some features, from a node's histograms and its total.
    pub fn best(
        &self,
        histogram: &Histogram,
        total: i64,
        features: impl Iterator<Item = usize>,
    ) -> Option<Split> {
        let mut best = None;
        for feature in features {
            let cells = histogram.feature(feature);
            let (values, missing) = match self.missing_bins[feature] {
                Some(bin) => (usize::from(bin), cells[usize::from(bin)]),
                None => (WIDTH, 0),
            };
            let filled = (0..values).filter(|&bin| cells[bin] != 0).map(|bin| (bin as u8, cells[bin]));
            self.scan(feature, filled, missing, total, &mut best);
        }
        best
    }

    /// The best split of a node of few documents, whose histograms would be mostly empty.
    pub fn best_of_few(
        &self,
        columns: &[&[u8]],
        rows: &[u32],
        cells: &[i64],
        features: impl Iterator<Item = usize>,
        scratch: &mut [i64; WIDTH],
    ) -> Option<Split> {
        let total = rows.iter().map(|&row| cells[row as usize]).sum();
        let error = self.squared_error(rows, cells, total)?;
        let mut best: Option<Split> = None;
        for feature in features {
            let column = columns[feature];
            let mut filled = [0u64; WIDTH / 64];
            for &row in rows {
                let bin = usize::from(column[row as usize]);
                scratch[bin] += cells[row as usize];
                filled[bin / 64] |= 1 << (bin % 64);
            }
            let missing_bin = self.missing_bins[feature];
            let missing = missing_bin.map_or(0, |bin| scratch[usize::from(bin)]);
            let values = set_bits(filled).filter(|&bin| Some(bin) != missing_bin);
            self.scan(feature, values.map(|bin| (bin, scratch[usize::from(bin)])), missing, total, &mut best);
            set_bits(filled).for_each(|bin| scratch[usize::from(bin)] = 0);
            // Nothing is left to gain once a split leaves no error, and of equals the first wins.
            if best.is_some_and(|split| split.gain >= error * (1.0 - ROUNDING)) {
                break;
            }
        }
        best
    }

    /// The squared error of a node around its mean, in fixed point; none where there is none.
    fn squared_error(&self, rows: &[u32], cells: &[i64], total: i64) -> Option<f64> {
        let squares = rows.iter().map(|&row| {
            let Sums { count, sum } = self.packing.open(cells[row as usize]);
            (sum as f64).powi(2) / count as f64
        });
        let squares: f64 = squares.sum();
        let Sums { count, sum } = self.packing.open(total);
        let error = squares - (sum as f64).powi(2) / count as f64;
        (error > ROUNDING * squares).then_some(error)
    }

    /// Tries every cut of a feature; `filled` are its bins with documents in order, those of missing values left out.
    fn scan(
        &self,
        feature: usize,
        filled: impl Iterator<Item = (u8, i64)>,
        missing: i64,
        total: i64,
        best: &mut Option<Split>,
    ) {
        let mut most = best.map_or(0.0, |split| split.gain);
        let mut consider = |left: i64, last_left, first_right, missing_left| {
            let gain = self.gain(left, total);
            if gain > most {
                most = gain;
                *best = Some(Split { feature, gain, last_left, first_right, missing_left });
            }
        };
        let (mut left, mut last) = (0, None);
        for (bin, cell) in filled {
            if let Some(last) = last {
                consider(left, last, Some(bin), false);
                if missing != 0 {
                    consider(left + missing, last, Some(bin), true);
                }
            }
            left += cell;
            last = Some(bin);
        }
        if let Some(last) = last.filter(|_| missing != 0) {
            consider(left, last, None, false);
        }
    }

    /// The fall in squared error, in fixed point; 0 where a side is too small or there is no difference.
    fn gain(&self, left: i64, total: i64) -> f64 {
        let (left, right) = (self.packing.open(left), self.packing.open(total - left));
        if left.count < self.min_leaf || right.count < self.min_leaf {
            return 0.0;
        }
        let (nl, nr) = (left.count as f64, right.count as f64);
        let (a, b) = (left.sum as f64 * nr, right.sum as f64 * nl);
        let apart = a - b;
        if apart.abs() <= ROUNDING * (a.abs() + b.abs()) {
            return 0.0;
        }
        apart * apart / ((nl + nr) * nl * nr)
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
