//! Rankers: methods that learn to score documents, and the models they leave.

mod importance;
pub mod lambda;
pub mod linear;
mod model;
pub mod passes;
pub mod reduction;
pub mod single_feature;
mod train;
pub mod tree;
pub mod tune;

use crate::data::{FeatureId, View};
use crate::declare::{DataAccess, Declared, Status};
use crate::error::{Error, Result};
use crate::names::unknown;
use crate::params::{Param, Params};
use crate::remedy;
use crate::run::Run;
pub(crate) use importance::model_importance;
pub use importance::{PermutationImportance, permutation_importance};
pub use linear::LinearModel;
pub use linear::least_squares::LeastSquares;
pub(crate) use model::embedded_model;
pub use model::{Model, Scorer, Training};
pub use train::{Trained, TrainingPlan, train};
pub use tree::TreeEnsemble;

/// All rankers, in the order they are listed.
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

/// The ranker of that name.
pub fn ranker(name: &str) -> Result<&'static RankerSpec> {
    let found = RANKERS.iter().find(|spec| spec.name == name).copied();
    found.ok_or_else(|| unknown("ranker", name, RANKERS.iter().map(|spec| spec.name)))
}

/// A method that learns to score documents. Rankers implement [`learn`](Ranker::learn); users call
/// [`fit`](Ranker::fit).
pub trait Ranker: Declared<RankerSpec> + Send + Sync {
    /// Learns from training data that is known to be fit for this ranker; validation data, if
    /// given, stops or tunes it.
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model>;

    /// Learns the same, starting from a model that is near: the neighbour on a path of parameters
    /// or of feature subsets. Methods whose answer does not depend on where they start use it to
    /// arrive sooner; the others ignore it.
    fn learn_from(
        &self,
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        _near: Option<&Model>,
    ) -> Result<Model> {
        self.learn(run, train, valid)
    }

    /// Checks the data and learns; the model records how it was trained.
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.fit_from(run, train, valid, None)
    }

    /// Does what [`fit`](Ranker::fit) does, starting from a model that is near.
    fn fit_from(
        &self,
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        near: Option<&Model>,
    ) -> Result<Model> {
        let spec = self.spec();
        spec.check(train)?;
        valid.map_or(Ok(()), |valid| spec.check(valid))?;
        let model = self.learn_from(run, train, valid, near)?;
        Ok(Model { trained: Some(Training::new(spec.name, self.params(), run, train)), ..model })
    }

    /// What this ranker solves where it is least squares: passes then do instead of rows.
    fn least_squares(&self) -> Option<LeastSquares> {
        None
    }

    /// Fits any number of subsets of a view's features, with what is the same for all of them done
    /// once: trees bin, least squares multiplies. Each model is the one that [`Ranker::learn`]
    /// gives for a view of those features.
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

/// What the registry holds of a ranker.
pub struct RankerSpec {
    /// Its name everywhere.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Keys of papers.
    pub cites: &'static [&'static str],
    /// How close to its paper.
    pub status: Status,
    /// What it needs of the data.
    pub access: DataAccess,
    /// Takes features with missing values as they are.
    pub takes_missing: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// What is tried when its parameters are chosen on validation data: parameters and their
    /// values.
    pub grid: &'static [(&'static str, &'static [&'static str])],
    /// Makes the ranker from checked parameters.
    pub build: fn(&Params) -> Result<Box<dyn Ranker>>,
}

impl RankerSpec {
    /// Checks parameters and learns.
    pub fn fit(
        &self,
        set: &[(String, String)],
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
    ) -> Result<Model> {
        self.fit_from(set, run, train, valid, None)
    }

    /// The same, starting from a model that is near.
    pub fn fit_from(
        &self,
        set: &[(String, String)],
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        near: Option<&Model>,
    ) -> Result<Model> {
        self.with(set)?.fit_from(run, train, valid, near)
    }

    /// The ranker with these parameters.
    pub fn with(&self, set: &[(String, String)]) -> Result<Box<dyn Ranker>> {
        (self.build)(&Params::new(self.name, self.params, set)?)
    }

    /// Refuses data that no ranker, or not this one, can learn from.
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
