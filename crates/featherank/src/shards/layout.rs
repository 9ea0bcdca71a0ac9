//! How data that is not in memory as a whole is divided: blocks, as in every engine, and pieces of
//! whole blocks that are read together.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::QueryRows;
use crate::engine::block_ranges;

/// Whole blocks of queries that are read together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// Their rows.
    pub rows: Range<u64>,
    /// The number of the first block among those of all data.
    pub first_block: u64,
    /// The number of blocks.
    pub blocks: u64,
}

/// The blocks of all data.
pub(super) struct Layout {
    /// The first row of each block, and the row after the last one.
    rows: Vec<u64>,
    /// The documents before each block, and all of them.
    documents: Vec<u64>,
}

impl Layout {
    /// The blocks of queries in order, among this many rows.
    pub fn new(queries: &[QueryRows], rows: u64) -> Self {
        let blocks = block_ranges(queries.iter().map(|query| query.documents as usize));
        let mut before = 0;
        let documents = blocks.iter().map(|block| {
            let own: u64 = queries[block.clone()].iter().map(|query| query.documents).sum();
            before += own;
            before - own
        });
        let mut documents: Vec<u64> = documents.collect();
        documents.push(before);
        // Rows before the first query that counts are read with it.
        let firsts = blocks.iter().skip(1).map(|block| queries[block.start].first);
        let rows = std::iter::once(0).chain(firsts).chain([rows]).collect();
        Layout { rows, documents }
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.documents.len() - 1
    }

    /// One range of blocks for each shard, about equally long; fewer if there are fewer blocks.
    pub fn shards(&self, count: usize) -> Vec<Range<usize>> {
        let blocks = self.blocks();
        let count = count.clamp(1, blocks.max(1));
        // Borders at multiples of a power of two leave few answers per shard whose other half is on
        // the neighbouring shard.
        let step = (blocks / (8 * count)).checked_ilog2().map_or(1, |log| 1 << log);
        let border = |i: usize| match i {
            _ if i == count => blocks,
            _ => (i * blocks / count + step / 2) / step * step,
        };
        (0..count).map(|i| border(i)..border(i + 1)).collect()
    }

    /// Cuts a range of blocks into pieces of at most this many documents, or of one block.
    pub fn pieces(&self, run: Range<usize>, documents: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut first = run.start;
        while first < run.end {
            let most = self.documents[first].saturating_add(documents);
            let end = self.documents.partition_point(|&before| before <= most) - 1;
            let end = end.clamp(first + 1, run.end);
            pieces.push(Piece {
                rows: self.rows[first]..self.rows[end],
                first_block: first as u64,
                blocks: (end - first) as u64,
            });
            first = end;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(queries: u64) -> Layout {
        // Two rows that do not count before the first query and behind every query.
        let of = |q: u64| QueryRows { query: q.to_string(), first: 2 + q * 1002, documents: 1000 };
        Layout::new(&(0..queries).map(of).collect::<Vec<_>>(), 2 + queries * 1002)
    }

    #[test]
    fn pieces_cover_all_rows_and_hold_whole_blocks() {
        let layout = layout(103);
        // Five queries make a block of 5000 documents, of which three are left at the end.
        assert_eq!(layout.blocks(), 21);
        for (documents, sizes) in
            [(0, vec![1; 21]), (12_000, [vec![2; 10], vec![1]].concat()), (u64::MAX, vec![21])]
        {
            let pieces = layout.pieces(0..21, documents);
            assert_eq!(pieces.iter().map(|piece| piece.blocks).collect::<Vec<_>>(), sizes);
            assert_eq!(
                (pieces[0].rows.start, pieces.last().unwrap().rows.end),
                (0, 2 + 103 * 1002)
            );
            assert!(pieces.windows(2).all(|pair| pair[0].rows.end == pair[1].rows.start));
            assert!(
                pieces
                    .windows(2)
                    .all(|pair| pair[0].first_block + pair[0].blocks == pair[1].first_block)
            );
        }
        assert_eq!(layout.pieces(20..21, 0)[0].rows, 2 + 100 * 1002..2 + 103 * 1002);
    }

    #[test]
    fn shards_are_about_equal_and_never_empty() {
        let layout = layout(5000);
        for count in [1, 2, 5, 7, 30] {
            let shards = layout.shards(count);
            assert_eq!((shards.len(), shards[0].start, shards[count - 1].end), (count, 0, 1000));
            assert!(shards.windows(2).all(|pair| pair[0].end == pair[1].start));
            let sizes = shards.iter().map(|shard| shard.len() * count);
            assert!(sizes.clone().all(|size| (800..=1200).contains(&size)), "{count}: {shards:?}");
        }
        assert_eq!(super::tests::layout(12).shards(9), [0..1, 1..2, 2..3]);
    }
}
