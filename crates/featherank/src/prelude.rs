//! What most programs need: `use featherank::prelude::*;`.
//!
//! Every selector and ranker is built with typed setters. A wrapper trains a ranker, which is set by
//! its name or as a built ranker with parameters of its own:
//!
//! ```
//! use featherank::prelude::*;
//!
//! let by_name = RFE::builder().ranker("mart").build()?;
//! assert_eq!(by_name.params().text("settings"), "auto");
//!
//! let ranker = LambdaMART::builder().trees(50).leaves(8).build()?;
//! let with_parameters = RFE::builder().ranker(ranker).build()?;
//! assert_eq!(with_parameters.params().text("ranker"), "lambdamart");
//! assert_eq!(with_parameters.params().text("settings"), "trees=50;leaves=8");
//! # Ok::<(), featherank::Error>(())
//! ```

pub use crate::data::Dataset;
pub use crate::declare::{Builder, Declared, Method};
pub use crate::engine::{Engine, LocalEngine};
pub use crate::error::{Error, Result};
pub use crate::measure::Measure;
pub use crate::rank::linear::ada_rank::{AdaRankMAP, AdaRankNDCG};
pub use crate::rank::linear::coordinate_ascent::CoordinateAscent;
pub use crate::rank::linear::lambda_rank::LambdaRank;
pub use crate::rank::linear::linear_regression::LinearRegression;
pub use crate::rank::linear::listnet::ListNet;
pub use crate::rank::linear::rank_rls::RankRLS;
pub use crate::rank::linear::ranksvm_primal::RankSVMPrimal;
pub use crate::rank::linear::ranksvm_struct::RankSVMStruct;
pub use crate::rank::linear::svm_map::SVMMAP;
pub use crate::rank::single_feature::SingleFeature;
pub use crate::rank::tree::lambda_mart::LambdaMART;
pub use crate::rank::tree::mart::MART;
pub use crate::rank::tree::random_forest::RandomForest;
pub use crate::rank::tree::regression_tree::RegressionTree;
pub use crate::rank::{Model, Ranker};
pub use crate::run::{Constraints, Run};
pub use crate::select::auto::AutoSelector;
pub use crate::select::embedded::eg_rank::EGRank;
pub use crate::select::embedded::fenchel_rank::FenchelRank;
pub use crate::select::embedded::fsm_rank::FSMRank;
pub use crate::select::embedded::greedy_rank_rls::GreedyRankRLS;
pub use crate::select::embedded::l1_svm::L1SVM;
pub use crate::select::embedded::nonconvex_svm::NonconvexSVM;
pub use crate::select::embedded::rank_rwfs::{RankL2AROM, RankRWFSL0, RankRWFSL1};
pub use crate::select::embedded::rs_rank::RSRank;
pub use crate::select::filter::best_gain::BestGain;
pub use crate::select::filter::cfs::CFS;
pub use crate::select::filter::consistency::Consistency;
pub use crate::select::filter::div_fs::DivFS;
pub use crate::select::filter::fcbf::FCBF;
pub use crate::select::filter::gas::GAS;
pub use crate::select::filter::hcas::HCAS;
pub use crate::select::filter::hierarchical::Hierarchical;
pub use crate::select::filter::interact::Interact;
pub use crate::select::filter::mrmr::MRMR;
pub use crate::select::filter::ngas::NGAS;
pub use crate::select::filter::rank_filter::RankFilter;
pub use crate::select::filter::top_k::TopK;
pub use crate::select::filter::xgas::XGAS;
pub use crate::select::wrapper::backward::Backward;
pub use crate::select::wrapper::best_first::BestFirst;
pub use crate::select::wrapper::boruta::Boruta;
pub use crate::select::wrapper::btfs::BTFS;
pub use crate::select::wrapper::greedy::GreedyForward;
pub use crate::select::wrapper::mofsrank::MOFSRank;
pub use crate::select::wrapper::rank_wrapper::RankWrapper;
pub use crate::select::wrapper::rfe::RFE;
pub use crate::select::wrapper::spea2::SPEA2;
pub use crate::select::{Findings, Selection, Selector};
