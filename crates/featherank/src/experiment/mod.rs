//! Experiments as papers report them: folds, tuning on validation data, and one look at test data.

mod plan;
mod protocol;

pub use plan::{DataPlan, Figures, Plan, RowPlan};
pub use protocol::{FoldOutcome, Protocol, Row};
