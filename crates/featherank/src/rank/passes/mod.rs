//! Passes that need models or losses of rankers, one file each. All others are in
//! [`crate::engine::passes`].

mod leave_query_out;
mod model_measures;
mod ndcg_pairs;
mod pairwise_hinge;

pub use model_measures::model_measures;

crate::engine::passes::passes! {
    leave_query_out: [LeaveQueryOut], AddedFeature, LeaveQueryOutErrors;
    model_measures: [ModelMeasures], ModelValues, PlacedModel;
    ndcg_pairs: [NdcgPairs], NdcgPairLoss;
    pairwise_hinge: [PairwiseHinge], HingeLoss;
}
