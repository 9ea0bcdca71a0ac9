//! Rankers: methods that learn to score documents, and the models they produce.
//!
//! The rankers are linear models, trees and [`SingleFeature`]; each has a builder, and [`ranker()`]
//! finds them by name. [`train()`] normalises, tunes ([`tune`]) and trains in one call.
//! A [`Model`] scores documents, names its features and is saved as JSON.

mod choice;
mod importance;
pub(crate) mod lambda;
pub(crate) mod linear;
mod model;
pub(crate) mod passes;
mod provenance;
pub(crate) mod reduction;
mod single_feature;
mod train;
pub(crate) mod tree;
pub mod tune;

use crate::data::{FeatureId, View};
use crate::declare::{DataAccess, Declared, Status};
use crate::engine::passes::FeatureStatistics;
use crate::error::{Error, Result};
use crate::measure::{Measure, label_frequencies};
use crate::names::unknown;
use crate::params::{Kind, Param, Params};
use crate::remedy;
use crate::run::Run;
pub use choice::{ChosenRanker, RankerChoice};
pub(crate) use importance::model_importance;
pub use importance::{
    FeatureImportance, ImportanceKind, PermutationImportance, feature_importance,
    permutation_importance,
};
pub use linear::ada_rank::{AdaRankMAP, AdaRankNDCG, FeatureRepeats, UpdateRule};
pub use linear::coordinate_ascent::CoordinateAscent;
pub use linear::lambda_rank::LambdaRank;
pub use linear::least_squares::LeastSquares;
pub use linear::linear_regression::{CentringScope, LinearRegression};
pub use linear::listnet::ListNet;
pub use linear::rank_rls::{PairWeighting, RankRLS};
pub use linear::ranksvm_primal::{LossScale, RankSVMPrimal};
pub use linear::ranksvm_struct::RankSVMStruct;
pub use linear::svm_map::SVMMAP;
pub use linear::{FeatureWeight, LinearModel};
pub(crate) use model::embedded_model;
pub use model::{Model, Scorer};
pub use provenance::Training;
pub use single_feature::SingleFeature;
pub use train::{Trained, TrainingPlan, train};
pub use tree::lambda_mart::{LambdaMART, SplitCriterion};
pub use tree::mart::MART;
pub use tree::random_forest::RandomForest;
pub use tree::regression_tree::RegressionTree;
pub use tree::{Importance, Tree, TreeEnsemble};

/// All rankers, in listing order.
pub static RANKERS: &[&RankerSpec] = &[
    &single_feature::SingleFeature::SPEC,
    &linear::linear_regression::LinearRegression::SPEC,
    &linear::rank_rls::RankRLS::SPEC,
    &linear::ranksvm_primal::RankSVMPrimal::SPEC,
    &linear::ranksvm_struct::RankSVMStruct::SPEC,
    &linear::svm_map::SVMMAP::SPEC,
    &linear::listnet::ListNet::SPEC,
    &linear::lambda_rank::LambdaRank::SPEC,
    &linear::ada_rank::AdaRankNDCG::SPEC,
    &linear::ada_rank::AdaRankMAP::SPEC,
    &linear::coordinate_ascent::CoordinateAscent::SPEC,
    &tree::regression_tree::RegressionTree::SPEC,
    &tree::random_forest::RandomForest::SPEC,
    &tree::mart::MART::SPEC,
    &tree::lambda_mart::LambdaMART::SPEC,
];

/// Looks up a ranker by name.
pub fn ranker(name: &str) -> Result<&'static RankerSpec> {
    let found = RANKERS.iter().find(|spec| spec.name == name).copied();
    found.ok_or_else(|| unknown("ranker", name, RANKERS.iter().map(|spec| spec.name)))
}

/// A method that learns to score documents. Rankers implement [`learn`](Ranker::learn); users call
/// [`fit`](Ranker::fit).
pub trait Ranker: Declared<RankerSpec> + Send + Sync {
    /// Trains on data that has passed this ranker's checks; validation data, if given, is used for
    /// early stopping or tuning.
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model>;

    /// Like [`learn`](Ranker::learn), with a warm start from the model of a neighbouring point on a
    /// path of parameters or of feature subsets. Methods whose result does not depend on the
    /// starting point use it to converge sooner; the others ignore it.
    fn learn_from(
        &self,
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        _warm_start: Option<&Model>,
    ) -> Result<Model> {
        self.learn(run, train, valid)
    }

