//! The data set: the documents of queries with their labels and features, in column-major order.

use std::ops::Range;

use rayon::prelude::*;

use super::features::{FeatureId, FeatureTable};
use super::fingerprint::Fingerprint;
use super::queries::Queries;
use super::text_column::TextColumn;
use super::view::View;
use crate::memory::MemoryLimit;

/// Labelled query–document data in memory: column-major 32-bit features, one label per document,
/// rows grouped by query.
///
/// ```
/// use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
/// // Two queries with two and one documents, two features.
/// let queries = Queries::from_sizes(&[2, 1]);
/// let (values, labels) = (vec![0.1, 0.2, 0.3, 9.0, 8.0, 7.0], vec![1.0, 0.0, 2.0]);
/// let data = Dataset::new(values, labels, queries, FeatureTable::numbered(2, 1));
/// assert_eq!(data.column(FeatureId(1)), [9.0, 8.0, 7.0]);
/// assert_eq!(data.queries().rows(1), 2..3);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    values: Vec<f32>,
    labels: Vec<f32>,
    queries: Queries,
    features: FeatureTable,
    documents: Option<TextColumn>,
    memory_limit: MemoryLimit,
}

impl Dataset {
    /// A data set of these parts. `values` holds the first feature of all documents, then the
    /// second, and so on, in the order of `features`. The data set keeps its columns in the
    /// [order of their identity](FeatureTable::identity_order) instead, so that results do not
    /// depend on the given order; columns are moved in place if the orders differ.
    ///
    /// # Panics
    /// If the sizes of the parts do not match; readers check their input before.
    pub fn new(
        values: Vec<f32>,
        labels: Vec<f32>,
        queries: Queries,
        features: FeatureTable,
    ) -> Self {
        Dataset::in_given_order(values, labels, queries, features).in_identity_order()
    }

    /// A data set whose columns stay as they are, for copies whose columns are known by place.
    pub(super) fn in_given_order(
        values: Vec<f32>,
        labels: Vec<f32>,
        queries: Queries,
        features: FeatureTable,
    ) -> Self {
        assert_eq!(
            values.len(),
            labels.len() * features.len(),
            "values must be documents × features"
        );
        assert_eq!(queries.documents(), labels.len(), "queries must cover the documents");
        let (documents, memory_limit) = (None, MemoryLimit::default());
        Dataset { values, labels, queries, features, documents, memory_limit }
    }

    /// The same data with other names, one for each feature.
    #[must_use]
    pub fn with_names(mut self, names: Vec<String>) -> Self {
        self.features.set_names(names);
        self.in_identity_order()
    }

    fn in_identity_order(mut self) -> Self {
        let order = self.features.identity_order();
        if !order.is_sorted() {
            move_columns(&mut self.values, self.labels.len(), &order);
            self.features = self.features.reordered(&order);
        }
        self
    }

    /// Adds a text for each document (an id, or the comment of a text row).
    #[must_use]
    pub fn with_documents(mut self, documents: Option<TextColumn>) -> Self {
        assert!(
            documents.as_ref().is_none_or(|d| d.len() == self.labels.len()),
            "one text per document"
        );
        self.documents = documents;
        self
    }

