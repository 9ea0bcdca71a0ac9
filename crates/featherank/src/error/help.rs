//! What to do about each problem of the data: one line per problem, with the longer remedies below,
//! grouped by what they are about.

use super::{Problem, Remedy};
use crate::remedy;

impl Problem {
    /// What the user can do about it.
    pub fn remedy(&self) -> Remedy {
        use Problem as P;
        match self {
            P::QueryNotContiguous { .. } => remedy!["sort the rows by query, or ", Regroup.set()],
            P::QueryNotContiguousInPieces { column, .. } => rows::sort_parquet(column),
            P::MissingQuery => rows::name_queries(),
            P::GroupSizes { .. } => "use the query sizes of this data, one size per line".into(),
            P::GroupsTwice => remedy!["leave out ", Group, ": the rows already name their queries"],
            P::RaggedRow { .. } => rows::equal_cells(),
            P::UnclosedQuote => rows::close_quote(),
            P::TooLong { .. } => rows::line_ends(),
            P::NegativeLabel { .. } => rows::grades(),
            P::Unjudged { .. } => rows::judge(),
            P::ScoreCount { .. } => "write one score per line, in the order of the data".into(),
            P::MissingScore { .. } => rows::score_all(),
            P::Contradiction { .. } => "keep one of the two lines".into(),
            P::UnknownFeature { help, .. } => help.clone(),
            P::NotACost { .. } => "every cost is a number of 0 or more".into(),
            P::NoCost { .. } => features::cost_each(),
            P::DuplicateFeature { .. } => "keep one value per feature in each row".into(),
            P::DescendingFeature { .. } => "sort the features of each row by id, ascending".into(),
            P::FeatureZero => features::from_one(),
            P::FeatureBeyondLimit { .. } => features::dense_ids(),
            P::NotAFeature { .. } => "rows look like `2 qid:7 1:0.5 2:3.1 # comment`".into(),
            P::NoFeatures => features::at_least_one(),
            P::FeatureCount { .. } => features::same_number(),
            P::FeatureNames { .. } => "use files with the same features in the same order".into(),
            P::NameCount { .. } => features::name_each(),
            P::NotFinite { what, .. } | P::BeyondF32 { what, .. } | P::NotANumber { what, .. }
                if what == "label" =>
            {
                "labels are relevance grades from 0 up; correct the label".into()
            }
            P::NotFinite { what, .. } | P::BeyondF32 { what, .. } if what == "score" => {
                "scores are finite 32-bit numbers; rescale or correct them".into()
            }
            P::NotANumber { .. } => values::number(),
            P::NotFinite { .. } => values::finite(),
            P::BeyondF32 { .. } => values::in_range(),
            P::MissingValue { .. } => values::missing(),
            P::NoHeader => "put the column names in the first row".into(),
            P::ColumnType { .. } => columns::numeric(),
            P::NoColumn { .. } => columns::name_role(),
            P::DuplicateColumn { .. } => "rename one of them".into(),
            P::UnnamedColumn { .. } => columns::name_it(),
            P::Empty => "check the path; the file has no data rows".into(),
            P::Damaged { .. } => files::fetch_again(),
            P::NotUtf8 => "save the file as UTF-8".into(),
            P::TooLarge { .. } | P::UnpackedTooLarge { .. } => files::read_less(),
            P::IdTooLong { .. } => "shorten the ids, or name another column for them".into(),
            P::FileTooLong { .. } => files::not_compressed_as_a_whole(),
            P::NoSuchFile => "check the path and the current folder".into(),
            P::Folder => "name the files inside it".into(),
            P::UnknownFormat => files::name_format(),
            P::NotALog { .. } => files::search_response(),
        }
    }
}

/// Rows, queries, labels and scores.
mod rows {
    use super::*;

    pub fn sort_parquet(column: &str) -> Remedy {
        format!(
            "sort the rows by query once: python -c \"import polars as pl; \
             pl.scan_parquet('data/*.parquet').sort('{column}').sink_parquet('sorted.parquet')\""
        )
        .into()
    }

    pub fn name_queries() -> Remedy {
        remedy![
            "put qid:<id> after the label; if the query sizes are in a .query or .group file, ",
            Group.set()
        ]
    }

