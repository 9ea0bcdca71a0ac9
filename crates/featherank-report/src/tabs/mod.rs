//! The content of the tabs, one file per tab.

pub mod convergence;
pub mod fronts;
pub mod methods;
pub mod queries;
pub mod recommendation;
pub mod redundancy;
pub mod repeat;
pub mod sizes;
pub mod stability;
