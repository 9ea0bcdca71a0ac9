//! Pieces of a data set under a limit of memory: as many as fit stay, the others are read anew for
//! every pass.

use std::sync::{Arc, OnceLock};

use super::layout::Piece;
use super::rows::Rows;
use super::schema::SchemaPart;
use super::tree::{Merge, Tree};
use super::{Outcome, Pass};
use crate::data::Parts;
use crate::error::{Error, Result};

/// Of the memory, what one piece may take while it is read and asked.
const PIECE: u64 = 16;

/// Of the memory, what pieces that stay may take, in tenths. Methods remember up to half as much
/// again about rows that stay.
const STAYING: u64 = 4;

/// How many documents with so many features a piece may have under a limit of memory in bytes.
pub(super) fn piece_documents(memory: u64, features: usize) -> u64 {
    (memory / PIECE / bytes_of_document(features)).max(1)
}

fn bytes_of_document(features: usize) -> u64 {
    4 * (features as u64 + 2)
}

/// Neighbouring pieces.
pub(super) struct Store {
    parts: Arc<Parts>,
    pieces: Vec<Piece>,
    /// The first pieces, as many as may stay, once they are read.
    staying: Vec<OnceLock<Rows>>,
}

impl Store {
    /// Nothing is read yet.
    pub fn new(parts: Arc<Parts>, pieces: Vec<Piece>, memory: u64) -> Self {
        let bytes = |piece: &Piece| {
            piece
                .rows
                .end
                .saturating_sub(piece.rows.start)
                .saturating_mul(bytes_of_document(parts.features().len()))
        };
        let mut left = memory / 10 * STAYING;
        let fits = |piece: &&Piece| {
            let fits = bytes(piece) <= left;
            left = left.saturating_sub(bytes(piece));
            fits
        };
        let staying = pieces.iter().take_while(fits).map(|_| OnceLock::new()).collect();
        Store { parts, pieces, staying }
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// How many of them stay in memory.
    pub fn staying(&self) -> usize {
        self.staying.len()
    }

    /// Adds the answers of all blocks to a tree; `step` hears how many are done, and may say stop.
    pub fn answer(
        &self,
        pass: &Pass,
        tree: &mut Tree<Outcome>,
        mut step: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let mut before = 0;
        for number in 0..self.pieces.len() {
            self.with(number, |rows| rows.answer(pass, tree, |done| step(before + done)))??;
            before += self.pieces[number].blocks;
        }
        Ok(())
    }

    /// What the data is like.
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

    /// Does something with the rows of a piece.
    fn with<T>(&self, number: usize, work: impl FnOnce(&Rows) -> T) -> Result<T> {
        match self.staying.get(number) {
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

    fn read(&self, number: usize) -> Result<Rows> {
        let piece = &self.pieces[number];
        let rows = Rows::new(self.parts.read(piece.rows.clone())?, piece.first_block);
        match rows.blocks() == piece.blocks {
            true => Ok(rows),
            false => Err(Error::mismatch(
                "the data has changed since it was opened",
                "run again when no other program writes to the files",
            )),
        }
    }
}
