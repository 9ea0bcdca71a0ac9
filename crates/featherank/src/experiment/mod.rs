//! Experiments as papers report them: folds, tuning on validation data, and one look at test data.

mod method;
mod plan;
mod protocol;
mod repeats;
mod results;
mod stability;

pub use method::{Method, Selected, Selecting};
pub use plan::{DataPlan, Figures, Plan, RowPlan, SelectPlan};
pub use protocol::{FoldOutcome, Protocol, Row};
pub use repeats::Repeats;
pub use results::{Alike, Cell, CellOutcome, CurvePoint, Done, FoldData, Measured, Resample, Results};
pub use stability::{Agreement, Stability, jaccard};
