//! Trains LambdaMART on selected features, measures it on test data, and exports it for
//! LightGBM, ONNX and RankLib.
//!
//! `cargo run -p featherank --example train_and_export`

use featherank::data::synth::{Preset, generate};
use featherank::export::{ExportOptions, target};
use featherank::prelude::*;

pub(crate) fn main() -> Result<()> {
    let (data, _) = generate(&Preset::Tiny.config())?;

    // A query is never cut in two: the first two thirds of the queries train, the others test.
    let queries: Vec<usize> = (0..data.queries().len()).collect();
    let (train, test) = queries.split_at(queries.len() * 2 / 3);
    let (train, test) = (data.subset(train), data.subset(test));

    let run = Run::new(1, Constraints { k: Some(6), ..Constraints::default() });
    let selection = MRMR::builder().build()?.select(&run, &LocalEngine::new(train.clone(), 0)?)?;

    // A view of the chosen columns; nothing is copied.
    let columns = selection.columns(train.features())?;
    let offered = train.view().with_features(&columns[..]);
    let model = LambdaMART::builder().trees(50).build()?.fit(&run, &offered, None)?;

    // A model knows its features by id and finds them in any data.
    let ndcg: Measure = "ndcg@10".parse()?;
    let scores = model.score(&test.view())?;
    let value = ndcg.summary(&ndcg.per_query(&scores, &test.view()));
    println!("NDCG@10 on test data: {value:.4} with {} features", columns.len());

    for name in ["lightgbm", "onnx", "ranklib"] {
        let bytes = target(name)?.export(&model, &ExportOptions::default())?;
        println!("{name}: {} bytes", bytes.len());
        assert!(!bytes.is_empty());
    }
    Ok(())
}
