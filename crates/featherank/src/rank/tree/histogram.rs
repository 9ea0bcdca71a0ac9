//! Histograms: for every bin of every feature, the number of documents and the sum of their
//! targets.
//!
//! Both are packed into one 64-bit integer, the count in the low bits and the sum, in fixed point,
//! above it. Integer addition is associative, so that threads, blocks and histogram subtraction
//! cannot change a tree. The loss of precision is small: with a million documents the mean target
//! keeps 20 bits, and leaf values are computed from the unrounded targets. A cell holds `K` such
//! integers: one for least squares, and a second one with the curvatures for Newton steps.

use rayon::prelude::*;

/// Bins per feature: all values of a byte.
pub(super) const WIDTH: usize = 256;

/// Number of features whose histograms are filled together, so that rows and cells are loaded once
/// for all of them.
const FEATURES_PER_BATCH: usize = 4;

/// Number of features in one task of a thread.
const GROUP: usize = 8;

/// Rows in a block: their cells stay in the second-level cache while all features are processed.
const BLOCK: usize = 4096;

/// Minimum number of updates for which multi-threading pays off.
const MIN_PARALLEL_UPDATES: usize = 1 << 16;

/// The contribution of a document to a bin: a target and, for Newton steps, a curvature.
pub(super) type PackedCell<const K: usize> = [i64; K];

/// How a count and a sum are packed into 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing {
    count_bits: u32,
    scale: f64,
    unit: f64,
}

/// A count of documents and the sum of their targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BinSums {
    pub count: i64,
    pub sum: f64,
}

/// Adds a cell to another.
pub(super) fn add<const K: usize>(sum: &mut PackedCell<K>, cell: &PackedCell<K>) {
    sum.iter_mut().zip(cell).for_each(|(sum, more)| *sum += more);
}

/// The sum of cells.
pub(super) fn total<'a, const K: usize>(
    cells: impl Iterator<Item = &'a PackedCell<K>>,
) -> PackedCell<K> {
    let mut sum = [0; K];
    cells.for_each(|cell| add(&mut sum, cell));
    sum
}

impl Packing {
    /// Chooses the scale for `documents` documents whose absolute targets sum to `total`.
    pub fn new(documents: usize, total: f64) -> Self {
        let count_bits = usize::BITS - documents.leading_zeros() + 1;
        // Reserves the sign bit and the half that rounding can add to each target; a power of two
        // keeps small integers exact.
        let capacity = 2f64.powi(62 - count_bits as i32) - documents as f64;
        let exponent = if total > 0.0 { (capacity / total).log2().floor() as i32 } else { 0 };
        let scale = 2f64.powi(exponent.clamp(-1000, 1000));
        Packing { count_bits, scale, unit: 1.0 / scale }
    }

    /// The cell of a document with multiplicity `weight`.
    pub fn cell(&self, target: f64, weight: u32) -> i64 {
        let fixed = (target * self.scale).round() as i64;
        i64::from(weight) * ((fixed << self.count_bits) + 1)
    }

    /// Unpacks a sum of cells.
    pub fn open(&self, cell: i64) -> BinSums {
        let sum = (cell >> self.count_bits) as f64 * self.unit;
        BinSums { count: cell & ((1 << self.count_bits) - 1), sum }
    }
}

/// The bins of one feature.
pub(super) type Filled<const K: usize> = [PackedCell<K>; WIDTH];

/// The histograms of a node, in the order of the features.
#[derive(Debug, Clone)]
pub(super) struct Histogram<const K: usize>(Vec<Filled<K>>);

impl<const K: usize> Histogram<K> {
    /// Counts and sums of the given rows of some columns; `cells[i]` belongs to `rows[i]`.
    pub fn of(columns: &[&[u8]], rows: &[u32], cells: &[PackedCell<K>]) -> Self {
        let mut histogram = vec![[[0; K]; WIDTH]; columns.len()];
        let fill = |(group, columns): (&mut [Filled<K>], &[&[u8]])| {
            for (rows, cells) in rows.chunks(BLOCK).zip(cells.chunks(BLOCK)) {
                for (part, columns) in
                    group.chunks_mut(FEATURES_PER_BATCH).zip(columns.chunks(FEATURES_PER_BATCH))
                {
                    add_block(part, columns, rows, cells);
                }
            }
        };
        if rows.len() * columns.len() < MIN_PARALLEL_UPDATES {
            histogram.chunks_mut(GROUP).zip(columns.chunks(GROUP)).for_each(fill);
        } else {
            histogram.par_chunks_mut(GROUP).zip(columns.par_chunks(GROUP)).for_each(fill);
        }
        Histogram(histogram)
    }

