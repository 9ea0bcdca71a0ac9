//! Errors people can act on: what is wrong, where, and what to do about it.

use std::fmt;
use std::path::PathBuf;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong, each with enough to find and repair the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data says something that cannot be right, or that needs the user's word on what it
    /// means.
    #[error("{problem}\n  --> {at}\n  help: {}", problem.help())]
    Input {
        /// What is wrong.
        problem: Problem,
        /// Where it is wrong. Boxed to keep every `Result` small.
        at: Box<Location>,
    },
    /// The operating system refused to read or write.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// "read", "write", "create" …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
    /// A name that the registry does not hold.
    #[error("there is no {kind} called `{name}`{}", did_you_mean(near))]
    Unknown {
        /// "measure", "selector", "ranker", "parameter of …".
        kind: String,
        /// What was asked for.
        name: String,
        /// Names that were perhaps meant.
        near: Vec<String>,
    },
    /// A parameter or option whose value cannot be used.
    #[error("`{value}` is not a valid {what}: {expected}")]
    Invalid {
        /// Which parameter or option.
        what: String,
        /// The value given.
        value: String,
        /// What would be valid.
        expected: String,
    },
    /// Two things that each make sense, but not together.
    #[error("{what}\n  help: {help}")]
    Conflict {
        /// What does not go together.
        what: String,
        /// How to resolve it.
        help: String,
    },
    /// A saved document of a kind or version this release cannot read.
    #[error("{what}\n  --> {}\n  help: {help}", path.display())]
    Document {
        /// What is wrong with it.
        what: String,
        /// The file.
        path: PathBuf,
        /// What to do.
        help: String,
    },
    /// A shard could not do what it was asked.
    #[error("shard {shard}: {message}")]
    Shard {
        /// Its number, from 1.
        shard: usize,
        /// What went wrong there.
        message: String,
    },
    /// The user, a time limit or a signal stopped the work.
    #[error("stopped before the end: {0}")]
    Stopped(Stop),
}

/// Why a run stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C, or the caller's own cancel.
    Interrupted,
    /// The time budget ran out.
    TimeLimit,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Interrupted => "interrupted",
            Stop::TimeLimit => "the time limit was reached",
        })
    }
}

/// Where in the input a problem stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// The file as the user named it; `-` is standard input.
    pub file: String,
    /// Line number, from 1; for Parquet the row number.
    pub line: Option<u64>,
    /// A second place that matters ("first seen at line 40").
    pub note: Option<String>,
}

impl Location {
    /// A whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Location { file: file.into(), line: None, note: None }
    }

    /// A line of a file, counted from 1.
    pub fn line(file: impl Into<String>, line: u64) -> Self {
        Location { file: file.into(), line: Some(line), note: None }
    }

    /// The same place with a remark behind it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.file == "-" { "standard input" } else { &self.file })?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        match &self.note {
            Some(note) => write!(f, " ({note})"),
            None => Ok(()),
        }
    }
}

