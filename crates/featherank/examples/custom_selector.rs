//! Writes a selector: features in the order of how much they vary within queries.
//!
//! A selector asks the engine for small answers and orders features; the library applies `k`,
//! features to keep and to drop, and budgets, and returns the complete selection.
//!
//! `cargo run --example custom_selector`

use featherank::Result;
use featherank::data::FeatureId;
use featherank::data::synth::{Preset, generate};
use featherank::declare::{Category, DataAccess, Declared, Status};
use featherank::engine::passes::Moments;
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::params::Params;
use featherank::run::{Constraints, Run};
use featherank::select::{Selection, Selector, SelectorSpec};

struct VaryingMost {
    params: Params,
}

/// The declaration: the name and everything that front ends need to know.
static SPEC: SelectorSpec = SelectorSpec {
    name: "varying-most",
    summary: "features that vary most within queries, relative to their whole variation",
    category: Category::Filter,
    cites: &[],
    status: Status::AsPublished,
    access: DataAccess::Passes,
    resumes: false,
    uses_valid: false,
    leaves_model: false,
    params: &[],
    build: |params| Ok(Box::new(VaryingMost { params: params.clone() })),
};

impl Declared<SelectorSpec> for VaryingMost {
    fn spec(&self) -> &'static SelectorSpec {
        &SPEC
    }

    fn params(&self) -> &Params {
        &self.params
    }
}

impl Selector for VaryingMost {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        // One pass over the rows. Features that cannot rank are dead, for every method.
        let statistics = engine.ask(&Moments)?;
        let (alive, dead) = statistics.alive();
        let score = |feature: &FeatureId| {
            let moments = &statistics.features[feature.index()];
            moments.deviation_within() / moments.deviation()
        };
        let scored: Vec<_> = alive.iter().map(|feature| (*feature, score(feature))).collect();
        Selection::by_score(run, engine.schema(), &scored, &dead)
    }
}

pub(crate) fn main() -> Result<()> {
    let (data, _) = generate(&Preset::Tiny.config())?;
    let engine = LocalEngine::new(data, 0)?;
    let run = Run::new(1, Constraints { k: Some(4), ..Constraints::default() });
    let selection = SPEC.run(&[], &run, &engine)?;
    for chosen in &selection.selected {
        println!("feature {:>2}  {:.3}", chosen.id, chosen.score);
    }
    assert_eq!(selection.selected.len(), 4);
    Ok(())
}
