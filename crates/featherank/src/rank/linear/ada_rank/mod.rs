//! AdaRank: boosts single features into a ranker, with more weight in each round on the queries
//! that the current ensemble ranks badly.
//!
//! Xu & Li, SIGIR 2007. Weak rankers are single features. With E(q, h) the measure of query q when
//! h ranks it and weights P₁(q) = 1/m, every round
//! 1. picks the feature h with the largest Σ P(q) E(q, h), ties going to the first,
//! 2. sets α = ½ ln[Σ P(q)(1 + E(q, h)) / Σ P(q)(1 − E(q, h))], and adds α h to the ensemble f,
//! 3. sets P(q) ∝ exp(−E(q, f)).
//!
//! With NDCG as measure it is AdaRank-NDCG, with average precision AdaRank-MAP. E(q, h) is computed
//! once for all features. The paper's third step depends neither on α nor on the previous P: if the
//! first two rounds pick the same feature, nothing changes any more. `repeats = forbid`, not in the
//! paper, picks each feature at most once and so continues.
//!
//! `update = ranklib` follows RankLib instead: P(q) is multiplied by exp(−α E(q, f)); a feature
//! picked in two consecutive rounds is removed and excluded until training with the other features
//! has ended ("enqueue"), then tried again, the most recent first; a feature that is picked in
//! `streak` consecutive rounds without any change is excluded until something changes; a phase ends
//! when the measure on training data decreases by `tolerance`.
//!
//! With validation data the best round is kept, otherwise the last. Departures from both: for tied
//! documents, E is the mean over their orders (`ties=expected`), because file order carries
//! information in real data and would favour features with many ties. If E(q, h) is 1 in all
//! queries, α is kept finite. Features are divided by their largest range within a query, which is
//! 1 after per-query normalisation; other features therefore need no normalisation.

mod boost;
mod ranklib;

use super::design::Design;
use super::validation::{Validation, check_labels, informative};
use crate::data::View;
use crate::declare::{choice, method};
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::{Model, Ranker};
use crate::run::Run;
use boost::Boost;

/// Parameters of both methods; they differ in the measure.
macro_rules! ada_rank_params {
    ({$($state:tt)*} {$($rest:tt)*} $measure:literal) => {
        $crate::method! { $($state)*
            /// Measure to optimise, with values of at most 1.
            let measure: Measure = $measure,
            /// Measure that chooses the number of rounds on validation data.
            let validation: Measure = $measure,
            /// Rules for query weights and stopping: of the paper or of RankLib.
            let update: Choice<UpdateRule> = "paper",
            /// Maximum number of rounds.
            let rounds: Whole(1..=500) = "100",
            /// Whether a feature may be chosen repeatedly.
            let repeats: Choice<FeatureRepeats> = "allow",
            /// RankLib: decrease on training data that ends a phase.
            let tolerance: Real(0.0..=1.0) = "0.002",
            /// RankLib: exclude a feature chosen twice in a row until training with the others has
            /// ended.
            let enqueue: Flag = "true",
            /// RankLib: exclude a feature after this many consecutive choices without a change.
            let streak: Whole(1..=500) = "5",
            derive boosting: AdaRank = AdaRank {
                measure,
                validation,
                update: match update {
                    UpdateRule::Paper => Update::Paper,
                    UpdateRule::RankLib => Update::RankLib { tolerance, enqueue, streak },
                },
                rounds,
                repeats: repeats == FeatureRepeats::Allow,
            };
            $($rest)*
        }
    };
}

method! {
    /// Single features boosted for NDCG.
    pub struct AdaRankNDCG: Ranker as "adarank-ndcg",
        cites ["xu2007"], AsPublished, Rows,
        grid [update: ["paper", "ranklib"], repeats: ["allow", "forbid"]]
    {
        use ada_rank_params!("ndcg[ties=expected]@10");
    }
}

method! {
    /// Single features boosted for average precision.
    pub struct AdaRankMAP: Ranker as "adarank-map",
        cites ["xu2007"], AsPublished, Rows,
        grid [update: ["paper", "ranklib"], repeats: ["allow", "forbid"]]
    {
        use ada_rank_params!("map[ties=expected]");
    }
}

impl Ranker for AdaRankNDCG {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.boosting.learn(run, train, valid)
    }
}

impl Ranker for AdaRankMAP {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        // Wrappers call this without `fit`.
        if let Some(adapted) = Self::SPEC.adapted(&self.params, train)? {
            return adapted.learn(run, train, valid);
        }
        self.boosting.learn(run, train, valid)
    }
}

choice! {
    /// The rules for query weights and stopping.
    pub enum UpdateRule {
        /// The rules of the paper.
        Paper = "paper",
        /// The rules of RankLib.
        RankLib = "ranklib",
    }
}

choice! {
    /// Whether a feature may be chosen repeatedly.
    pub enum FeatureRepeats {
        /// Features may be picked repeatedly.
        Allow = "allow",
        /// Each feature is picked at most once.
        Forbid = "forbid",
    }
}

/// AdaRank for any measure.
struct AdaRank {
    measure: Measure,
    validation: Measure,
    update: Update,
    rounds: u64,
    repeats: bool,
}

/// The update rule, with its parameters.
enum Update {
    Paper,
    RankLib { tolerance: f64, enqueue: bool, streak: u64 },
}

impl AdaRank {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        let design = Design::new(train)?;
        informative(&design)?;
        check_labels(&self.measure, &design)?;
        let validation = Validation::new(&self.validation, train, &design, valid, 0)?;
        let mut boost = Boost::new(self, run, &design, validation)?;
        match self.update {
            Update::Paper => boost.follow_paper()?,
            Update::RankLib { tolerance, enqueue, streak } => {
                boost.follow_ranklib(tolerance, enqueue, streak)?;
            }
        }
        let weights = boost.weights();
        Ok(design.model(&boost.validation.best_or(weights)).into())
    }
}