/// What can be wrong with ranking data. The message says what, [`Problem::help`] what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Rows of one query do not stand together.
    #[error("query {query} appears again after other queries")]
    QueryNotContiguous {
        /// The query's id.
        query: String,
    },
    /// A row has the same feature id twice.
    #[error("feature {id} stands twice in one row")]
    DuplicateFeature {
        /// The id.
        id: u64,
    },
    /// Feature ids of a row go down.
    #[error("feature {id} stands after feature {previous}")]
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
    #[error("feature id {id} is beyond the limit of {limit}")]
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
        /// What stands there.
        text: String,
    },
    /// A token that fits nothing in the grammar.
    #[error("`{text}` is not of the form feature:value")]
    NotAFeature {
        /// What stands there.
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
    /// A value that is not there: `NULL`, an empty cell, a null, an unlogged feature.
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
    #[error("this row has {found} cells, the header {expected}")]
    RaggedRow {
        /// Cells of the header.
        expected: usize,
        /// Cells of the row.
        found: usize,
    },
    /// A table whose first row is data.
    #[error("the first row looks like data, not like column names")]
    NoHeader,
    /// Nothing to rank.
    #[error("there are no documents in this file")]
    Empty,
    /// A file that ends too early or does not decompress.
    #[error("the {format} data is damaged or cut off: {reason}")]
    Damaged {
        /// "gzip", "zstd", "xz", "Parquet", "JSON".
        format: &'static str,
        /// The decoder's own words.
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
    /// A column that was asked for, or is needed, and is not there.
    #[error("no {role} column: {reason}")]
    NoColumn {
        /// "label", "query", "document".
        role: &'static str,
        /// What was looked for.
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
    #[error("there is no feature in this file")]
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
    /// The dense matrix would not fit.
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
    /// A piece that must be in memory as a whole is longer than any sensible one.
    #[error("this {what} is longer than {limit_mib} MiB")]
    TooLong {
        /// "line", "row", "response", "file".
        what: &'static str,
        /// The limit.
        limit_mib: u64,
    },
    /// A quoted cell that goes on to the end of the file.
    #[error("a quote is opened in this row and never closed")]
    UnclosedQuote,
    /// A path where nothing is.
    #[error("there is no such file")]
    NoSuchFile,
    /// A folder where a file is needed.
    #[error("this is a folder, not a file")]
    Folder,
    /// A file whose format is not known from its name.
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
    /// What the user can do about it.
    pub fn help(&self) -> &'static str {
        use Problem::*;
        match self {
            QueryNotContiguous { .. } => {
                "rows of one query must stand together; sort the file by query, or pass --regroup to let featherank do it"
            }
            DuplicateFeature { .. } => "keep one value per feature in each row",
            DescendingFeature { .. } => "sort the features of each row by id, smallest first",
            FeatureZero => "number features from 1, or pass --zero-based if the file counts from 0",
            FeatureBeyondLimit { .. } => {
                "check the row; featherank stores features densely, so hashed ids must be renumbered, or raise --max-feature-id"
            }
            NotANumber { .. } => {
                "write a number such as 3 or 0.25, mark a missing value with NULL, or leave a column of text out with --ignore"
            }
            NotAFeature { .. } => "rows look like `2 qid:7 1:0.5 2:3.1 # comment`",
            NotFinite { .. } => {
                "repair the value, or pass --missing zero to read NaN as 0 and --clip to cut infinities"
            }
            BeyondF32 { .. } => {
                "rescale the feature, or pass --clip to cut such values to the largest 32-bit number"
            }
            MissingValue { .. } => {
                "pass --missing zero to read missing values as 0 or --missing keep to keep them missing, or fill them in"
            }
            NegativeLabel { .. } => {
                "labels are relevance grades from 0 up; if -1 means unjudged, pass --unjudged drop or --unjudged zero"
            }
            Unjudged { .. } => "add the label, or pass --unjudged drop or --unjudged zero",
            MissingQuery => {
                "put qid:<id> after the label, or give the query sizes in a .query or .group file (--group)"
            }
            RaggedRow { .. } => {
                "every row needs as many cells as the header; look for a stray separator or quote"
            }
            NoHeader => "put the column names in the first row",
            Empty => "check the path; the file has no data rows",
            Damaged { .. } => {
                "the file was probably cut off while it was written or copied: fetch or write it again"
            }
            NotUtf8 => "save the file as UTF-8",
            ColumnType { .. } => {
                "leave the column out with --ignore NAME, or convert it to a number"
            }
            NoColumn { .. } => "name it with --label-column, --query-column or --document-column",
            DuplicateColumn { .. } => "rename one of them",
            UnnamedColumn { .. } => {
                "name it in the header; if it is the row index that pandas writes, use to_csv(index=False)"
            }
            NoFeatures => {
                "check --ignore and the column options; at least one numeric column must remain"
            }
            GroupSizes { .. } => {
                "the side file must belong to this data file and hold one query size per line"
            }
            GroupsTwice => "leave out --group: the rows already say which query they belong to",
            FeatureCount { .. } => {
                "use files made with the same features; for sparse text whose last features are all zero pass --missing zero"
            }
            FeatureNames { .. } => "use files made with the same features in the same order",
            NameCount { .. } => {
                "write one name per line, in the order of the feature ids, or `id<TAB>name`"
            }
            ScoreCount { .. } => {
                "scores belong to the documents of the data, in the same order, one a line"
            }
            MissingScore { .. } => {
                "a run must score every document of the data; documents are matched by query and document id"
            }
            TooLarge { .. } => {
                "read fewer features with --ignore, fewer documents, or raise --max-memory; Parquet files are read in pieces with --memory"
            }
            TooLong { what: "file", .. } => {
                "check that it is the right file; a large Parquet file must not be compressed again as a whole"
            }
            TooLong { .. } => {
                "check that the file is of the format its name says, and look for missing line ends or a quote that is never closed"
            }
            UnclosedQuote => {
                "close the quote, or write two quotes for one that belongs to the text; perhaps the file was cut off"
            }
            NoSuchFile => {
                "check the path for a typing mistake, and that it starts from the right folder"
            }
            Folder => "name the files inside it",
            UnknownFormat => "say it with --format letor|csv|tsv|parquet|log",
            NotALog { .. } => {
                "pass the search response that holds the logged features, one JSON document per query"
            }
        }
    }

    /// The error for this problem at a place.
    pub fn at(self, at: Location) -> Error {
        Error::Input { problem: self, at: Box::new(at) }
    }
}

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => String::new(),
        names => format!("\n  help: did you mean {}?", names.join(" or ")),
    }
}

impl Error {
    /// Wraps a system error with what was being done and to which file.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::Io { action, path: path.into(), source }
    }

    /// An option or parameter with a value it cannot have.
    pub fn invalid(
        what: impl Into<String>,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Error::Invalid { what: what.into(), value: value.to_string(), expected: expected.into() }
    }

    /// True for mistakes in how the program was called, as opposed to failures of the work itself.
    pub fn is_usage(&self) -> bool {
        matches!(self, Error::Unknown { .. } | Error::Invalid { .. } | Error::Conflict { .. })
    }
}
