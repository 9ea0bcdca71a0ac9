//! The passes, one file each: what a block of queries answers, and how two answers become one.

mod correlations;
mod feature_measures;
mod gram;
mod kendall;
mod labels;
mod leave_query_out;
mod linear_measures;
mod merge_gains;
mod model_measures;
mod moments;
mod ndcg_pairs;
mod pairwise_hinge;
mod rankings;
mod relief;
mod top_overlap;

pub use correlations::{Correlation, Correlations, CorrelationsPass};
pub(crate) use correlations::{mean_ranks, standardise};
pub use feature_measures::{FeatureMeans, FeatureMeasures};
pub use gram::{Centring, Gram, GramPass};
pub(crate) use kendall::KendallColumns;
pub use kendall::kendall_tau_b;
pub use labels::{LabelCount, Labels};
pub use leave_query_out::{LeaveQueryOut, LeaveQueryOutPass};
pub use linear_measures::{LinearMeasures, LinearMeasuresPass};
pub(crate) use merge_gains::MergeMemory;
pub use merge_gains::{MergeGains, MergeGainsPass};
pub use model_measures::{ModelMeasures, ModelMeasuresPass, PlacedModel};
pub use moments::{FeatureMoments, Moments};
pub use ndcg_pairs::{NdcgPairs, NdcgPairsPass};
pub use pairwise_hinge::{PairwiseHinge, PairwiseHingePass};
pub use relief::{QuerySample, Relief, ReliefPass};

use serde::{Deserialize, Serialize};

use super::Pass;
use crate::data::View;

/// A request to the queries that are not left out. What is answered for each query is answered for those alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WithoutPass {
    /// Keys of queries that do not count ([`super::Schema::query_keys`]), ascending.
    pub leave_out: Vec<u64>,
    /// What the others are asked.
    pub pass: Box<Pass>,
}

/// The queries of a block that are not left out, by their keys, which ascend.
pub(crate) fn without<'a>(block: &View<'a>, leave_out: &[u64]) -> View<'a> {
    if leave_out.is_empty() {
        return block.clone();
    }
    let queries = block.data().queries();
    let stays = |&q: &usize| leave_out.binary_search(&queries.key(q)).is_err();
    block.with_queries(block.queries().filter(stays).collect::<Vec<_>>())
}
