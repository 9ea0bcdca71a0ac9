//! What most programs need: `use featherank::prelude::*;`.
//!
//! Every selector and ranker is built with typed setters. A wrapper trains a ranker, which is set
//! by its name or as a built ranker with parameters of its own:
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
pub use crate::rank::{
    AdaRankMAP, AdaRankNDCG, CoordinateAscent, LambdaMART, LambdaRank, LinearRegression, ListNet,
    MART, RandomForest, RankRLS, RankSVMPrimal, RankSVMStruct, RegressionTree, SVMMAP,
    SingleFeature,
};
pub use crate::rank::{Model, Ranker};
pub use crate::run::{Constraints, Run};
pub use crate::select::{
    AutoSelector, BTFS, Backward, BestFirst, BestGain, Boruta, CFS, Consistency, DivFS, EGRank,
    FCBF, FSMRank, FenchelRank, GAS, GreedyForward, GreedyRankRLS, HCAS, Hierarchical, Interact,
    L1SVM, MOFSRank, MRMR, NGAS, NonconvexSVM, RFE, RSRank, RankFilter, RankL2AROM, RankRWFSL0,
    RankRWFSL1, RankWrapper, SPEA2, TopK, XGAS,
};
pub use crate::select::{Findings, Selection, Selector};
