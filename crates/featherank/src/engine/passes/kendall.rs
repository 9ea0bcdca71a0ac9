//! Kendall's τ-b between columns of one list, with ties: τ = (C − D) / √((n₀ − Tₓ)(n₀ − T_y)) for
//! n₀ = n(n − 1)/2 pairs of documents, C in the same order in both columns, D in opposite orders,
//! Tₓ and T_y tied in each column.
//!
//! Every pair of documents is one of these, so C + D = n₀ − Tₓ − T_y + Tₓᵧ, and one of C and D is
//! enough.
//! - Short lists: each column becomes a square of bits, "is document j above document i?"; C of two
//!   columns is the number of bits in their conjunction, n²/64 words. This is fastest for
//!   lists of the length that search engines return.
//! - Long lists: D is the number of exchanges that a merge sort makes (Knight, JASA 1966), n log n.

use pulp::Arch;
use rayon::prelude::*;

use crate::measure::ascending;

/// Up to this length squares of bits are faster than sorting, by measurement.
const SHORT: usize = 2048;
/// Memory limit for all squares of a list, in bytes.
const MOST_MEMORY: usize = 1 << 26;

/// Columns of one list, ready to be compared with each other.
pub(crate) struct KendallColumns {
    documents: usize,
    columns: Vec<RankedColumn>,
    /// Pairs of documents that two columns order in the same way, row after row of the triangle
    /// below the diagonal. Long lists have none.
    concordant: Option<Vec<u64>>,
}

struct RankedColumn {
    /// Place of each document among the distinct values, low values first.
    ranks: Vec<u32>,
    /// Documents by rank.
    order: Vec<u32>,
    /// Pairs of documents with equal values.
    tied: u64,
    /// Row i: the documents above document i. Empty for long lists.
    above: Vec<u64>,
}

impl KendallColumns {
    /// Prepares columns of equal length.
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let values: Vec<&[f32]> = columns.into_iter().collect();
        let documents = values.first().map_or(0, |column| column.len());
        if documents <= SHORT && values.len() * documents * documents / 8 <= MOST_MEMORY {
            let columns: Vec<RankedColumn> =
                values.into_iter().map(|values| RankedColumn::new(values, true)).collect();
            let concordant = Some(concordant(&columns));
            return KendallColumns { documents, columns, concordant };
        }
        let columns =
            values.into_par_iter().map(|values| RankedColumn::new(values, false)).collect();
        KendallColumns { documents, columns, concordant: None }
    }

    /// τ-b of two columns; `None` if one of them is constant.
    pub(crate) fn tau(&self, a: usize, b: usize) -> Option<f64> {
        let (low, high) = (a.min(b), a.max(b));
        let (a, b) = (&self.columns[a], &self.columns[b]);
        let n = self.documents as u64;
        let pairs = n * n.saturating_sub(1) / 2;
        let (untied_a, untied_b) = (pairs - a.tied, pairs - b.tied);
        if untied_a == 0 || untied_b == 0 {
            return None;
        }
        let balance = if let Some(concordant) = &self.concordant {
            let ordered = untied_a as i64 - b.tied as i64 + tied_in_both(a, b) as i64;
            2 * concordant[high * high.saturating_sub(1) / 2 + low] as i64 - ordered
        } else {
            let (tied_in_both, discordant) = knight(a, b);
            untied_a as i64 - b.tied as i64 + tied_in_both as i64 - 2 * discordant as i64
        };
        // The root of the product, not the product of roots: a column and its copy are then exactly
        // 1.
        Some(balance as f64 / (untied_a as f64 * untied_b as f64).sqrt())
    }
}

