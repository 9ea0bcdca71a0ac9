//! Filters: methods that look at features without training a ranker.

pub mod best_gain;
pub mod div_fs;
pub mod gas;
pub mod mrmr;
pub mod similarity;
pub mod top_k;
mod trade_off;
