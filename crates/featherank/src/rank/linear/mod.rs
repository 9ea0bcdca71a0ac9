//! Linear rankers: a weight a feature.

pub mod ada_rank;
pub mod coordinate_ascent;
pub mod design;
pub mod lambda_rank;
mod linear_model;
pub mod listnet;
pub mod validation;

pub use linear_model::LinearModel;
