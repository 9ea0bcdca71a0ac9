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
use crate::error::{Error, Result};
use crate::params::{Param, Params};
use crate::registry::Status;
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

/// A method that learns to score documents.
pub trait Ranker: Send + Sync {
    /// Learns from training data; validation data, where given, stops or tunes it.
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model>;

    /// Learns the same, starting from a model that is near: the neighbour on a path of parameters
    /// or of feature subsets. Methods whose answer does not depend on where they start use it to
    /// arrive sooner; the others ignore it.
    fn fit_from(
        &self,
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        _near: Option<&Model>,
    ) -> Result<Model> {
        self.fit(run, train, valid)
    }

    /// What this ranker solves where it is least squares: passes then do instead of rows.
    fn least_squares(&self) -> Option<LeastSquares> {
        None
    }

    /// Fits any number of subsets of a view's features, with what is the same for all of them done
    /// once: trees bin, least squares multiplies. Each model is the one that [`Ranker::fit`] gives
    /// for a view of those features.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        valid: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        Ok(Box::new(move |features| {
            let (train, valid) =
                (train.with_features(features), valid.map(|view| view.with_features(features)));
            self.fit(run, &train, valid.as_ref())
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
    /// Needs passes only, never rows.
    pub scales_out: bool,
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
        let params = Params::new(self.name, self.params, set)?;
        let ranker = (self.build)(&params)?;
        self.check(train)?;
        valid.map_or(Ok(()), |valid| self.check(valid))?;
        let model = ranker.fit_from(run, train, valid, near)?;
        Ok(Model { trained: Some(Training::new(self.name, &params, run, train)), ..model })
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
