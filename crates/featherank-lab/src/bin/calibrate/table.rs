//! The table of a calibration.

use std::collections::BTreeMap;

use super::one_run::CalibrationRun;

/// Prints a row for each population, ranker and number of queries, and one for all runs.
pub fn print(runs: &[CalibrationRun]) {
    println!(
        "| population | ranker | queries | runs | kept | oracle | noise kept | repetitions | mean \
         loss | beyond the margin | 95 % bound |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut cells: BTreeMap<(&str, &str, usize), Vec<&CalibrationRun>> = BTreeMap::new();
    for run in runs {
        let cell = (run.key.population.as_str(), run.key.ranker.as_str(), run.key.queries);
        cells.entry(cell).or_default().push(run);
    }
    for ((population, ranker, queries), runs) in &cells {
        row(&format!("{population} | {ranker} | {queries}"), runs);
    }
    row("all | | ", &runs.iter().collect::<Vec<_>>());
}

fn row(name: &str, runs: &[&CalibrationRun]) {
    if runs.is_empty() {
        return;
    }
    let count = runs.len() as f64;
    let mean =
        |of: &dyn Fn(&CalibrationRun) -> f64| runs.iter().map(|run| of(run)).sum::<f64>() / count;
    let wrong = runs.iter().filter(|run| run.loss > run.margin).count();
    println!(
        "| {name} | {} | {:.1} of {:.1} | {:.1} | {:.1} of {:.1} | {:.1} | {:.2} % | {:.1} % | {:.1} % |",
        runs.len(),
        mean(&|run| run.kept as f64),
        mean(&|run| run.usable as f64),
        mean(&|run| run.oracle as f64),
        mean(&|run| run.noise_kept as f64),
        mean(&|run| run.noise as f64),
        mean(&|run| run.repetitions as f64),
        100.0 * mean(&|run| run.loss),
        100.0 * wrong as f64 / count,
        100.0 * upper_bound(wrong, runs.len()),
    );
}

/// The upper end of the exact one-sided 95 % interval of a share (Clopper & Pearson, 1934).
fn upper_bound(wrong: usize, runs: usize) -> f64 {
    let at_most = |share: f64| -> f64 {
        let mut term = (1.0 - share).powi(runs as i32);
        let mut sum = term;
        for k in 0..wrong {
            term *= (runs - k) as f64 / (k + 1) as f64 * share / (1.0 - share);
            sum += term;
        }
        sum
    };
    let (mut low, mut high) = (wrong as f64 / runs as f64, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_most(middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}
