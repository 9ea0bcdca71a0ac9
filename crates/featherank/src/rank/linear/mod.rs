//! Linear rankers: one weight per feature.

pub mod ada_rank;
pub(crate) mod cholesky;
pub mod coordinate_ascent;
pub mod cutting_plane;
pub mod design;
pub mod gram_solver;
pub mod lambda_rank;
pub mod least_squares;
mod linear_model;
pub mod linear_regression;
pub mod listnet;
pub mod newton;
pub mod pair_free;
pub mod rank_rls;
pub mod ranksvm_primal;
pub mod ranksvm_struct;
mod simplex_qp;
pub mod svm_map;
mod sweep;
pub mod validation;

pub use linear_model::LinearModel;
