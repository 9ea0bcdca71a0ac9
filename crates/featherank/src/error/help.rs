//! What to do about each problem of the data.

use super::{Problem, Remedy};
use crate::remedy;

impl Problem {
    /// What the user can do about it.
    pub fn remedy(&self) -> Remedy {
        use Problem as P;
        match self {
            P::QueryNotContiguous { .. } => {
                remedy!["sort the rows by query, or ", Regroup.set()]
            }
            P::QueryNotContiguousInPieces { column, .. } => format!(
                "sort the rows by query once: python -c \"import polars as pl; \
                 pl.scan_parquet('data/*.parquet').sort('{column}')\
                 .sink_parquet('sorted.parquet')\""
            )
            .into(),
            P::DuplicateFeature { .. } => "keep one value per feature in each row".into(),
            P::DescendingFeature { .. } => {
                "sort the features of each row by id, smallest first".into()
            }
            P::FeatureZero => {
                remedy!["number the features from 1; if the file counts from 0, ", ZeroBased.set()]
            }
            P::FeatureBeyondLimit { .. } => remedy![
                "check the row; features are stored densely, so renumber hashed ids, or raise ",
                MaxFeatureId
            ],
            P::NotANumber { .. } => remedy![
                "write a number such as 3 or 0.25, or NULL for a missing value; \
                 to leave out a column of text, ",
                Ignore.set()
            ],
            P::NotAFeature { .. } => "rows look like `2 qid:7 1:0.5 2:3.1 # comment`".into(),
            P::NotFinite { .. } => remedy![
                "correct the value; to read NaN as 0, ",
                MissingAsZero.set(),
                "; to clip infinities, ",
                Clip.set()
            ],
            P::BeyondF32 { .. } => remedy![
                "rescale the feature; to clip such values to the largest 32-bit number, ",
                Clip.set()
            ],
            P::MissingValue { .. } => remedy![
                "fill in the value; to read missing values as 0, ",
                MissingAsZero.set(),
                "; to keep them missing, ",
                MissingKept.set()
            ],
            P::NegativeLabel { .. } => remedy![
                "labels are relevance grades from 0 up; if -1 means unjudged, ",
                UnjudgedDropped.set(),
                " or ",
                UnjudgedAsZero.set()
            ],
            P::Unjudged { .. } => {
                remedy!["add the label, ", UnjudgedDropped.set(), ", or ", UnjudgedAsZero.set()]
            }
            P::MissingQuery => remedy![
                "put qid:<id> after the label; if the query sizes are in a .query or .group file, ",
                Group.set()
            ],
            P::RaggedRow { .. } => {
                "every row needs as many cells as the header; look for a stray separator or quote"
                    .into()
            }
            P::NoHeader => "put the column names in the first row".into(),
            P::Empty => "check the path; the file has no data rows".into(),
            P::Damaged { .. } => {
                "the file was probably truncated while it was written or copied; fetch it again"
                    .into()
            }
            P::NotUtf8 => "save the file as UTF-8".into(),
            P::ColumnType { .. } => {
                remedy!["convert the column to numbers; to leave it out, ", Ignore.set()]
            }
            P::NoColumn { .. } => remedy![
                "name the column with ",
                LabelColumn,
                ", ",
                QueryColumn,
                " or ",
                DocumentColumn
            ],
            P::DuplicateColumn { .. } => "rename one of them".into(),
            P::UnnamedColumn { .. } => {
                "name it in the header; if it is the row index that pandas writes, \
                 use to_csv(index=False)"
                    .into()
            }
            P::NoFeatures => remedy![
                "at least one numeric column must remain; check ",
                Ignore,
                " and the names of the label, query and document columns"
            ],
            P::GroupSizes { .. } => {
                "the sizes must belong to this data, one query size per line".into()
            }
            P::GroupsTwice => {
                remedy!["leave out ", Group, ": the rows already name their queries"]
            }
            P::FeatureCount { .. } => remedy![
                "use files with the same features; for sparse text whose last features are all 0, ",
                MissingAsZero.set()
            ],
            P::FeatureNames { .. } => "use files with the same features in the same order".into(),
            P::NameCount { .. } => {
                "write one name per line, in the order of the feature ids, or `id<TAB>name`".into()
            }
            P::ScoreCount { .. } => {
                "write one score per line, in the order of the documents of the data".into()
            }
            P::MissingScore { .. } => {
                "a run must score every document of the data; documents are matched by query and \
                 document id"
                    .into()
            }
            P::TooLarge { .. } => remedy![
                "read fewer features with ",
                Ignore,
                ", read fewer documents, or raise ",
                MaxMemory,
                "; Parquet files can be read in pieces with ",
                Memory
            ],
            P::TooLong { what: "file", .. } => {
                "check that it is the right file; do not compress a large Parquet file as a whole"
                    .into()
            }
            P::TooLong { .. } => {
                "check that the file has the format that its name says, and look for missing line \
                 ends or an unclosed quote"
                    .into()
            }
            P::UnclosedQuote => {
                "close the quote, or double a quote that belongs to the text; the file may be \
                 truncated"
                    .into()
            }
            P::NoSuchFile => "check the path and the current folder".into(),
            P::Folder => "name the files inside it".into(),
            P::UnknownFormat => {
                remedy!["name the format (letor, csv, tsv, parquet or log) with ", Format]
            }
            P::NotALog { .. } => {
                "pass the search response that holds the logged features, one JSON document per \
                 query"
                    .into()
            }
        }
    }
}