    /// The histograms of a node minus those of one of its children.
    #[must_use]
    pub fn minus(mut self, child: &Self) -> Self {
        let parents = self.0.as_flattened_mut().as_flattened_mut();
        parents
            .iter_mut()
            .zip(child.0.as_flattened().as_flattened())
            .for_each(|(sum, part)| *sum -= part);
        self
    }

    pub fn feature(&self, index: usize) -> &Filled<K> {
        &self.0[index]
    }
}

fn add_block<const K: usize>(
    histograms: &mut [Filled<K>],
    columns: &[&[u8]],
    rows: &[u32],
    cells: &[PackedCell<K>],
) {
    let neighbours = rows.last().zip(rows.first()).map(|(last, first)| (last - first) as usize + 1);
    let contiguous = neighbours == Some(rows.len());
    match (histograms, columns) {
        ([a, b, c, d], [ca, cb, cc, cd]) if contiguous => {
            let span = rows[0] as usize..rows[0] as usize + rows.len();
            let bins = ca[span.clone()]
                .iter()
                .zip(&cb[span.clone()])
                .zip(&cc[span.clone()])
                .zip(&cd[span]);
            for ((((&ba, &bb), &bc), &bd), &cell) in bins.zip(cells) {
                add(&mut a[usize::from(ba)], &cell);
                add(&mut b[usize::from(bb)], &cell);
                add(&mut c[usize::from(bc)], &cell);
                add(&mut d[usize::from(bd)], &cell);
            }
        }
        ([a, b, c, d], [ca, cb, cc, cd]) => {
            for (&row, &cell) in rows.iter().zip(cells) {
                let row = row as usize;
                add(&mut a[usize::from(ca[row])], &cell);
                add(&mut b[usize::from(cb[row])], &cell);
                add(&mut c[usize::from(cc[row])], &cell);
                add(&mut d[usize::from(cd[row])], &cell);
            }
        }
        (histograms, columns) => {
            for (histogram, column) in histograms.iter_mut().zip(columns) {
                for (&row, cell) in rows.iter().zip(cells) {
                    add(&mut histogram[usize::from(column[row as usize])], cell);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_sums_unpack_exactly() {
        let packing = Packing::new(1_000_000, 4e6);
        let cells = [packing.cell(4.0, 3), packing.cell(-2.0, 1), packing.cell(0.5, 2)];
        let BinSums { count, sum } = packing.open(cells.iter().sum());
        assert_eq!(count, 6);
        // 12 − 2 + 1 = 11, exact because the scale is a power of two.
        assert_eq!(sum, 11.0);
    }

    #[test]
    fn the_largest_targets_of_many_documents_do_not_overflow() {
        for (documents, largest) in [(1usize, 1e30), (8_000_000, 1.0), (4_000_000, 1e-20), (3, 0.0)]
        {
            let packing = Packing::new(documents, largest * documents as f64);
            for sign in [1.0, -1.0] {
                let total = packing.cell(sign * largest, 1).checked_mul(documents as i64).unwrap();
                let BinSums { count, sum } = packing.open(total);
                assert_eq!(count, documents as i64);
                assert!(
                    (sum - sign * largest * documents as f64).abs()
                        <= 1e-4 * largest * documents as f64
                );
            }
        }
    }

    /// One target that is a million times larger than the others does not destroy their precision.
    #[test]
    fn small_targets_keep_precision_beside_a_large_one() {
        let documents = 1_000_000;
        let packing = Packing::new(documents, 1.0 + 1e-6 * documents as f64);
        let BinSums { sum, .. } = packing.open(packing.cell(1e-6, 1) * 1000);
        assert!((sum - 1e-3).abs() < 1e-6, "{sum}");
    }

    /// Nine columns of pseudo-random bins: counted as a whole, in two halves, and by subtraction.
    #[test]
    fn histogram_sums_and_differences_are_exact() {
        let documents = 10_000;
        let bins: Vec<u8> = (0..9 * documents).map(|i| (i * 7919 % 251) as u8).collect();
        let columns: Vec<&[u8]> = bins.chunks(documents).collect();
        let cells: Vec<PackedCell<2>> = (0..documents as i64).map(|i| [i * 31 % 1009, i]).collect();
        let rows: Vec<u32> = (0..documents as u32).collect();
        let whole = Histogram::of(&columns, &rows, &cells);
        let odd: Vec<u32> = rows.iter().copied().filter(|row| row % 2 == 1).collect();
        let of_rows = |rows: &[u32]| {
            let cells: Vec<PackedCell<2>> = rows.iter().map(|&row| cells[row as usize]).collect();
            Histogram::of(&columns, rows, &cells)
        };
        let even: Vec<u32> = rows.iter().copied().filter(|row| row % 2 == 0).collect();
        assert_eq!(whole.clone().minus(&of_rows(&odd)).0, of_rows(&even).0);
        assert_eq!(total(whole.feature(8).iter()), total(cells.iter()));
    }
}
