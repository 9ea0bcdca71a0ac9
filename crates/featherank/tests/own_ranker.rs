//! Wrappers train rankers that another crate declares.
#![allow(clippy::unwrap_used, reason = "a failure in a helper is a failed test")]

use featherank::data::View;
use featherank::data::synth::{Preset, generate};
use featherank::method;
use featherank::prelude::*;
use featherank::rank::LinearModel;

method! {
    /// Sums the features, each with the same weight.
    pub struct EqualWeights: Ranker as "equal-weights",
        cites [], Original, Rows, setters EqualWeightsSetters
    {
        /// Weight of every feature.
        weight: Real(-10.0..=10.0) = "1",
    }
}

impl Ranker for EqualWeights {
    fn learn(&self, _: &Run, train: &View<'_>, _: Option<&View<'_>>) -> Result<Model> {
        let weights: Vec<_> = train.features().iter().map(|&f| (f, self.weight)).collect();
        Ok(LinearModel::new(train.data().features(), &weights).into())
    }
}

fn select(method: impl Selector) -> Result<Selection> {
    let engine = LocalEngine::new(generate(&Preset::Tiny.config())?.0, 1)?;
    let run = Run::new(1, Constraints { k: Some(3), ..Constraints::default() });
    method.select(&run, &engine)
}

fn descending() -> EqualWeights {
    EqualWeights::builder().weight(-1.0).build().unwrap()
}

#[test]
fn wrappers_train_a_ranker_of_another_crate() {
    let greedy = GreedyForward::builder().ranker(descending()).build().unwrap();
    assert_eq!(greedy.params().text("settings"), "weight=-1");
    let found = select(greedy).unwrap();
    assert_eq!(found.parameters["ranker"], "equal-weights");
    assert_eq!(found.selected.len(), 3);
    let backward = Backward::builder().ranker(descending()).folds(2).build().unwrap();
    let ascending = EqualWeights::builder().build().unwrap();
    let other = Backward::builder().ranker(ascending).folds(2).build().unwrap();
    let [backward, other] = [backward, other].map(|method| select(method).unwrap());
    assert_ne!(backward.selected, other.selected, "the sign of the weights matters");
}

#[test]
fn the_last_ranker_that_is_set_counts() {
    let named = Backward::builder().ranker(descending()).ranker("rankrls");
    let named = named.set("settings", "").build().unwrap();
    let plain = Backward::builder().ranker("rankrls").build().unwrap();
    assert_eq!(select(named).unwrap().selected, select(plain).unwrap().selected);
    assert!(Backward::builder().ranker("equal-weights").build().is_err(), "not in the registry");
}
