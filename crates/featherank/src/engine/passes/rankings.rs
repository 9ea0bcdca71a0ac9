//! Every query's documents sorted by every feature, high values first.

use std::collections::HashMap;

use crate::data::{FeatureId, View};
use crate::measure::{Ties, ascending};
use crate::random::splitmix;

/// A document's number within its query, in as few bytes as the longest list needs.
pub(crate) trait RankPosition: Copy + Default + Send {
    fn new(place: usize) -> Self;
    fn get(self) -> usize;
}

impl RankPosition for u16 {
    fn new(place: usize) -> Self {
        place as u16
    }
    fn get(self) -> usize {
        usize::from(self)
    }
}

impl RankPosition for u32 {
    fn new(place: usize) -> Self {
        place as u32
    }
    fn get(self) -> usize {
        self as usize
    }
}

/// For every feature the rankings of a block's queries, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Rankings<P> {
    documents: usize,
    orders: Vec<P>,
}

impl<P: RankPosition> Rankings<P> {
    /// Sorts all queries of a block by all features of its data. Ties are broken by the rule; if it
    /// takes the expected value, by a hash of the values of the `varying` features.
    pub(crate) fn of(block: &View<'_>, ties: Ties, varying: &[FeatureId]) -> Self {
        let data = block.data();
        let tie_keys: Vec<u32> = match ties {
            Ties::Input => vec![0; block.documents()],
            Ties::Worst => {
                block.rows().flat_map(|rows| &data.labels()[rows]).map(|&y| ascending(y)).collect()
            }
            Ties::Expected => shuffling_keys(block, varying),
        };
        let mut orders = Vec::with_capacity(block.documents() * data.features().len());
        let mut keys: Vec<(u64, u32)> = Vec::new();
        for feature in (0..data.features().len()).map(FeatureId::from) {
            let column = data.column(feature);
            let mut tie_keys = tie_keys.iter();
            for rows in block.rows() {
                keys.clear();
                let values = column[rows].iter().zip(&mut tie_keys).zip(0u32..);
                keys.extend(values.map(|((&value, &tie), row)| {
                    (u64::from(!ascending(value)) << 32 | u64::from(tie), row)
                }));
                keys.sort_unstable();
                orders.extend(keys.iter().map(|&(_, row)| P::new(row as usize)));
            }
        }
        Rankings { documents: block.documents(), orders }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    pub(crate) fn of_feature(&self, feature: FeatureId) -> &[P] {
        &self.orders[feature.index() * self.documents..][..self.documents]
    }
}

/// A random order of each query's documents that is the same for any order of the file: a hash of
/// the query's id, of the document's label and values and, for documents that are equal in all of
/// these, of how many of them came before. So documents with equal values and different relevance
/// are in random order, and not in the same order in all queries.
fn shuffling_keys(block: &View<'_>, features: &[FeatureId]) -> Vec<u32> {
    let data = block.data();
    let mut keys = Vec::with_capacity(block.documents());
    let mut equals: HashMap<u64, u32> = HashMap::new();
    for (query, rows) in block.queries().zip(block.rows()) {
        let salt =
            data.queries().id(query).bytes().fold(0, |hash, byte| splitmix(hash ^ u64::from(byte)));
        let mut hashes: Vec<u64> = vec![salt; rows.len()];
        let columns = features.iter().map(|&feature| data.column(feature));
        for column in columns.chain([data.labels()]) {
            let values = &column[rows.clone()];
            values
                .iter()
                .zip(&mut hashes)
                .for_each(|(&value, hash)| *hash = splitmix(*hash ^ u64::from(ascending(value))));
        }
        equals.clear();
        keys.extend(hashes.into_iter().map(|hash| {
            let before = equals.entry(hash).or_default();
            let key = splitmix(hash ^ u64::from(*before));
            *before += 1;
            (key >> 32) as u32
        }));
    }
    keys
}
