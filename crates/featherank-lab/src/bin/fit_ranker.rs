//! Times a ranker: `fit_ranker TRAIN TEST RANKER [key=value]…` prints the seconds of fitting and of
//! scoring, and writes the test part's scores to `scores.txt` in the folder of TEST. The benchmarks
//! call it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use featherank::Error;
use featherank::data::{Dataset, ReadOptions, read};
use featherank::measure::Measure;
use featherank::registry::ranker;
use featherank::run::{Constraints, Run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train, test, name, settings @ ..] = &arguments[..] else {
        return Err("usage: fit_ranker TRAIN TEST RANKER [key=value]…".into());
    };
    let load = |path: &String| -> Result<Dataset, Error> {
        read(&[PathBuf::from(path)], &ReadOptions::default())
    };
    let (train, held_out) = (load(train)?, load(test)?);
    let settings: Vec<(String, String)> = settings
        .iter()
        .filter_map(|setting| setting.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let start = Instant::now();
    let model =
        ranker(name)?.fit(&settings, &Run::new(1, Constraints::default()), &train.view(), None)?;
    let fitted = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let scores = model.score(&held_out.view())?;
    let scored = start.elapsed().as_secs_f64();
    let measure: Measure = "ndcg@10".parse()?;
    let ndcg = measure.summary(&measure.per_query(&scores, &held_out.view()));
    let lines: Vec<String> = scores.iter().map(f32::to_string).collect();
    let folder = Path::new(test).parent().unwrap_or(Path::new("."));
    std::fs::write(folder.join("scores.txt"), lines.join("\n") + "\n")?;
    println!("{{\"fit\": {fitted}, \"score\": {scored}, \"ndcg\": {ndcg}}}");
    Ok(())
}
