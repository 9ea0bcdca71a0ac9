//! Pieces of a data set under a memory limit: as many as fit stay in memory, the others are read
//! again for every pass.

use std::sync::{Arc, OnceLock};

use super::layout::Piece;
use crate::data::Parts;
use crate::engine::{Job, Merge, RowBlocks, SchemaPart};
use crate::error::{Error, Result};
use crate::stop::StopToken;

/// One piece takes at most one part in this many of the memory limit.
const PIECES_PER_LIMIT: u64 = 16;

/// Tenths of the memory limit for pieces that stay in memory. Passes cache up to half as much again
/// for these rows.
const RESIDENT_TENTHS: u64 = 4;

/// The most documents of a piece under a memory limit in bytes.
pub(super) fn piece_documents(memory: u64, features: usize) -> u64 {
    (memory / PIECES_PER_LIMIT / bytes_of_document(features)).max(1)
}

fn bytes_of_document(features: usize) -> u64 {
    4 * (features as u64 + 2)
}

/// Neighbouring pieces, some of them in memory.
pub(super) struct Store {
    parts: Arc<Parts>,
    pieces: Vec<Piece>,
    /// The first pieces, as many as stay in memory, once they are read.
    resident: Vec<OnceLock<RowBlocks>>,
}

impl Store {
    /// A store that has read nothing yet.
    pub fn new(parts: Arc<Parts>, pieces: Vec<Piece>, memory: u64) -> Self {
        let bytes = |piece: &Piece| {
            piece
                .rows
                .end
                .saturating_sub(piece.rows.start)
                .saturating_mul(bytes_of_document(parts.features().len()))
        };
        let mut left = memory / 10 * RESIDENT_TENTHS;
        let fits = |piece: &&Piece| {
            let fits = bytes(piece) <= left;
            left = left.saturating_sub(bytes(piece));
            fits
        };
        let resident = pieces.iter().take_while(fits).map(|_| OnceLock::new()).collect();
        Store { parts, pieces, resident }
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// How many of them stay in memory.
    pub fn resident(&self) -> usize {
        self.resident.len()
    }

    /// Adds the answers of all blocks to a job. `step` receives the number of blocks done so far
    /// and may stop the work.
    pub fn answer(
        &self,
        job: &mut dyn Job,
        stop: &StopToken,
        mut step: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let mut before = 0;
        for number in 0..self.pieces.len() {
            self.with(number, |rows| rows.answer(job, stop, |done| step(before + done)))??;
            before += self.pieces[number].blocks;
        }
        Ok(())
    }

    /// The schema of all pieces; `None` if there are none.
    pub fn describe(&self, mut step: impl FnMut(u64) -> Result<()>) -> Result<Option<SchemaPart>> {
        let mut all: Option<SchemaPart> = None;
        let mut done = 0;
        for number in 0..self.pieces.len() {
            let part = self.with(number, |rows| SchemaPart::of(rows.data()))?;
            all = Some(match all {
                Some(all) => all.merge(part),
                None => part,
            });
            done += self.pieces[number].blocks;
            step(done)?;
        }
        Ok(all)
    }

    /// Calls `work` with the rows of a piece.
    fn with<T>(&self, number: usize, work: impl FnOnce(&RowBlocks) -> T) -> Result<T> {
        match self.resident.get(number) {
            None => Ok(work(&self.read(number)?)),
            Some(place) => match place.get() {
                Some(rows) => Ok(work(rows)),
                None => {
                    let rows = self.read(number)?;
                    Ok(work(place.get_or_init(|| rows)))
                }
            },
        }
    }

    fn read(&self, number: usize) -> Result<RowBlocks> {
        let piece = &self.pieces[number];
        let rows = RowBlocks::new(self.parts.read(piece.rows.clone())?, piece.first_block);
        match rows.count() == piece.blocks {
            true => Ok(rows),
            false => Err(Error::mismatch(
                "the data has changed since it was opened",
                "run again when no other program writes to the files",
            )),
        }
    }
}
