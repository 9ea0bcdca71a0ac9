//! Compares rows with another row per query: do effectiveness and risk hold with fewer features?

use featherank::Result;
use featherank::data::FeatureId;
use featherank::data::folds::Fold;
use featherank::experiment::Row;
use featherank::measure::Measure;
use featherank::measure::risk::{max_baseline, mean_baseline, t_risk};
use featherank::measure::significance::{WilcoxonMethod, wilcoxon};

use super::{RowOutcome, mean};

/// Extra weight of losses, as in Sousa et al. 2016.
const ALPHA: f64 = 5.0;

/// Index of NDCG@10 among the reported measures.
const NDCG: usize = 3;

/// NDCG@10 and T_RISK over all test queries, of rows and of those they are compared with.
pub fn table(outcomes: &[RowOutcome], folds: &[Fold]) -> Result<()> {
    if outcomes.iter().all(|(row, _)| row.figures.against.is_none()) {
        return Ok(());
    }
    let baselines = Baselines::new(folds)?;
    println!(
        "| method, compared with | features | change of N@10 | Wilcoxon p, by seed | T_RISK against the best feature | T_RISK against the mean of features |\n|---|---|---|---|---|---|"
    );
    for (row, seeds) in outcomes {
        let named = |name: &String| outcomes.iter().find(|(other, _)| other.plan.name == *name);
        let Some((other, theirs)) = row.figures.against.as_ref().and_then(named) else { continue };
        let theirs = pooled(&theirs[0]);
        let ours: Vec<Vec<f64>> = seeds.iter().map(pooled).collect();
        let p = ours.iter().map(|ours| wilcoxon(ours, &theirs, WilcoxonMethod::Auto).p);
        let p: Vec<String> =
            p.map(|p| format!("{p:.2}").trim_start_matches('0').to_owned()).collect();
        let change = mean(ours.iter().map(|ours| counted_mean(ours) - counted_mean(&theirs)));
        let risk = |baseline: &[f64]| {
            let own = mean(ours.iter().map(|ours| t_risk(ours, baseline, ALPHA)));
            format!("{own:.1}, {:.1}", t_risk(&theirs, baseline, ALPHA))
        };
        println!(
            "| {}, {} | {:.1} | {change:+.4} | {} | {} | {} |",
            row.plan.name,
            other.plan.name,
            mean(seeds.iter().map(|row| row.features)),
            p.join(" "),
            risk(&baselines.best),
            risk(&baselines.mean)
        );
    }
    println!();
    Ok(())
}

/// Values of single features on every test query.
struct Baselines {
    best: Vec<f64>,
    mean: Vec<f64>,
}

impl Baselines {
    fn new(folds: &[Fold]) -> Result<Self> {
        let measure: Measure = "ndcg[letor]@10".parse()?;
        let (mut best, mut mean) = (Vec::new(), Vec::new());
        for fold in folds {
            let (test, view) = (&fold.test, fold.test.view());
            let alone: Vec<Vec<f64>> = (0..test.features().len())
                .map(|feature| measure.per_query(test.column(FeatureId::from(feature)), &view))
                .collect();
            best.extend(max_baseline(&alone));
            mean.extend(mean_baseline(&alone));
        }
        Ok(Baselines { best, mean })
    }
}

/// NDCG@10 of the test queries of all folds.
fn pooled(row: &Row) -> Vec<f64> {
    row.folds.iter().flat_map(|fold| fold.test[NDCG].iter().copied()).collect()
}

fn counted_mean(values: &[f64]) -> f64 {
    let counted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    mean(counted.into_iter())
}
