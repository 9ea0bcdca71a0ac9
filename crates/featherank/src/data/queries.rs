//! The queries of a data set, as consecutive rows.

use std::ops::Range;

use super::hash::Fnv;

/// The grouping of rows into queries. Rows of a query are always consecutive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queries {
    offsets: Vec<usize>,
    ids: Vec<String>,
}

impl Queries {
    /// Queries of the given sizes with the given ids.
    pub fn new(sizes: &[usize], ids: Vec<String>) -> Self {
        assert_eq!(sizes.len(), ids.len(), "one id per query");
        let mut offsets = Vec::with_capacity(sizes.len() + 1);
        offsets.push(0);
        let mut end = 0;
        for size in sizes {
            end += size;
            offsets.push(end);
        }
        Queries { offsets, ids }
    }

    /// Queries of the given sizes, named 1, 2, 3 …
    pub fn from_sizes(sizes: &[usize]) -> Self {
        Queries::new(sizes, (1..=sizes.len()).map(|i| i.to_string()).collect())
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Total number of documents.
    pub fn documents(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The rows of one query.
    pub fn rows(&self, query: usize) -> Range<usize> {
        self.offsets[query]..self.offsets[query + 1]
    }

    /// The id of a query.
    pub fn id(&self, query: usize) -> &str {
        &self.ids[query]
    }

    /// A hash of the query's id alone.
    pub fn key(&self, query: usize) -> u64 {
        let mut hash = Fnv::default();
        hash.write(self.ids[query].as_bytes());
        hash.value()
    }

    /// All query ids in order.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Number of documents of each query.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.offsets.windows(2).map(|w| w[1] - w[0])
    }

    /// The rows of each query in turn.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        self.offsets.windows(2).map(|w| w[0]..w[1])
    }
}
