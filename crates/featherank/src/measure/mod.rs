//! Measures of rankings, of risk, and the tests that compare them.

pub mod risk;
pub mod significance;
