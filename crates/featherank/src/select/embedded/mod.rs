//! Embedded methods: they select features while they train, and return the trained model.

pub(super) mod eg_rank;
pub(super) mod fenchel_rank;
pub(super) mod fsm_rank;
pub(super) mod greedy_rank_rls;
pub(crate) mod held_out;
pub(super) mod l1_svm;
pub(super) mod nonconvex_svm;
mod outcome;
pub(crate) mod path;
mod path_progress;
pub(crate) mod proximal_newton;
pub(crate) mod rank_rwfs;
pub(super) mod rs_rank;
pub(crate) mod sample;
pub(crate) mod tuning;

/// Radii of ℓ1 balls that are tried.
const RADII: [f64; 8] = [0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0];