impl RankedColumn {
    fn new(values: &[f32], with_square: bool) -> Self {
        let mut keys: Vec<u64> = values
            .iter()
            .zip(0u64..)
            .map(|(&value, row)| u64::from(ascending(value)) << 32 | row)
            .collect();
        keys.sort_unstable();
        let order: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
        let mut ranks = vec![0; values.len()];
        let (mut rank, mut run, mut tied) = (0, 0u64, 0u64);
        for (i, &key) in keys.iter().enumerate() {
            if i > 0 && keys[i - 1] >> 32 == key >> 32 {
                run += 1;
                tied += run;
            } else {
                rank += u32::from(i > 0);
                run = 0;
            }
            ranks[key as u32 as usize] = rank;
        }
        let above = if with_square { squares(&order, &ranks) } else { Vec::new() };
        RankedColumn { ranks, order, tied, above }
    }

    /// The documents of each group of equal values.
    fn groups(&self) -> impl Iterator<Item = &[u32]> {
        self.order.chunk_by(|&i, &j| self.ranks[i as usize] == self.ranks[j as usize])
    }
}

/// For every document a row of bits: the documents above it.
fn squares(order: &[u32], ranks: &[u32]) -> Vec<u64> {
    let words = order.len().div_ceil(64);
    let mut above = vec![0u64; order.len() * words];
    let mut seen = vec![0u64; words];
    for group in order.chunk_by(|&i, &j| ranks[i as usize] == ranks[j as usize]).rev() {
        for &i in group {
            above[i as usize * words..][..words].copy_from_slice(&seen);
        }
        for &i in group {
            seen[i as usize / 64] |= 1 << (i % 64);
        }
    }
    above
}

/// Words of a column that are compared with all other columns before the next ones: few enough for
/// all columns to stay in the cache, enough to amortise the loop.
fn words_at_a_time(columns: usize) -> usize {
    (16_384 / columns.max(1)).max(64)
}

/// Pairs of documents that each two columns order in the same way.
fn concordant(columns: &[RankedColumn]) -> Vec<u64> {
    let mut counts = vec![0; columns.len() * columns.len().saturating_sub(1) / 2];
    let words = columns.first().map_or(0, |column| column.above.len());
    let step = words_at_a_time(columns.len());
    // With the widest SIMD registers of the machine.
    Arch::new().dispatch(|| {
        for start in (0..words).step_by(step) {
            let part = start..words.min(start + step);
            let mut counts = counts.iter_mut();
            for (i, a) in columns.iter().enumerate() {
                for (b, count) in columns[..i].iter().zip(&mut counts) {
                    *count += common_bits(&a.above[part.clone()], &b.above[part.clone()]);
                }
            }
        }
    });
    counts
}

#[inline(always)]
fn common_bits(a: &[u64], b: &[u64]) -> u64 {
    a.iter().zip(b).map(|(a, b)| u64::from((a & b).count_ones())).sum()
}

/// Pairs of documents with equal values in both columns.
fn tied_in_both(a: &RankedColumn, b: &RankedColumn) -> u64 {
    if a.tied == 0 || b.tied == 0 {
        return 0;
    }
    let mut seen = vec![0u32; b.ranks.len()];
    let mut tied = 0;
    for group in a.groups().filter(|group| group.len() > 1) {
        for &i in group {
            let before = &mut seen[b.ranks[i as usize] as usize];
            tied += u64::from(*before);
            *before += 1;
        }
        group.iter().for_each(|&i| seen[b.ranks[i as usize] as usize] = 0);
    }
    tied
}

/// Pairs tied in both columns, and pairs ordered in opposite ways.
fn knight(a: &RankedColumn, b: &RankedColumn) -> (u64, u64) {
    let mut ranks = Vec::with_capacity(a.order.len());
    let mut tied = 0;
    for group in a.groups() {
        let start = ranks.len();
        ranks.extend(group.iter().map(|&i| b.ranks[i as usize]));
        // In order within a tie, so that sorting exchanges nothing there.
        ranks[start..].sort_unstable();
        let same = ranks[start..].chunk_by(|x, y| x == y);
        tied += same.map(|run| run.len() as u64 * (run.len() as u64 - 1) / 2).sum::<u64>();
    }
    let mut spare = ranks.clone();
    (tied, exchanges(&mut ranks, &mut spare))
}

