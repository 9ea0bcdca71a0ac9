//! Filters: methods that look at features without training a ranker.

mod candidates;
pub mod cfs;
pub mod consistency;
pub mod discrete;
pub mod fcbf;
pub mod interact;
pub mod top_k;
