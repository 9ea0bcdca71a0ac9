//! What can be wrong with ranking data.

use super::{Error, Location};

/// What can be wrong with ranking data. The message states the fact,
/// [`Problem::remedy`] what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Rows of one query are not contiguous.
    #[error("query {query} appears again after other queries")]
    QueryNotContiguous {
        /// The query's id.
        query: String,
    },
    /// Rows of one query are not contiguous, in Parquet files that are read in pieces.
    #[error("query {query} appears again after other queries")]
    QueryNotContiguousInPieces {
        /// The query's id.
        query: String,
        /// The column of query ids.
        column: String,
    },
    /// A row has the same feature id twice.
    #[error("feature {id} appears twice in one row")]
    DuplicateFeature {
        /// The id.
        id: u64,
    },
    /// Feature ids of a row go down.
    #[error("feature {id} comes after feature {previous}")]
    DescendingFeature {
        /// The smaller id that came later.
        id: u64,
        /// The id before it.
        previous: u64,
    },
    /// Feature id 0 in a 1-based format.
    #[error("feature id 0, but ids start at 1")]
    FeatureZero,
    /// A feature id beyond what is accepted.
    #[error("feature id {id} is above the limit of {limit}")]
    FeatureBeyondLimit {
        /// The id.
        id: String,
        /// The largest id accepted.
        limit: u64,
    },
    /// Something that should be a number is not.
    #[error("{what} `{text}` is not a number")]
    NotANumber {
        /// "label", "value of feature 7", …
        what: String,
        /// The text found.
        text: String,
    },
    /// A token that is not `feature:value`.
    #[error("`{text}` is not of the form feature:value")]
    NotAFeature {
        /// The text found.
        text: String,
    },
    /// NaN or infinity.
    #[error("{what} is {text}, not a finite number")]
    NotFinite {
        /// Whose value.
        what: String,
        /// `nan`, `inf`, …
        text: String,
    },
    /// A number too large for 32 bits.
    #[error("{what} is {text}, beyond the largest 32-bit number (3.4e38)")]
    BeyondF32 {
        /// Whose value.
        what: String,
        /// The number as written.
        text: String,
    },
    /// A missing value: `NULL`, an empty cell, a null, an unlogged feature.
    #[error("{what} is missing")]
    MissingValue {
        /// Whose value.
        what: String,
    },
    /// A label below zero.
    #[error("label {label} is negative")]
    NegativeLabel {
        /// The label.
        label: f32,
    },
    /// A document without a label.
    #[error("document {document} of query {query} has no label")]
    Unjudged {
        /// The document's id.
        document: String,
        /// Its query.
        query: String,
    },
    /// A row without a query.
    #[error("this row has no query id")]
    MissingQuery,
    /// A row with another number of cells than the header.
    #[error("this row has {found} cells, and the header has {expected}")]
    RaggedRow {
        /// Cells of the header.
        expected: usize,
        /// Cells of the row.
        found: usize,
    },
    /// A table whose first row is data.
    #[error("the first row looks like data, not like column names")]
    NoHeader,
    /// No documents.
    #[error("this file has no documents")]
    Empty,
    /// A file that ends too early or does not decompress.
    #[error("the {format} data is damaged or truncated: {reason}")]
    Damaged {
        /// "gzip", "zstd", "xz", "Parquet", "JSON".
        format: &'static str,
        /// The decoder's message.
        reason: String,
    },
    /// Text that is not UTF-8.
    #[error("this is not UTF-8 text")]
    NotUtf8,
    /// A column that cannot be a feature.
    #[error("column `{column}` holds {kind}, which cannot be a feature")]
    ColumnType {
        /// The column's name.
        column: String,
        /// Its type.
        kind: String,
    },
    /// A required column that does not exist.
    #[error("no {role} column: {reason}")]
    NoColumn {
        /// "label", "query", "document".
        role: &'static str,
        /// What was searched for.
        reason: String,
    },
    /// Two columns of one name.
    #[error("two columns are called `{column}`")]
    DuplicateColumn {
        /// The name.
        column: String,
    },
    /// A column without a name.
    #[error("column {position} has no name")]
    UnnamedColumn {
        /// Its position, from 1.
        position: usize,
    },
    /// No column is left to be a feature.
    #[error("this file has no features")]
    NoFeatures,
    /// Group sizes that do not fit the rows.
    #[error("the query sizes add up to {sizes}, but there are {rows} rows")]
    GroupSizes {
        /// Sum of the side file.
        sizes: u64,
        /// Rows of the data.
        rows: u64,
    },
    /// Group sizes for rows that already name their queries.
    #[error("rows name their queries with qid:, and query sizes were given as well")]
    GroupsTwice,
    /// Files with different numbers of features.
    #[error("{found} features here, {expected} in {other}")]
    FeatureCount {
        /// Features of this file.
        found: usize,
        /// Features of the other.
        expected: usize,
        /// The other file.
        other: String,
    },
    /// Files whose features have different names.
    #[error("feature {position} is called `{found}` here and `{expected}` in {other}")]
    FeatureNames {
        /// Position, from 1.
        position: usize,
        /// Name here.
        found: String,
        /// Name in the other file.
        expected: String,
        /// The other file.
        other: String,
    },
    /// A names file that does not fit the data.
    #[error("{found} names for {expected} features")]
    NameCount {
        /// Names in the file.
        found: usize,
        /// Features of the data.
        expected: usize,
    },
    /// Scores that do not fit the documents.
    #[error("{found} scores for {documents} documents")]
    ScoreCount {
        /// Scores in the file.
        found: usize,
        /// Documents of the data.
        documents: usize,
    },
    /// A run that leaves a document out.
    #[error("there is no score for document {document} of query {query}")]
    MissingScore {
        /// The document's id.
        document: String,
        /// Its query.
        query: String,
    },
    /// The dense matrix exceeds the memory limit.
    #[error(
        "{documents} documents × {features} features need {gib:.1} GiB, more than the limit of {limit_gib:.1} GiB"
    )]
    TooLarge {
        /// Documents.
        documents: u64,
        /// Features.
        features: u64,
        /// What they need.
        gib: f64,
        /// What is allowed.
        limit_gib: f64,
    },
    /// A unit that must fit in memory is too long.
    #[error("this {what} is longer than {limit_mib} MiB")]
    TooLong {
        /// "line", "row", "response", "file".
        what: &'static str,
        /// The limit.
        limit_mib: u64,
    },
    /// A quoted cell that is not closed before the end of the file.
    #[error("this row opens a quote that is never closed")]
    UnclosedQuote,
    /// A path that does not exist.
    #[error("there is no such file")]
    NoSuchFile,
    /// A folder where a file is needed.
    #[error("this is a folder, not a file")]
    Folder,
    /// A file whose name does not show its format.
    #[error("the format of this file is not clear from its name")]
    UnknownFormat,
    /// JSON of another shape than the log formats have.
    #[error("this is not a feature log: {reason}")]
    NotALog {
        /// What was expected.
        reason: String,
    },
}

impl Problem {
    /// The error for this problem at a place.
    pub fn at(self, at: Location) -> Error {
        Error::Input { problem: self, at: Box::new(at) }
    }
}