/// Sorts, and counts the pairs that stood in the wrong order.
fn exchanges(values: &mut [u32], spare: &mut [u32]) -> u64 {
    if values.len() <= 16 {
        let mut count = 0;
        for i in 1..values.len() {
            let mut at = i;
            while at > 0 && values[at - 1] > values[at] {
                values.swap(at - 1, at);
                at -= 1;
                count += 1;
            }
        }
        return count;
    }
    let half = values.len() / 2;
    let (low, high) = values.split_at_mut(half);
    let (spare_low, spare_high) = spare.split_at_mut(half);
    let mut count = exchanges(low, spare_low) + exchanges(high, spare_high);
    let (mut l, mut h) = (0, 0);
    for cell in spare.iter_mut() {
        if h == high.len() || (l < low.len() && low[l] <= high[h]) {
            *cell = low[l];
            l += 1;
        } else {
            *cell = high[h];
            h += 1;
            count += (low.len() - l) as u64;
        }
    }
    values.copy_from_slice(spare);
    count
}

/// Kendall's τ-b of two columns; `None` if one of them is constant.
///
/// ```
/// use featherank::engine::passes::kendall_tau_b;
/// assert_eq!(kendall_tau_b(&[1., 2., 3.], &[4., 6., 5.]), Some(1.0 / 3.0));
/// assert_eq!(kendall_tau_b(&[1., 2., 3.], &[4., 4., 4.]), None);
/// ```
///
/// # Panics
/// If the columns differ in length.
pub fn kendall_tau_b(a: &[f32], b: &[f32]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "columns of one list");
    KendallColumns::new([a, b]).tau(0, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(a: &[f32], b: &[f32]) -> Option<f64> {
        let (mut balance, mut untied_a, mut untied_b) = (0, 0, 0);
        for i in 0..a.len() {
            for j in 0..i {
                let (x, y) = (a[i].total_cmp(&a[j]) as i32, b[i].total_cmp(&b[j]) as i32);
                balance += x * y;
                untied_a += x * x;
                untied_b += y * y;
            }
        }
        let scale = (f64::from(untied_a) * f64::from(untied_b)).sqrt();
        (scale > 0.0).then(|| f64::from(balance) / scale)
    }

    proptest! {
        #[test]
        fn bits_and_sorting_count_the_same(rows in prop::collection::vec((0u8..9, 0u8..30), 0..150)) {
            let (a, b): (Vec<f32>, Vec<f32>) = rows.iter().map(|&(x, y)| (f32::from(x), f32::from(y))).unzip();
            prop_assert_eq!(kendall_tau_b(&a, &b), counted(&a, &b));
            let (first, second) = (RankedColumn::new(&a, true), RankedColumn::new(&b, true));
            let (tied, discordant) = knight(&first, &second);
            prop_assert_eq!(tied, tied_in_both(&first, &second));
            let n = a.len() as u64;
            let concordant = common_bits(&first.above, &second.above);
            prop_assert_eq!(concordant + discordant + first.tied + second.tied, n * n.saturating_sub(1) / 2 + tied);
        }
    }

    #[test]
    fn a_long_list_is_sorted() {
        let a: Vec<f32> = (0..SHORT + 500).map(|i| (i * 7919 % 1009) as f32).collect();
        let b: Vec<f32> = (0..SHORT + 500).map(|i| (i * 104_729 % 37) as f32).collect();
        assert_eq!(kendall_tau_b(&a, &b), counted(&a, &b));
        let falling: Vec<f32> = a.iter().map(|x| -x).collect();
        assert_eq!((kendall_tau_b(&a, &a), kendall_tau_b(&a, &falling)), (Some(1.0), Some(-1.0)));
    }
}
