//! Embedded methods: they select while they train, and leave the model they have trained.

pub mod held_out;
pub mod l1_svm;
pub mod path;
pub mod proximal_newton;
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