    /// Limits the memory for computations on this data that grow with the square of the number of
    /// features, in bytes; by default and at most what the system allows.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = MemoryLimit::new(bytes);
        self
    }

    /// The memory that computations on this data may take, in bytes.
    pub fn memory_limit(&self) -> u64 {
        self.memory_limit.bytes()
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.labels.len()
    }

    /// The queries and their rows.
    pub fn queries(&self) -> &Queries {
        &self.queries
    }

    /// The feature table.
    pub fn features(&self) -> &FeatureTable {
        &self.features
    }

    /// Relevance labels, one per document.
    pub fn labels(&self) -> &[f32] {
        &self.labels
    }

    /// All values of one feature.
    pub fn column(&self, feature: FeatureId) -> &[f32] {
        let n = self.labels.len();
        &self.values[feature.index() * n..(feature.index() + 1) * n]
    }

    /// All values of one feature, mutable.
    pub(crate) fn column_mut(&mut self, feature: FeatureId) -> &mut [f32] {
        let n = self.labels.len();
        &mut self.values[feature.index() * n..(feature.index() + 1) * n]
    }

    /// Whether a feature has missing values, which are NaN.
    pub fn has_missing(&self, feature: FeatureId) -> bool {
        self.column(feature).iter().any(|x| x.is_nan())
    }

    /// All columns, one after the other.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Changes every column in parallel; the closure gets a feature, the queries and the values.
    pub fn for_each_column_mut(&mut self, change: impl Fn(FeatureId, &Queries, &mut [f32]) + Sync) {
        let (n, queries) = (self.labels.len().max(1), &self.queries);
        self.values
            .par_chunks_mut(n)
            .enumerate()
            .for_each(|(f, column)| change(FeatureId::from(f), queries, column));
    }

    /// The texts of the documents, if any.
    pub fn document_texts(&self) -> Option<&TextColumn> {
        self.documents.as_ref()
    }

    /// The id of a document: the word after `docid =` in its text, or else the first word of its
    /// text, or else its row number from 1.
    pub fn document_id(&self, row: usize) -> String {
        let text = self.documents.as_ref().map_or("", |d| d.get(row));
        match document_id(text) {
            Some(id) => id.to_owned(),
            None => (row + 1).to_string(),
        }
    }

    /// The same rows with another grouping into queries.
    #[must_use]
    pub(crate) fn with_queries(mut self, queries: Queries) -> Self {
        assert_eq!(queries.documents(), self.labels.len(), "queries must cover the documents");
        self.queries = queries;
        self
    }

    /// The rows in another order (`order[i]` is the old position of row `i`), with another grouping
    /// into queries.
    #[must_use]
    pub(crate) fn reordered(mut self, order: &[usize], queries: Queries) -> Self {
        let pick = |column: &[f32]| -> Vec<f32> { order.iter().map(|&i| column[i]).collect() };
        // One column at a time, so that no second copy of the data is needed.
        self.values
            .par_chunks_mut(order.len().max(1))
            .for_each(|column| column.copy_from_slice(&pick(column)));
        self.labels = pick(&self.labels);
        self.documents = self.documents.map(|texts| order.iter().map(|&i| texts.get(i)).collect());
        self.with_queries(queries)
    }

    /// The whole data set as a view.
    pub fn view(&self) -> View<'_> {
        View::all(self)
    }

    /// A copy of some queries (in the order given) with all features.
    pub fn subset(&self, queries: &[usize]) -> Dataset {
        let rows: Vec<Range<usize>> = queries.iter().map(|&q| self.queries.rows(q)).collect();
        let gather = |source: &[f32]| -> Vec<f32> {
            rows.iter().flat_map(|r| &source[r.clone()]).copied().collect()
        };
        let labels = gather(&self.labels);
        let mut values = vec![0.0; labels.len() * self.features.len()];
        let (from, to) = (self.labels.len().max(1), labels.len().max(1));
        values.par_chunks_mut(to).zip(self.values.par_chunks(from)).for_each(|(to, from)| {
            let mut start = 0;
            for r in &rows {
                to[start..start + r.len()].copy_from_slice(&from[r.clone()]);
                start += r.len();
            }
        });
        let sizes: Vec<usize> = rows.iter().map(Range::len).collect();
        let ids = queries.iter().map(|&q| self.queries.id(q).to_owned()).collect();
        let documents = self
            .documents
            .as_ref()
            .map(|d| rows.iter().cloned().flatten().map(|i| d.get(i)).collect());
        Dataset::in_given_order(values, labels, Queries::new(&sizes, ids), self.features.clone())
            .with_documents(documents)
            .with_memory_limit(self.memory_limit())
    }

    /// This data followed by other data with the same features.
    ///
    /// # Panics
    /// If the features differ.
    pub fn joined(&self, other: &Dataset) -> Dataset {
        assert_eq!(self.features, other.features, "only data with the same features can be joined");
        let columns = (0..self.features.len()).map(FeatureId::from);
        let values =
            columns.flat_map(|f| self.column(f).iter().chain(other.column(f))).copied().collect();
        let sizes: Vec<usize> = self.queries.sizes().chain(other.queries.sizes()).collect();
        let ids = self.queries.ids().iter().chain(other.queries.ids()).cloned().collect();
        let documents = self.documents.as_ref().zip(other.documents.as_ref());
        let documents = documents.map(|(own, others)| own.iter().chain(others.iter()).collect());
        let labels = [&self.labels[..], &other.labels].concat();
        Dataset::in_given_order(values, labels, Queries::new(&sizes, ids), self.features.clone())
            .with_documents(documents)
            .with_memory_limit(self.memory_limit())
    }

    /// A hash that changes with any label, value, query or feature: it ties a saved selection to
    /// its data.
    pub fn fingerprint(&self) -> String {
        Fingerprint::of(self, 0..self.queries.len()).text(&self.features)
    }
}

