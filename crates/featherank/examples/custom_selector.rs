//! Writes a selector: features in the order of how much they vary within queries.
//!
//! A selector asks the engine for small answers and orders features; the library applies `k`,
//! features to keep and to drop, and budgets, and returns the complete selection.
//!
//! `cargo run -p featherank --example custom_selector`

use featherank::Result;
use featherank::data::FeatureId;
use featherank::data::synth::{Preset, generate};
use featherank::engine::passes::Moments;
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::method;
use featherank::run::{Constraints, Run};
use featherank::select::{Findings, Selector};

// The declaration: the name, the parameters and everything else that front ends need to know. The
// struct, its builder and its registry entry follow from it.
method! {
    /// Features that vary most within queries, relative to their whole variation.
    pub struct VaryingMost: Selector as "varying-most" in Filter,
        cites [], Original, Passes, setters VaryingMostSetters
    {
        /// Power of the whole variation that the variation within queries is divided by.
        power: Real(0.0..=2.0) = "1",
    }
}

impl Selector for VaryingMost {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        // One pass over the rows. Features that are constant within queries cannot rank alone.
        let statistics = engine.ask(&Moments)?;
        let (varying, unusable) = statistics.varying_within_queries();
        let score = |feature: &FeatureId| {
            let moments = &statistics.features[feature.index()];
            moments.deviation_within() / moments.deviation().powf(self.power)
        };
        let scored: Vec<_> = varying.iter().map(|feature| (*feature, score(feature))).collect();
        Findings::by_score(run, engine.schema(), &scored, &unusable)
    }
}

pub(crate) fn main() -> Result<()> {
    let (data, _) = generate(&Preset::Tiny.config())?;
    let engine = LocalEngine::new(data, 0)?;
    let run = Run::new(1, Constraints { k: Some(4), ..Constraints::default() });
    let selection = VaryingMost::builder().power(0.5).build()?.select(&run, &engine)?;
    for chosen in &selection.selected {
        println!("feature {:>2}  {:.3}", chosen.id, chosen.score);
    }
    assert_eq!(selection.selected.len(), 4);
    assert_eq!(selection.parameters["power"], "0.5");
    Ok(())
}
