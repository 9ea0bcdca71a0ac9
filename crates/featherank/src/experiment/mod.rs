//! Experiments with cross-validation: parameters are tuned on validation data, and each model is
//! evaluated once on test data.
//!
//! A [`Plan`] describes what to compare, a [`ComparisonJob`] opens it with its data, a
//! [`Comparison`] runs it cell by cell in a [`ResultsFolder`], [`Results`] holds the outcome, and
//! [`tables()`] formats it.

mod bootstrap;
mod cell;
mod comparison;
mod comparison_run;
mod consistency;
mod crossing;
mod fold_data;
mod folder;
mod job;
mod memory;
mod method;
pub(crate) mod method_expression;
mod plan;
mod protocol;
mod repeats;
mod results;
mod row_plan;
mod similarity;
mod source;
mod stability;
mod tables;

pub use comparison::{Comparison, ComparisonEvent, EventHandler};
pub use folder::ResultsFolder;
pub use job::{ComparisonData, ComparisonJob, FeatureCosts};
pub use method::{ComparedMethod, ConfiguredSelector, FoldSelection};
pub use method_expression::MethodExpression;
pub use plan::{DataPlan, Plan};
pub use protocol::{FoldOutcome, Protocol, Row};
pub use repeats::Repeats;
pub use results::{
    CellOutcome, ComparisonCell, CompletedCell, CurvePoint, FeatureSimilarity, FoldData, Resample,
    ResourceUsage, Results,
};
pub use row_plan::{RowPlan, SelectPlan};
pub use source::FoldSource;
pub use stability::{Agreement, Stability, jaccard};
pub use tables::{Table, TableFormat, tables, text_tables, verdict};
