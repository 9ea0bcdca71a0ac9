//! Experiments as papers report them: folds, tuning on validation data, and one look at test data.

mod protocol;

pub use protocol::{FoldOutcome, Protocol, Row};
