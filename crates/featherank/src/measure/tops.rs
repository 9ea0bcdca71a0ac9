//! The first documents of a query by many scores at once: one lane of a register for each ranking.
//!
//! Documents come one after the other. Where one is better than the last of some lane's top it is
//! put in its place and the others move down, in all lanes together and without branches: which
//! lanes a document enters cannot be foretold.

use pulp::{Arch, NullaryFnOnce};

/// Rankings that are made together.
pub(super) const LANES: usize = 8;

/// Tops of so many rankings.
#[derive(Debug, Default)]
pub(super) struct Tops {
    /// By place, from the best on.
    scores: Vec<[f32; LANES]>,
    rows: Vec<[u32; LANES]>,
    /// How many documents have the score of the last place.
    like_last: [u32; LANES],
    /// Whether some score is no number.
    has_nan: [bool; LANES],
}

/// Scores of documents, one document after the other, of which the lanes are some columns.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a> {
    pub scores: &'a [f32],
    /// The number of columns.
    pub width: usize,
    /// The first column that is looked at, and how many.
    pub first: usize,
    pub count: usize,
}

impl Lanes<'_> {
    #[inline(always)]
    fn documents(&self) -> impl Iterator<Item = [f32; LANES]> {
        let Lanes { first, count, .. } = *self;
        self.scores.chunks_exact(self.width).map(move |scores| {
            let own = &scores[first..first + count];
            // A copy of known length is one instruction.
            own.try_into().unwrap_or_else(|_| {
                let mut padded = [0.0; LANES];
                padded[..count].copy_from_slice(own);
                padded
            })
        })
    }
}

impl Tops {
    /// Finds the first `depth` documents of each lane, of at least as many; equal scores keep the
    /// order of the documents.
    pub fn find(&mut self, lanes: Lanes<'_>, depth: usize) {
        self.scores.clear();
        self.scores.resize(depth, [f32::NEG_INFINITY; LANES]);
        self.rows.clear();
        self.rows.resize(depth, [u32::MAX; LANES]);
        Arch::new().dispatch(Find { tops: self, lanes });
    }

    /// Puts the documents of a lane from the top, as `entry` makes of their scores and rows, in the
    /// place of others. False, and nothing done, where that is not all there is to know: others tie
    /// with the last one, or scores are not finite.
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
            // Where all bits are set, who stands in a place gives it to whoever comes. Masks
            // instead of conditions: compilers make vectors of them.
            let (mut own, mut moves) = ([row; LANES], [0; LANES]);
            for (top, rows) in top.iter_mut().zip(rows.iter_mut()) {
                let (there, at) = (*top, *rows);
                for lane in 0..LANES {
                    // Whoever is moved down goes before all who follow, those of the same score
                    // included.
                    moves[lane] |= if scores[lane] > there[lane] { u32::MAX } else { 0 };
                }
                for lane in 0..LANES {
                    let (comes, stands) = (scores[lane].to_bits(), there[lane].to_bits());
                    let change = (comes ^ stands) & moves[lane];
                    (top[lane], scores[lane]) =
                        (f32::from_bits(stands ^ change), f32::from_bits(comes ^ change));
                }
                for lane in 0..LANES {
                    let change = (own[lane] ^ at[lane]) & moves[lane];
                    (rows[lane], own[lane]) = (at[lane] ^ change, own[lane] ^ change);
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
