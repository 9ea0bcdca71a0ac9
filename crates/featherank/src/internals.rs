//! What the front ends, tests and benchmarks of this workspace use besides the public API.
//!
//! This module is exempt from semantic versioning: any release may change or remove its contents.
//! Modules are those of the same name, shown as a whole.

pub use crate::data::paths::{PathRole, PathUse, check_paths};
pub use crate::data::read::{guessed_separator, read_like_until, read_until};
pub use crate::data::write::{
    check_target, discard_unfinished_writes, write_atomically, write_bytes,
};
pub use crate::declare::names::{hyphenated, plain};
pub use crate::document::resealed;
pub use crate::engine::block::answer_view;
pub use crate::engine::part::JoinedEngine;
pub use crate::evaluate::letters::{beaten, check_level, letter};
#[cfg(feature = "experiments")]
pub use crate::experiment::method_expression::split_outside_brackets;
pub use crate::rank::linear::ranksvm_struct::PairHinge;
pub use crate::rank::linear::svm_map::AveragePrecisionRisk;
pub use crate::redundancy::file::FileForm;
pub use crate::redundancy::thresholds::{INFLATED, reaches};
pub use crate::select::filter::cfs::CFSMerit;
pub use crate::select::filter::consistency::ConsistencyMerit;
#[cfg(feature = "shards")]
pub use crate::shards::costs::{CostedEngine, PassCost};
#[cfg(feature = "shards")]
pub use crate::shards::stream::parts_beyond_memory;

/// The remedy for errors that are defects.
pub const REPORT_DEFECT: &str = crate::error::REPORT_DEFECT;

/// One problem of each kind, for tests of front ends.
pub fn problem_examples() -> Vec<crate::Problem> {
    crate::Problem::examples()
}

pub mod random {
    pub use crate::random::*;
}
pub mod shell {
    pub use crate::shell::*;
}
pub mod text {
    pub use crate::text::*;
}
pub mod evolve {
    pub use crate::evolve::*;
}
pub mod lambda {
    pub use crate::rank::lambda::*;
}
pub mod rank_passes {
    pub use crate::rank::passes::*;
}
pub mod reduction {
    pub use crate::rank::reduction::*;
}
pub mod cutting_plane {
    pub use crate::rank::linear::cutting_plane::*;
}
pub mod design {
    pub use crate::rank::linear::design::*;
}
pub mod gram_solver {
    pub use crate::rank::linear::gram_solver::*;
}
pub mod listnet {
    pub use crate::rank::linear::listnet::*;
}
pub mod newton {
    pub use crate::rank::linear::newton::*;
}
pub mod pair_free {
    pub use crate::rank::linear::pair_free::*;
}
pub mod search {
    pub use crate::select::search::*;
}
pub mod discrete {
    pub use crate::select::filter::discrete::*;
}
pub mod fcbf {
    pub use crate::select::filter::fcbf::*;
}
pub mod interact {
    pub use crate::select::filter::interact::*;
}
pub mod proximal_newton {
    pub use crate::select::embedded::proximal_newton::*;
}
pub mod rank_rwfs {
    pub use crate::select::embedded::rank_rwfs::*;
}
pub mod sample {
    pub use crate::select::embedded::sample::*;
}
