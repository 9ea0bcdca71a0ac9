//! Linear rankers: a weight a feature.

pub mod design;
mod linear_model;

pub use linear_model::LinearModel;
