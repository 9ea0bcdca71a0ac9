//! The top documents of a query by many scores at once: one SIMD lane for each ranking.
//!
//! Documents are processed one after the other. If one is better than the last of some lane's top,
//! it is inserted and the others move down, in all lanes at once and without branches, which would
//! be unpredictable.

use pulp::{Arch, NullaryFnOnce};

/// The number of rankings computed together.
pub(super) const LANES: usize = 8;

/// The tops of `LANES` rankings.
#[derive(Debug, Default)]
pub(super) struct Tops {
    /// By position, best first.
    scores: Vec<[f32; LANES]>,
    rows: Vec<[u32; LANES]>,
    /// How many documents have the score of the last position.
    like_last: [u32; LANES],
    /// Whether some score is NaN.
    has_nan: [bool; LANES],
}

/// Scores of documents in row-major order, of which the lanes are consecutive columns.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a> {
    pub scores: &'a [f32],
    /// The number of columns.
    pub width: usize,
    /// The first column used, and the number of columns used.
    pub first: usize,
    pub count: usize,
}

impl Lanes<'_> {
    #[inline(always)]
    fn documents(&self) -> impl Iterator<Item = [f32; LANES]> {
        let Lanes { first, count, .. } = *self;
        self.scores.chunks_exact(self.width).map(move |scores| {
            let own = &scores[first..first + count];
            // A copy of constant length is one instruction.
            own.try_into().unwrap_or_else(|_| {
                let mut padded = [0.0; LANES];
                padded[..count].copy_from_slice(own);
                padded
            })
        })
    }
}

impl Tops {
    /// Finds the first `depth` documents of each lane, out of at least as many; equal scores keep
    /// the order of the documents.
    pub fn find(&mut self, lanes: Lanes<'_>, depth: usize) {
        self.scores.clear();
        self.scores.resize(depth, [f32::NEG_INFINITY; LANES]);
        self.rows.clear();
        self.rows.resize(depth, [u32::MAX; LANES]);
        Arch::new().dispatch(Find { tops: self, lanes });
    }

    /// Replaces the contents of `to` with the documents of a lane from the top, converted by
    /// `entry` from score and row. Returns false and does nothing if the top is not determined:
    /// other documents tie with the last one, or scores are not finite.
    pub fn of_lane<T>(&self, lane: usize, entry: impl Fn(f32, u32) -> T, to: &mut Vec<T>) -> bool {
        let (Some(last), Some(row)) = (self.scores.last(), self.rows.last()) else { return false };
        let own = self.scores.iter().filter(|scores| scores[lane] == last[lane]).count();
        if self.has_nan[lane] || row[lane] == u32::MAX || own != self.like_last[lane] as usize {
            return false;
        }
        to.clear();
        to.extend(
            self.scores
                .iter()
                .zip(&self.rows)
                .map(|(scores, rows)| entry(scores[lane], rows[lane])),
        );
        true
    }
}

struct Find<'a> {
    tops: &'a mut Tops,
    lanes: Lanes<'a>,
}

impl NullaryFnOnce for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Find { tops: Tops { scores: top, rows, like_last, has_nan }, lanes } = self;
        let mut nan = [0; LANES];
        for (mut scores, row) in lanes.documents().zip(0u32..) {
            let Some(last) = top.last() else { return };
            let mut enters = 0;
            for lane in 0..LANES {
                enters |= u32::from(scores[lane] > last[lane]);
                nan[lane] |= u32::from(scores[lane].is_nan());
            }
            if enters == 0 {
                continue;
            }
            // In lanes whose mask has all bits set, the current entry is replaced and moves down.
            // Masks instead of conditions, so that the loops are vectorised.
            let (mut own, mut moves) = ([row; LANES], [0; LANES]);
            for (top, rows) in top.iter_mut().zip(rows.iter_mut()) {
                let (old_top, old_rows) = (*top, *rows);
                for lane in 0..LANES {
                    // An entry that moves down precedes all following ones, including those with
                    // the same score.
                    moves[lane] |= if scores[lane] > old_top[lane] { u32::MAX } else { 0 };
                }
                for lane in 0..LANES {
                    let (new, old) = (scores[lane].to_bits(), old_top[lane].to_bits());
                    let change = (new ^ old) & moves[lane];
                    (top[lane], scores[lane]) =
                        (f32::from_bits(old ^ change), f32::from_bits(new ^ change));
                }
                for lane in 0..LANES {
                    let change = (own[lane] ^ old_rows[lane]) & moves[lane];
                    (rows[lane], own[lane]) = (old_rows[lane] ^ change, own[lane] ^ change);
                }
            }
        }
        *has_nan = nan.map(|nan| nan != 0);
        *like_last = [0; LANES];
        let Some(&last) = top.last() else { return };
        for scores in lanes.documents() {
            for lane in 0..LANES {
                like_last[lane] += u32::from(scores[lane] == last[lane]);
            }
        }
    }
}