    /// Checks the data and trains; the model records how it was trained.
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.fit_from(run, train, valid, None)
    }

    /// Like [`fit`](Ranker::fit), with a warm start from a similar model.
    fn fit_from(
        &self,
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        warm_start: Option<&Model>,
    ) -> Result<Model> {
        let spec = self.spec();
        if let Some(adapted) = spec.adapted(self.params(), train)? {
            return adapted.fit_from(run, train, valid, warm_start);
        }
        spec.check(train)?;
        valid.map_or(Ok(()), |valid| spec.check(valid))?;
        spec.check_measures(self.params(), train)?;
        let model = self.learn_from(run, train, valid, warm_start)?;
        Ok(Model { trained: Some(Training::new(spec.name, self.params(), run, train)), ..model })
    }

    /// The least-squares problem that this ranker solves, if it is one: passes then replace row
    /// access.
    fn least_squares(&self) -> Option<LeastSquares> {
        None
    }

    /// Fits any number of subsets of a view's features and does the common work once: tree rankers
    /// bin the matrix, least squares computes the Gram matrix. Each model equals the one that
    /// [`Ranker::learn`] returns for a view of those features.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        valid: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        Ok(Box::new(move |features| {
            let (train, valid) =
                (train.with_features(features), valid.map(|view| view.with_features(features)));
            self.learn(run, &train, valid.as_ref())
        }))
    }
}

/// Fits a subset of features; may be called from many threads.
pub type SubsetFit<'a> = Box<dyn Fn(&[FeatureId]) -> Result<Model> + Send + Sync + 'a>;

/// A ranker's entry in the registry.
pub struct RankerSpec {
    /// Its name in the command line, in files and in Python.
    pub name: &'static str,
    /// The name of its type, and of its class in Python.
    pub type_name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// Citation keys.
    pub cites: &'static [&'static str],
    /// How closely it follows its paper.
    pub status: Status,
    /// The data access it needs.
    pub access: DataAccess,
    /// Whether it accepts features with missing values.
    pub takes_missing: bool,
    /// Whether it can use features that are constant within every query, because its models combine
    /// features.
    pub uses_query_level: bool,
    /// Whether it compares all pairs of features, in memory that grows with the square of their
    /// number.
    pub compares_pairs: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// The default tuning grid: parameters and the values to try on validation data.
    pub grid: &'static [(&'static str, &'static [&'static str])],
    /// Builds the ranker from checked parameters.
    pub build: fn(&Params) -> Result<Box<dyn Ranker>>,
}

impl RankerSpec {
    /// Checks parameters and trains.
    pub fn fit(
        &self,
        set: &[(String, String)],
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
    ) -> Result<Model> {
        self.fit_from(set, run, train, valid, None)
    }

    /// Like [`Self::fit`], with a warm start from a similar model.
    pub fn fit_from(
        &self,
        set: &[(String, String)],
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        warm_start: Option<&Model>,
    ) -> Result<Model> {
        self.with(set)?.fit_from(run, train, valid, warm_start)
    }

    /// The features that models of this ranker can use, and the others.
    pub fn usable(&self, features: &FeatureStatistics) -> (Vec<FeatureId>, Vec<FeatureId>) {
        match self.uses_query_level {
            true => features.varying(),
            false => features.varying_within_queries(),
        }
    }

    /// The ranker with these parameters.
    pub fn with(&self, set: &[(String, String)]) -> Result<Box<dyn Ranker>> {
        (self.build)(&Params::new(self.name, self.params, set)?)
    }

    /// The ranker with thresholds of relevance that divide the labels of the training data; `None`
    /// if those of `params` do, or if they are set.
    pub(crate) fn adapted(
        &self,
        params: &Params,
        train: &View<'_>,
    ) -> Result<Option<Box<dyn Ranker>>> {
        if !params.has_open_thresholds(self.params) {
            return Ok(None);
        }
        let adapted = params.for_labels(self.params, &label_frequencies(train));
        adapted.map(|adapted| (self.build)(&adapted.params)).transpose()
    }

    /// Rejects measures that are the same for every ranking of the training data.
    fn check_measures(&self, params: &Params, train: &View<'_>) -> Result<()> {
        for param in self.params.iter().filter(|param| param.kind == Kind::Measure) {
            let measure: Measure = params.text(param.name).parse()?;
            if measure.relevant_from().is_some() {
                measure.check_divides(param.name, &label_frequencies(train))?;
            }
        }
        Ok(())
    }

    /// Rejects data that rankers in general, or this ranker, cannot train on.
    fn check(&self, view: &View<'_>) -> Result<()> {
        if view.documents() == 0 {
            return Err(Error::nothing_counts(
                "the training data has no documents",
                "train on at least one query with documents",
            ));
        }
        let missing = |&&f: &&FeatureId| {
            let column = view.data().column(f);
            view.rows().any(|rows| column[rows].iter().any(|x| x.is_nan()))
        };
        match view.features().iter().find(missing) {
            Some(&f) if !self.takes_missing => Err(Error::unsupported(
                format!(
                    "{} cannot learn from missing values, and feature {} has some",
                    self.name,
                    view.data().features().label(f)
                ),
                remedy!["use a tree ranker; to read missing values as 0, ", MissingAsZero.set()],
            )),
            _ => Ok(()),
        }
    }
}
