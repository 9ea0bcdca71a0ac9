//! The passes, one file each: what a block of queries answers, and how two answers become one.

mod correlations;
mod feature_measures;
mod gram;
mod kendall;
mod labels;
mod leave_query_out;
mod linear_measures;
mod means;
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
pub use feature_measures::FeatureMeasures;
pub use gram::{Centring, Gram, GramPass};
pub(crate) use kendall::KendallColumns;
pub use kendall::kendall_tau_b;
pub use labels::{LabelCount, Labels};
pub use leave_query_out::{LeaveQueryOut, LeaveQueryOutPass};
pub use linear_measures::{LinearMeasures, LinearMeasuresPass};
pub use means::Means;
pub(crate) use merge_gains::MergeMemory;
pub use merge_gains::{MergeGains, MergeGainsPass};
pub use model_measures::{ModelMeasures, ModelMeasuresPass, PlacedModel};
pub use moments::{FeatureMoments, Moments};
pub use ndcg_pairs::{NdcgPairs, NdcgPairsPass};
pub use pairwise_hinge::{PairwiseHinge, PairwiseHingePass};
pub use relief::{QuerySample, Relief, ReliefPass};

use serde::{Deserialize, Serialize};

use super::{Drawn, Pass};
use crate::data::View;

/// A request to some of the queries. What is answered for each query is answered for those alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartPass {
    /// Which queries: those that are in all of these.
    pub parts: Vec<Drawn>,
    /// What they are asked.
    pub pass: Box<Pass>,
}

impl PartPass {
    /// The queries of a block that are asked.
    pub(crate) fn of<'a>(&self, block: &View<'a>) -> View<'a> {
        let queries = block.data().queries();
        let is_asked = |&q: &usize| self.parts.iter().all(|part| part.has(queries.key(q)));
        block.with_queries(block.queries().filter(is_asked).collect::<Vec<_>>())
    }
}
