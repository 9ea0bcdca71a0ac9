//! What can be wrong with ranking data.

use super::{Error, Location, Remedy};
use crate::text::counted;

/// Declares the problems once: message, facts, and an example of each fact for tests.
macro_rules! problems {
    ($(
        $(#[$about:meta])*
        $variant:ident $({ $($(#[$doc:meta])* $field:ident: $type:ty = $example:expr,)+ })?,
    )+) => {
        /// What can be wrong with ranking data. The message states the fact, [`Problem::remedy`]
        /// what to do about it.
        #[derive(Debug, Clone, PartialEq, thiserror::Error)]
        #[non_exhaustive]
        pub enum Problem {
            $($(#[$about])* $variant $({ $($(#[$doc])* $field: $type,)+ })?,)+
        }

        impl Problem {
            /// One problem of each kind, for tests of front ends.
            pub(crate) fn examples() -> Vec<Problem> {
                vec![$(Problem::$variant $({ $($field: $example,)+ })?,)+]
            }
        }
    };
}

problems! {
    /// Rows of one query are not contiguous.
    #[error("query {query} appears again after other queries")]
    QueryNotContiguous {
        /// The query's id.
        query: String = "10032".into(),
    },
    /// Rows of one query are not contiguous, in Parquet files that are read in pieces.
    #[error("query {query} appears again after other queries")]
    QueryNotContiguousInPieces {
        /// The query's id.
        query: String = "10032".into(),
        /// The column of query ids.
        column: String = "qid".into(),
    },
    /// A row has the same feature id twice.
    #[error("feature {id} appears twice in one row")]
    DuplicateFeature {
        /// The id.
        id: u64 = 7,
    },
    /// Feature ids of a row go down.
    #[error("feature {id} comes after feature {previous}")]
    DescendingFeature {
        /// The smaller id that came later.
        id: u64 = 7,
        /// The id before it.
        previous: u64 = 9,
    },
    /// Feature id 0 in a 1-based format.
    #[error("feature id 0, but ids start at 1")]
    FeatureZero,
    /// A feature id beyond what is accepted.
    #[error("feature id {id} is above the limit of {limit}")]
    FeatureBeyondLimit {
        /// The id.
        id: String = "9000000".into(),
        /// The largest id accepted.
        limit: u64 = 1_000_000,
    },
    /// Something that should be a number is not.
    #[error("{what} `{text}` is not a number")]
    NotANumber {
        /// "label", "value of feature 7", …
        what: String = "value of feature 7".into(),
        /// The text found.
        text: String = "abc".into(),
    },
    /// A token that is not `feature:value`.
    #[error("`{text}` is not of the form feature:value")]
    NotAFeature {
        /// The text found.
        text: String = "7=0.5".into(),
    },
    /// NaN or infinity.
    #[error("{what} is {text}, not a finite number")]
    NotFinite {
        /// Whose value.
        what: String = "value of feature 7".into(),
        /// `nan`, `inf`, …
        text: String = "inf".into(),
    },
    /// A number too large for 32 bits.
    #[error("{what} is {text}, beyond the largest 32-bit number (3.4e38)")]
    BeyondF32 {
        /// Whose value.
        what: String = "value of feature 7".into(),
        /// The number as written.
        text: String = "1e39".into(),
    },
    /// A missing value: `NULL`, an empty cell, a null, an unlogged feature.
    #[error("{what} is missing")]
    MissingValue {
        /// Whose value.
        what: String = "value of feature 7".into(),
    },
    /// A label below zero.
    #[error("label {label} is negative")]
    NegativeLabel {
        /// The label.
        label: f32 = -1.0,
    },
    /// A document without a label.
    #[error("document {document} of query {query} has no label")]
    Unjudged {
        /// The document's id.
        document: String = "d12".into(),
        /// Its query.
        query: String = "10032".into(),
    },
    /// A row without a query.
    #[error("this row has no query id")]
    MissingQuery,
    /// A row with another number of cells than the header.
    #[error("this row has {found} cells, and the header has {expected}")]
    RaggedRow {
        /// Cells of the header.
        expected: usize = 46,
        /// Cells of the row.
        found: usize = 45,
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
        format: &'static str = "gzip",
        /// The decoder's message.
        reason: String = "unexpected end of file".into(),
    },
    /// Text that is not UTF-8.
    #[error("this is not UTF-8 text")]
    NotUtf8,
    /// A column that cannot be a feature.
    #[error("column `{column}` holds {kind}, which cannot be a feature")]
    ColumnType {
        /// The column's name.
        column: String = "url".into(),
        /// Its type.
        kind: String = "text".into(),
    },
    /// A required column that does not exist.
    #[error("no {role} column: {reason}")]
    NoColumn {
        /// "label", "query", "document".
        role: &'static str = "label",
        /// What was searched for.
        reason: String = "none of label, relevance and grade is in the header".into(),
    },
    /// Two columns of one name.
    #[error("two columns are called `{column}`")]
    DuplicateColumn {
        /// The name.
        column: String = "bm25".into(),
    },
    /// A column without a name.
    #[error("column {position} has no name")]
    UnnamedColumn {
        /// Its position, from 1.
        position: usize = 3,
    },
    /// No column is left to be a feature.
    #[error("this file has no features")]
    NoFeatures,
    /// Group sizes that do not fit the rows.
    #[error("the query sizes add up to {sizes}, but there are {rows} rows")]
    GroupSizes {
        /// Sum of the side file.
        sizes: u64 = 120,
        /// Rows of the data.
        rows: u64 = 118,
    },
    /// Group sizes for rows that already name their queries.
    #[error("rows name their queries with qid:, and query sizes were given as well")]
    GroupsTwice,
    /// Files with different numbers of features.
    #[error("{} here, {expected} in {other}", counted(*.found, "feature"))]
    FeatureCount {
        /// Features of this file.
        found: usize = 45,
        /// Features of the other.
        expected: usize = 46,
        /// The other file.
        other: String = "train.txt".into(),
    },
    /// Files whose features have different names.
    #[error("feature {position} is called `{found}` here and `{expected}` in {other}")]
    FeatureNames {
        /// Position, from 1.
        position: usize = 3,
        /// Name here.
        found: String = "bm25".into(),
        /// Name in the other file.
        expected: String = "tf".into(),
        /// The other file.
        other: String = "train.txt".into(),
    },
    /// A names file that does not fit the data.
    #[error("{} for {}", counted(*.found, "name"), counted(*.expected, "feature"))]
    NameCount {
        /// Names in the file.
        found: usize = 45,
        /// Features of the data.
        expected: usize = 46,
    },
    /// Scores that do not fit the documents.
    #[error("{} for {}", counted(*.found, "score"), counted(*.documents, "document"))]
    ScoreCount {
        /// Scores in the file.
        found: usize = 1_499,
        /// Documents of the data.
        documents: usize = 1_500,
    },
    /// A run that leaves a document out.
    #[error("there is no score for document {document} of query {query}")]
    MissingScore {
        /// The document's id.
        document: String = "d12".into(),
        /// Its query.
        query: String = "10032".into(),
    },
    /// Two lines that give the same thing different values.
    #[error("the {what} is {found} here and {earlier} before")]
    Contradiction {
        /// "label of document d12 of query 10032", …
        what: String = "label of document d12 of query 10032".into(),
        /// The value here.
        found: String = "2".into(),
        /// The value of the earlier line.
        earlier: String = "0".into(),
    },
    /// A line that names no feature of the data.
    #[error("{fact}")]
    UnknownFeature {
        /// What is wrong with the name, id, range or pattern.
        fact: String = "there is no feature called `bm52`".into(),
        /// Similar names, or the features that exist.
        help: Remedy = "did you mean `bm25`?".into(),
    },
    /// A cost below zero, or something that is not a number.
    #[error("`{text}` is not a valid cost")]
    NotACost {
        /// The text found.
        text: String = "-1".into(),
    },
    /// A line of a file of costs without a cost.
    #[error("`{text}` has no cost")]
    NoCost {
        /// The text found.
        text: String = "bm25".into(),
    },
    /// The dense matrix exceeds the memory limit.
    #[error(
        "{documents} documents × {features} features need {gib:.1} GiB, more than the limit of {limit_gib:.1} GiB"
    )]
    TooLarge {
        /// Documents.
        documents: u64 = 1_200_000,
        /// Features.
        features: u64 = 136,
        /// What they need.
        gib: f64 = 18.2,
        /// What is allowed.
        limit_gib: f64 = 8.0,
    },
    /// A unit that must fit in memory is too long.
    #[error("this {what} is longer than {limit_mib} MiB")]
    TooLong {
        /// "line", "row", "response".
        what: &'static str = "line",
        /// The limit.
        limit_mib: u64 = 64,
    },
    /// A file that must fit in memory as a whole is too long.
    #[error("this file is longer than {limit_mib} MiB")]
    FileTooLong {
        /// The limit.
        limit_mib: u64 = 1_024,
    },
    /// Pages, ids, comments or side files that take more memory than the limit, or a compressed
    /// file that asks for more to be unpacked.
    #[error("this file holds pages, ids or texts that take more than the limit of {limit_mib} MiB")]
    UnpackedTooLarge {
        /// The limit.
        limit_mib: u64 = 1_024,
    },
    /// An id of a Parquet file that is too long.
    #[error("an id of this file is longer than {limit_kib} KiB")]
    IdTooLong {
        /// The limit.
        limit_kib: u64 = 64,
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
        reason: String = "there is no `hits`".into(),
    },
}

impl Problem {
    /// The error for this problem at a place.
    pub fn at(self, at: Location) -> Error {
        Error::Input { problem: self, at: Box::new(at) }
    }
}
