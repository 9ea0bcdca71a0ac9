//! Compares methods by cross-validation, as papers do: settings are chosen on validation data, test
//! data is used once.
//!
//! `cargo run -p featherank --example compare`

use featherank::Result;
use featherank::data::synth::{Preset, generate};
use featherank::experiment::{Comparison, FoldSource, Plan, ResultsFolder, tables};
use featherank::run::{Constraints, Run};

/// What to compare; a row with all features is added. The files in `experiments/` are such plans,
/// and `featherank compare` reads them.
const PLAN: &str = r#"
title = "Three filters and all features"
measures = ["ndcg@10", "map"]
methods = ["top-k", "best-gain", "mrmr"]
rankers = ["ranksvm-primal"]
k = [3, 6]
curves = false
"#;

pub(crate) fn main() -> Result<()> {
    let (data, _) = generate(&Preset::Tiny.config())?;
    let folds = FoldSource::split(data, 3, 1)?;
    let plan = Plan::parse(PLAN)?;
    let comparison = Comparison::new(plan, "Comparison".into(), Vec::new(), folds)?;

    // Every finished cell is saved: an interrupted comparison resumes in the same folder.
    let path = std::env::temp_dir().join(format!("featherank-compare-{}", std::process::id()));
    let folder = ResultsFolder::open(&path)?;
    let run = Run::new(1, Constraints::default());
    let results = comparison.run(&folder, &run, 0, &|_| {})?;

    // Effectiveness with significance, risk, cost, stability, and agreement between methods.
    for table in tables(&results)? {
        println!("{}\n  {}", table.title, table.header.join(" | "));
        table.rows.iter().for_each(|row| println!("  {}", row.join(" | ")));
    }
    assert_eq!(results.methods().len(), 4);
    std::fs::remove_dir_all(&path).ok();
    Ok(())
}