/// Brings columns into another order, given by their present places; needs memory for one column.
fn move_columns(values: &mut [f32], rows: usize, order: &[FeatureId]) {
    let mut moved = vec![false; order.len()];
    for start in 0..order.len() {
        if moved[start] || rows == 0 {
            continue;
        }
        // Each cycle of the permutation: its first column is put aside and ends in the last place.
        let first = values[start * rows..(start + 1) * rows].to_vec();
        let mut to = start;
        loop {
            moved[to] = true;
            let from = order[to].index();
            if from == start {
                values[to * rows..(to + 1) * rows].copy_from_slice(&first);
                break;
            }
            values.copy_within(from * rows..(from + 1) * rows, to * rows);
            to = from;
        }
    }
}

/// The id in a document's text; `None` for a text without words.
pub(crate) fn document_id(text: &str) -> Option<&str> {
    let named = text
        .trim_start()
        .strip_prefix("docid")
        .map(str::trim_start)
        .and_then(|rest| rest.strip_prefix('='));
    named.unwrap_or(text).split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Dataset {
        let queries = Queries::new(&[2, 1], vec!["a".into(), "b".into()]);
        Dataset::new(
            vec![1., 2., 3., 4., 5., 6.],
            vec![0., 1., 2.],
            queries,
            FeatureTable::numbered(2, 1),
        )
    }

    #[test]
    fn a_subset_keeps_query_order_ids_and_values() {
        let picked = small().subset(&[1, 0]);
        assert_eq!(picked.labels(), [2., 0., 1.]);
        assert_eq!(picked.values(), [3., 1., 2., 6., 4., 5.]);
        assert_eq!(picked.queries().ids(), ["b", "a"]);
    }

    #[test]
    fn columns_are_ordered_by_identity() {
        let names = |names: [&str; 5]| FeatureTable::named(names.map(String::from).to_vec());
        let data =
            |table, values| Dataset::new(values, vec![0., 1.], Queries::from_sizes(&[2]), table);
        let mixed = data(
            names(["d", "a", "e", "c", "b"]),
            vec![4., 40., 1., 10., 5., 50., 3., 30., 2., 20.],
        );
        assert_eq!(mixed.values(), [1., 10., 2., 20., 3., 30., 4., 40., 5., 50.]);
        let labels: Vec<String> = mixed.features().iter().map(|(_, f)| f.label()).collect();
        assert_eq!(labels, ["a", "b", "c", "d", "e"]);
        assert_eq!(mixed.features().get(FeatureId(3)).id, 1, "ids are places in the file");
        let ordered = data(names(["a", "b", "c", "d", "e"]), mixed.values().to_vec());
        assert_eq!(ordered.fingerprint(), mixed.fingerprint());
        let renamed = ordered.with_names(["e", "d", "c", "b", "a"].map(String::from).to_vec());
        assert_eq!(renamed.values(), [5., 50., 4., 40., 3., 30., 2., 20., 1., 10.]);
    }

    #[test]
    fn document_ids_come_from_letor_comments_or_the_first_word() {
        assert_eq!(document_id("docid = GX008-86 inc = 1 prob = 0.08"), Some("GX008-86"));
        assert_eq!(document_id("docid=7"), Some("7"));
        assert_eq!(document_id(" 7555 rambo"), Some("7555"));
        assert_eq!(document_id("  "), None);
    }
}
