//! The smallest set of features that is as good as all of them.

mod advice;
mod recommendation;

pub use advice::{Advice, Tried};
pub use recommendation::{Candidate, Demand, Recommendation, Verdict, Yardstick, recommend};
