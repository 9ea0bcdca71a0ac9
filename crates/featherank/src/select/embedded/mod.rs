//! Embedded methods: they select features while they train, and return the trained model.

pub mod eg_rank;
pub mod fenchel_rank;
pub mod fsm_rank;
pub mod greedy_rank_rls;
pub mod held_out;
pub mod l1_svm;
pub mod nonconvex_svm;
mod outcome;
pub mod path;
pub mod proximal_newton;
pub mod rank_rwfs;
pub mod rs_rank;
pub mod sample;
pub mod tuning;

/// Radii of ℓ1 balls that are tried.
const RADII: [f64; 8] = [0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0];
