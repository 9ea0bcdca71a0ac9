//! Linear rankers: one weight per feature.

pub mod ada_rank;
pub(crate) mod cholesky;
pub mod coordinate_ascent;
#[doc(hidden)] // For tests.
pub mod cutting_plane;
#[doc(hidden)] // For tests and benchmarks.
pub mod design;
#[doc(hidden)] // For tests and benchmarks.
pub mod gram_solver;
pub mod lambda_rank;
pub(crate) mod least_squares;
mod linear_model;
pub mod linear_regression;
pub mod listnet;
#[doc(hidden)] // For tests and benchmarks.
pub mod newton;
#[doc(hidden)] // For tests.
pub mod pair_free;
pub mod rank_rls;
pub mod ranksvm_primal;
pub mod ranksvm_struct;
mod simplex_qp;
pub mod svm_map;
mod sweep;
pub(crate) mod validation;

pub use linear_model::{LinearModel, Weight};
