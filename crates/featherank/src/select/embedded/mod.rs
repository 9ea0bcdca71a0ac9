//! Embedded methods: they select features while they train, and return the trained model.

pub mod eg_rank;
pub mod fenchel_rank;
pub mod fsm_rank;
pub mod greedy_rank_rls;
pub(crate) mod held_out;
pub mod l1_svm;
pub mod nonconvex_svm;
mod outcome;
pub(crate) mod path;
#[doc(hidden)] // For tests and benchmarks.
pub mod proximal_newton;
pub mod rank_rwfs;
pub mod rs_rank;
#[doc(hidden)] // For tests and benchmarks.
pub mod sample;
pub(crate) mod tuning;

pub use sample::Standardisation;

/// Radii of ℓ1 balls that are tried.
const RADII: [f64; 8] = [0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0];
