//! The passes, one file each: what a block of queries answers, and how two answers become one.

mod correlations;
mod feature_measures;
mod gram;
mod kendall;
mod leave_query_out;
mod linear_measures;
mod merge_gains;
mod moments;
mod ndcg_pairs;
mod pairwise_hinge;
mod rankings;
mod relief;
mod top_overlap;

pub use correlations::{Correlation, Correlations, CorrelationsPass};
pub(crate) use correlations::{mean_ranks, standardise};
pub use feature_measures::FeatureMeasures;
pub use gram::{Centring, Gram, GramPass};
pub(crate) use kendall::KendallColumns;
pub use kendall::kendall_tau_b;
pub use leave_query_out::{LeaveQueryOut, LeaveQueryOutPass};
pub use linear_measures::{LinearMeasures, LinearMeasuresPass};
pub(crate) use merge_gains::MergeMemory;
pub use merge_gains::{MergeGains, MergeGainsPass};
pub use moments::{FeatureMoments, Moments};
pub use ndcg_pairs::{NdcgPairs, NdcgPairsPass};
pub use pairwise_hinge::{PairwiseHinge, PairwiseHingePass};
pub use relief::{QuerySample, Relief, ReliefPass};

use crate::data::View;

/// The queries of a block that are not left out, by their keys, which ascend.
pub(crate) fn without<'a>(block: &View<'a>, leave_out: &[u64]) -> View<'a> {
    if leave_out.is_empty() {
        return block.clone();
    }
    let queries = block.data().queries();
    let stays = |&q: &usize| leave_out.binary_search(&queries.key(q)).is_err();
    block.with_queries(block.queries().filter(stays).collect::<Vec<_>>())
}
