//! Passes that need models or losses of rankers, one file each. All others are in
//! [`crate::engine::passes`].

mod leave_query_out;
mod model_measures;
mod ndcg_pairs;
mod pairwise_hinge;

pub use leave_query_out::{AddedFeature, LeaveQueryOut, LeaveQueryOutErrors};
pub use model_measures::{ModelMeasures, ModelValues, PlacedModel, model_measures};
pub use ndcg_pairs::{NdcgPairLoss, NdcgPairs};
pub use pairwise_hinge::{HingeLoss, PairwiseHinge};
