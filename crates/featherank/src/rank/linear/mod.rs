//! Linear rankers: a weight a feature.

mod cholesky;
pub mod cutting_plane;
pub mod design;
pub mod gram_solver;
mod linear_model;
pub mod linear_regression;
pub mod newton;
pub mod pair_free;
pub mod rank_rls;
pub mod ranksvm_primal;
pub mod ranksvm_struct;
mod simplex_qp;
pub mod svm_map;

pub use linear_model::LinearModel;
