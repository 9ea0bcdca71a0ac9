//! Parameters that several selectors share, as groups for [`method!`](crate::declare::method).
//!
//! A group receives `{state} {rest} arguments..`; it passes both on with its own declarations
//! before the rest.

/// A measure of how well a feature ranks, with the method's default.
macro_rules! relevance_measure_param {
    ({$($state:tt)*} {$($rest:tt)*} $default:literal) => {
        $crate::method! { $($state)*
            /// Measure of how well a feature ranks on its own.
            let measure: Measure = $default,
            derive relevance: $crate::select::filter::relevance::Relevance =
                $crate::select::filter::relevance::Relevance::alone(measure);
            $($rest)*
        }
    };
}

/// The relevance of a feature by itself.
macro_rules! relevance_params {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Measure of how well a feature ranks on its own.
            let measure: Measure = "ndcg[ties=expected]@10",
            /// Relevance of a feature: of the ranking by its values, or of LambdaMART trained on it
            /// alone.
            let relevance: Choice<$crate::select::filter::relevance::RelevanceModel> = "alone",
            derive relevance: $crate::select::filter::relevance::Relevance =
                $crate::select::filter::relevance::Relevance::new(measure, relevance);
            $($rest)*
        }
    };
}

/// The similarity of two features, with the method's default.
macro_rules! similarity_params {
    ({$($state:tt)*} {$($rest:tt)*} $default:literal) => {
        $crate::method! { $($state)*
            /// Correlation that measures the similarity of two features.
            let similarity: Choice<$crate::engine::passes::Correlation> = $default,
            /// Correlate within each query, or over all documents pooled.
            let scope: Choice<$crate::engine::Scope> = "query",
            derive similarity: $crate::select::filter::similarity::Similarity =
                $crate::select::filter::similarity::Similarity::new(similarity, scope);
            $($rest)*
        }
    };
}

/// The discretisation of features.
macro_rules! encoding_param {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Candidate cuts counted by the MDL criterion: between distinct values, or between
            /// documents.
            encoding: Choice<$crate::select::filter::discrete::mdl::Encoding> = "better",
            $($rest)*
        }
    };
}

/// The stopping rule of a best-first search.
macro_rules! patience_param {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Stop after this many expansions without improvement.
            patience: Whole<usize>(1..=1000) = "5",
            $($rest)*
        }
    };
}

/// The comparison of near documents.
macro_rules! relief_params {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Number of nearest neighbours of each document.
            let neighbours: Whole<usize>(1..=100_000) = "10",
            /// Scale features to [0, 1] over all documents, or within each query.
            let scale: Choice<$crate::select::filter::rank_filter::ReliefScale> = "overall",
            /// Give pairs of different and of equal relevance the same total weight.
            let balance: Flag = "true",
            /// Share of the queries to sample.
            let sample: Real(0.000_001..=1.0) = "1",
            derive relief: $crate::select::filter::rank_filter::ReliefWeights =
                $crate::select::filter::rank_filter::ReliefWeights {
                    neighbours,
                    scale,
                    balance,
                    share: sample,
                };
            $($rest)*
        }
    };
}

/// A ranker with its own parameters; `auto` names a function that returns those of `settings=auto`.
macro_rules! ranker_params {
    ({$($state:tt)*} {$($rest:tt)*} $ranker:literal) => {
        $crate::method! { $($state)*
            /// Ranker to train.
            let ranker: Ranker = $ranker,
            /// Parameters of the ranker.
            let settings: Settings = "",
            derive ranker: Box<dyn $crate::rank::Ranker> =
                $crate::select::wrapper::training::ranker(ranker, settings, &[])?;
            $($rest)*
        }
    };
    ({$($state:tt)*} {$($rest:tt)*} $ranker:literal, $auto:expr, $meaning:literal) => {
        $crate::method! { $($state)*
            /// Ranker to train.
            let ranker: Ranker = $ranker,
            #[doc = $meaning]
            let settings: Settings = "auto",
            derive ranker: Box<dyn $crate::rank::Ranker> =
                $crate::select::wrapper::training::ranker(ranker, settings, $auto)?;
            $($rest)*
        }
    };
}

/// A ranker that is trained on subsets, and the measure it is evaluated with.
macro_rules! trainer_params {
    ({$($state:tt)*} {$($rest:tt)*} $ranker:literal, $measure:literal, $judged:literal) => {
        $crate::select::shared_params::trainer_params! {
            @declare {$($state)*} {$($rest)*} $ranker, $measure, $judged, few_trees, "",
            "Parameters of the ranker."
        }
    };
    ({$($state:tt)*} {$($rest:tt)*} $ranker:literal, $measure:literal, $judged:literal,
        $auto:ident, $meaning:literal
    ) => {
        $crate::select::shared_params::trainer_params! {
            @declare {$($state)*} {$($rest)*} $ranker, $measure, $judged, $auto, "auto", $meaning
        }
    };
    (@declare {$($state:tt)*} {$($rest:tt)*} $ranker:literal, $measure:literal, $judged:literal,
        $auto:ident, $settings:literal, $meaning:literal
    ) => {
        $crate::method! { $($state)*
            /// Ranker to train on every subset.
            let ranker: Ranker = $ranker,
            #[doc = $meaning]
            let settings: Settings = $settings,
            #[doc = $judged]
            let measure: Measure = $measure,
            derive trainer: $crate::select::wrapper::training::Trainer =
                $crate::select::wrapper::training::Trainer::new(
                    ranker,
                    settings,
                    &$crate::select::wrapper::training::$auto(&measure),
                    measure,
                )?;
            $($rest)*
        }
    };
}

/// The loss that is accepted for fewer features.
macro_rules! size_slack_param {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Take the smallest size whose measure is at most this much below the best.
            slack: Real(0.0..=1.0) = "0",
            $($rest)*
        }
    };
}

/// The choice of an embedded method among its models.
macro_rules! tuning_params {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Measure for model selection on validation data.
            let measure: Measure = "map[ties=expected]",
            /// Take the sparsest model that is at most this much worse than the best on validation
            /// data.
            let slack: Real(0.0..=1.0) = "0",
            use standardise_param!(standardise);
            derive tuning: $crate::select::embedded::tuning::Tuning =
                $crate::select::embedded::tuning::Tuning { measure, slack, scale: standardise };
            $($rest)*
        }
    };
}

/// Whether features are standardised; a parameter without a field.
macro_rules! standardise_param {
    ({$($state:tt)*} {$($rest:tt)*} $standardise:ident) => {
        $crate::method! { $($state)*
            /// Divide features by their standard deviation within queries; auto: if any value is
            /// outside 0 to 1.
            let $standardise: Choice<$crate::select::embedded::sample::Standardisation> = "auto",
            $($rest)*
        }
    };
}

/// The radius of the ℓ1 ball of the weights.
macro_rules! radius_param {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Largest sum of absolute weights; auto: tuned on validation data.
            r: Values(1e-9..=1e9) = "auto",
            $($rest)*
        }
    };
}

pub(crate) use {
    encoding_param, patience_param, radius_param, ranker_params, relevance_measure_param,
    relevance_params, relief_params, similarity_params, size_slack_param, standardise_param,
    trainer_params, tuning_params,
};
