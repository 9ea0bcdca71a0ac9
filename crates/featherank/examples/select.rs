//! Selects features: data, engine, run, method, result.
//!
//! `cargo run -p featherank --example select`

use featherank::data::synth::{Preset, generate};
use featherank::prelude::*;

pub(crate) fn main() -> Result<()> {
    // `featherank::data::read(&["train.txt"], &ReadOptions::default())` reads files of your own:
    // LETOR text, CSV, Parquet or feature logs. Synthetic data knows which features are useful.
    let (data, truth) = generate(&Preset::Tiny.config())?;

    // The engine owns the rows; 0 means as many threads as there are cores.
    let engine = LocalEngine::new(data, 0)?;

    // The same seed gives the same answer, for any number of threads.
    let run = Run::new(1, Constraints { k: Some(5), ..Constraints::default() });

    // BestGain adds the feature whose ranking could improve the current one most.
    let selection = BestGain::builder().delta(0.005).build()?.select(&run, &engine)?;
    for chosen in &selection.selected {
        let role = truth.features.iter().find(|feature| feature.id == chosen.id);
        println!("feature {:>2}  score {:.4}  {:?}", chosen.id, chosen.score, role.map(|f| f.role));
    }

    // Constant features are set aside; those that are constant within queries, unless trees use
    // them.
    println!("set aside: {:?}", selection.set_aside.iter().map(|s| s.id).collect::<Vec<_>>());

    // The JSON document is what `featherank select -o` writes; `Selection::load` reads it back.
    println!("{} bytes of JSON", selection.to_json()?.len());
    assert_eq!(selection.selected.len(), 5);
    Ok(())
}
