//! Convergence of searches: archive statistics by generation, as in figure 1 of Sousa et al. 2016.

use featherank::select::Generation;

use super::{RowOutcome, mean};

/// Generations to show.
const SHOWN: [usize; 6] = [0, 1, 5, 10, 20, 30];

/// Means over folds and seeds for every row whose selector records its search; rows that share a
/// search are shown once.
pub fn table(outcomes: &[RowOutcome]) {
    let searched = |(row, seeds): &RowOutcome| {
        let folds = seeds.iter().flat_map(|row| &row.folds);
        let selections =
            folds.filter_map(|fold| fold.selected.as_ref()?.selection.searched.as_ref());
        let runs = selections.map(|searched| searched.generations.clone());
        let runs: Vec<Vec<Generation>> =
            runs.filter(|generations| !generations.is_empty()).collect();
        (!runs.is_empty()).then(|| (row.plan.name.clone(), runs))
    };
    let mut rows: Vec<(String, Vec<Vec<Generation>>)> = Vec::new();
    for (name, runs) in outcomes.iter().filter_map(searched) {
        // Another ranker with the same selections.
        if !rows.iter().any(|(_, known)| *known == runs) {
            rows.push((name, runs));
        }
    }
    if rows.is_empty() {
        return;
    }
    println!(
        "| search, after generation | {} |\n|---|{}",
        SHOWN.map(|number| number.to_string()).join(" | "),
        "---|".repeat(SHOWN.len())
    );
    let kinds: [(&str, Show); 4] = [
        ("best effectiveness", |one| one.best),
        ("mean effectiveness", |one| one.mean),
        ("mean features", |one| one.features),
        ("not dominated", |one| one.front as f64),
    ];
    for (name, runs) in &rows {
        for (what, show) in kinds {
            let cells = SHOWN.map(|number| {
                let values: Vec<f64> =
                    runs.iter().filter_map(|run| run.get(number)).map(show).collect();
                let value = mean(values.into_iter());
                if value < 1.0 { format!("{value:.4}") } else { format!("{value:.1}") }
            });
            println!("| {name}: {what} | {} |", cells.join(" | "));
        }
    }
    println!();
}

/// A statistic of a generation.
type Show = fn(&Generation) -> f64;
