//! Embedded methods: they select while they train, and leave the model they have trained.

pub mod eg_rank;
pub mod fenchel_rank;
pub mod fsm_rank;
pub mod greedy_rank_rls;
pub mod held_out;
pub mod l1_svm;
pub mod nonconvex_svm;
pub mod path;
pub mod proximal_newton;
pub mod rank_rwfs;
pub mod rs_rank;
pub mod sample;

use crate::params::{Kind, Param};

/// What embedded methods tune themselves by.
const MEASURE: Param = Param {
    name: "measure",
    kind: Kind::Measure,
    default: "map[ties=expected]",
    meaning: "what chooses the model on validation data",
};

/// How features are made comparable.
const SCALE: Param = Param {
    name: "scale",
    kind: Kind::Choice(&["auto", "none", "spread"]),
    default: "auto",
    meaning: "divide features by their standard deviation within queries (spread), or not; auto does where some value is outside 0 to 1",
};

/// Radii of balls that are tried.
const RADII: [f64; 8] = [0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0];

/// The radius of the ball that weights are in.
const RADIUS: Param = Param {
    name: "r",
    kind: Kind::Auto { min: 1e-9, max: 1e9 },
    default: "auto",
    meaning: "the most that the sizes of the weights may sum to; chosen on validation data unless set",
};
