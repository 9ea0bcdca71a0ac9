//! The passes of the library: requests about the rows behind an engine, and their answers, from
//! which methods compute what they need. [`Moments`] and [`Gram`] are the usual
//! starting points; a crate may add its own by implementing [`Pass`](super::Pass).

mod correlations;
mod feature_measures;
mod gram;
mod kendall;
mod labels;
mod linear_measures;
mod merge_gains;
mod moments;
mod query_values;
mod rankings;
mod relief;
mod top_overlap;

pub use correlations::{Correlation, CorrelationSums, Correlations};
pub(crate) use correlations::{mean_ranks, standardise};
pub use feature_measures::{FeatureMeans, FeatureMeasures, feature_means};
pub use gram::{Centring, Gram, GramSums};
pub(crate) use kendall::KendallColumns;
pub use kendall::kendall_tau_b;
pub use labels::{LabelCount, LabelStatistics, Labels};
pub use linear_measures::{LinearMeans, LinearMeasures};
pub use merge_gains::{MergeGains, MergeSums};
pub use moments::{FeatureMoments, FeatureStatistics, Moments};
pub(crate) use query_values::append_queries;
pub use query_values::{MeasureSums, QueryValues};
pub use relief::{Relief, ReliefSums};
