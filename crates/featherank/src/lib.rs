//! featherank: feature selection for learning to rank.

pub mod data;
mod error;
pub mod measure;
pub mod random;
pub mod registry;

pub use error::{Error, Location, Problem, Result, Stop};
