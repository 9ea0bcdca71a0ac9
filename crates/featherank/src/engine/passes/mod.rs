//! The passes, one file each: what a block of queries answers, and how two answers become one.

mod feature_measures;
mod gram;
mod moments;

pub use feature_measures::FeatureMeasures;
pub use gram::{Centring, Gram, GramPass};
pub use moments::{FeatureMoments, Moments};
