//! The passes of the library: requests about the rows behind an engine, and their answers, from
//! which methods compute what they need. [`Moments`] and [`Gram`] are the usual starting points; a
//! crate may add its own by implementing [`Pass`](super::Pass).

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

pub(crate) use correlations::{mean_ranks, standardise};
pub use feature_measures::feature_means;
pub(crate) use kendall::KendallColumns;
pub use kendall::kendall_tau_b;
pub(crate) use query_values::append_queries;
pub use query_values::{MeasureSums, QueryValues};

/// Lists passes: a module, its passes in brackets, and the other types of the module. Exports all
/// of them, and makes `visit_passes`, from which shards know them.
macro_rules! passes {
    ($($module:ident: [$($pass:ident),+] $(, $other:ident)*;)+) => {
        $(pub use $module::{$($pass,)+ $($other,)*};)+

        /// Shows all passes of this module to a visitor.
        #[cfg(feature = "shards")]
        pub(crate) fn visit_passes(visitor: &mut impl $crate::engine::PassVisitor) {
            $($(visitor.visit::<$pass>();)+)+
        }
    };
}
pub(crate) use passes;

passes! {
    correlations: [Correlations], Correlation, CorrelationSums;
    feature_measures: [FeatureMeans, FeatureMeasures];
    gram: [Gram], Centring, GramSums;
    labels: [Labels], LabelCount, LabelStatistics;
    linear_measures: [LinearMeans, LinearMeasures];
    merge_gains: [MergeGains], MergeSums;
    moments: [Moments], FeatureMoments, FeatureStatistics;
    relief: [Relief], ReliefSums;
}