    pub fn equal_cells() -> Remedy {
        "every row needs as many cells as the header; look for a stray separator or quote".into()
    }

    pub fn close_quote() -> Remedy {
        "close the quote, or double a quote that belongs to the text; the file may be truncated"
            .into()
    }

    pub fn line_ends() -> Remedy {
        "check that the file has the format that its name says, and look for missing line ends or \
         an unclosed quote"
            .into()
    }

    pub fn grades() -> Remedy {
        remedy![
            "labels are relevance grades from 0 up; if -1 means unjudged, ",
            UnjudgedDropped.set(),
            " or ",
            UnjudgedAsZero.set()
        ]
    }

    pub fn judge() -> Remedy {
        remedy!["add the label, ", UnjudgedDropped.set(), ", or ", UnjudgedAsZero.set()]
    }

    pub fn score_all() -> Remedy {
        "a run must score every document of the data; documents are matched by query and document id"
            .into()
    }
}

/// Feature ids, numbers and names.
mod features {
    use super::*;

    pub fn from_one() -> Remedy {
        remedy!["number the features from 1; if the file counts from 0, ", ZeroBased.set()]
    }

    pub fn dense_ids() -> Remedy {
        remedy![
            "check the row; features are stored densely, so renumber hashed ids, or raise ",
            MaxFeatureId
        ]
    }

    pub fn at_least_one() -> Remedy {
        remedy![
            "at least one numeric column must remain; check ",
            Ignore,
            " and the names of the label, query and document columns"
        ]
    }

    pub fn same_number() -> Remedy {
        remedy![
            "use files with the same features; for sparse text whose last features are all 0, ",
            MissingAsZero.set()
        ]
    }

    pub fn cost_each() -> Remedy {
        "write a feature and its cost in every line, such as `bm25 2.5`".into()
    }

    pub fn name_each() -> Remedy {
        "write one name per line, in the order of the feature ids, or `id<TAB>name`".into()
    }
}

/// Values of features.
mod values {
    use super::*;

    pub fn number() -> Remedy {
        remedy![
            "write a number such as 3 or 0.25, or NULL for a missing value; to leave out a column \
             of text, ",
            Ignore.set()
        ]
    }

    pub fn finite() -> Remedy {
        remedy![
            "correct the value; to read NaN as 0, ",
            MissingAsZero.set(),
            "; to clip infinities, ",
            Clip.set()
        ]
    }

    pub fn in_range() -> Remedy {
        remedy![
            "rescale the feature; to clip such values to the largest 32-bit number, ",
            Clip.set()
        ]
    }

    pub fn missing() -> Remedy {
        remedy![
            "fill in the value; to read missing values as 0, ",
            MissingAsZero.set(),
            "; to keep them missing, ",
            MissingKept.set()
        ]
    }
}

/// Columns of tables.
mod columns {
    use super::*;

    pub fn numeric() -> Remedy {
        remedy!["convert the column to numbers; to leave it out, ", Ignore.set()]
    }

    pub fn name_role() -> Remedy {
        remedy!["name the column with ", LabelColumn, ", ", QueryColumn, " or ", DocumentColumn]
    }

    pub fn name_it() -> Remedy {
        "name it in the header; if it is a row index, write the file without the index".into()
    }
}

/// Files as a whole.
mod files {
    use super::*;

    pub fn fetch_again() -> Remedy {
        "the file was probably truncated while it was written or copied; fetch it again".into()
    }

    pub fn read_less() -> Remedy {
        remedy![
            "read fewer features with ",
            Ignore,
            ", read fewer documents, or raise ",
            MaxMemory,
            "; Parquet files can be read in pieces with ",
            Memory
        ]
    }

    pub fn not_compressed_as_a_whole() -> Remedy {
        "check that it is the right file; do not compress a large Parquet file as a whole".into()
    }

    pub fn name_format() -> Remedy {
        remedy!["name the format (letor, csv, tsv, parquet or log) with ", Format]
    }

    pub fn search_response() -> Remedy {
        "pass the search response that holds the logged features, one JSON document per query"
            .into()
    }
}
