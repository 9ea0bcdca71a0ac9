//! Experiments as papers report them: folds, tuning on validation data, and one look at test data.
//!
//! [`Plan`] says what is compared, [`Comparison`] runs it cell by cell in a [`ResultsFolder`],
//! [`Results`] is what was found, and [`tables()`] shows it.

mod alike;
mod cell;
mod comparison;
mod crossing;
mod draws;
mod figures;
mod fold_data;
mod folder;
mod memory;
mod method;
mod plan;
mod protocol;
mod repeats;
mod results;
mod row_plan;
mod source;
mod stability;
mod tables;
mod words;
mod work;

pub use comparison::{Comparison, Listener, News};
pub use figures::Figures;
pub use folder::ResultsFolder;
pub use method::{Method, Selected, Selecting};
pub use plan::{DataPlan, Plan};
pub use protocol::{FoldOutcome, Protocol, Row};
pub use repeats::Repeats;
pub use results::{
    Alike, Cell, CellOutcome, CurvePoint, Done, FoldData, Measured, Resample, Results,
};
pub use row_plan::{RowPlan, SelectPlan};
pub use source::FoldSource;
pub use stability::{Agreement, Stability, jaccard};
pub use tables::{Form, Table, tables};
pub use words::{Word, split_outside_brackets};
