//! Linear rankers: one weight per feature.

pub(crate) mod ada_rank;
pub(crate) mod cholesky;
pub(crate) mod coordinate_ascent;
pub(crate) mod cutting_plane;
pub(crate) mod design;
pub(crate) mod gram_solver;
pub(crate) mod lambda_rank;
pub(crate) mod least_squares;
mod linear_model;
pub(crate) mod linear_regression;
pub(crate) mod listnet;
pub(crate) mod newton;
pub(crate) mod pair_free;
pub(crate) mod rank_rls;
pub(crate) mod ranksvm_primal;
pub(crate) mod ranksvm_struct;
mod simplex_qp;
pub(crate) mod svm_map;
mod sweep;
pub(crate) mod validation;

pub use linear_model::{FeatureWeight, LinearModel};
