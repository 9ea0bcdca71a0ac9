//! Tests of running, interrupting and resuming comparisons.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::super::{FoldSource, Plan, Results};
use super::*;
use crate::data::synth::{Preset, generate};
use crate::data::{ReadOptions, WriteOptions, write};
use crate::error::Stop;
use crate::run::{Constraints, Observer, Silent, Step};

/// Interrupts after a number of steps.
struct StopAfter(AtomicU64);

impl Observer for StopAfter {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        let left =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Interrupted) }
    }
}

const PLAN: &str = r#"
    title = "t"
    measures = ["ndcg@5", "map"]
    seeds = 2
    bootstraps = 3
    methods = ["top-k[k=3]", "l1-svm", "spea2[generations=2,population=6,archive=6]"]
    rankers = ["own", "linear-regression"]
"#;

fn run(data: &Path, folder: &Path, observer: Arc<dyn Observer>, jobs: usize) -> Result<Results> {
    let source = FoldSource::find(&[data.to_owned()], Some(3), 1, &ReadOptions::default())?;
    let comparison = Comparison::new(Plan::parse(PLAN)?, "t".into(), Vec::new(), source)?;
    let run = Run { observer, ..Run::new(1, Constraints::default()) };
    comparison.run(&ResultsFolder::open(folder)?, &run, jobs, &|_| {})
}

/// Removes time and memory, which differ between runs.
fn without_resources(mut results: Results) -> Results {
    let no_resources =
        super::super::ResourceUsage { select_seconds: 0.0, seconds: 0.0, peak_bytes: None };
    for cell in &mut results.cells {
        if let CellOutcome::Done(done) = &mut cell.outcome {
            done.measured = no_resources;
        }
    }
    results
}

#[test]
fn a_comparison_resumes_after_any_step() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.txt");
    write(&generate(&Preset::Tiny.config()).unwrap().0, &data, &WriteOptions::default()).unwrap();
    let whole =
        without_resources(run(&data, &folder.path().join("whole"), Arc::new(Silent), 1).unwrap());
    let (cells, draws) = ((1 + 1 + 2 + 1) * 3 * 2, 4 * 3 * 3);
    assert_eq!(
        (whole.cells.len(), whole.done().count(), whole.resamples.len()),
        (cells, cells, draws)
    );
    assert!(whole.redundancy.is_some() && whole.folds.iter().all(|fold| fold.baselines.len() == 3));
    let with_curve = |cell: &&ComparisonCell| cell.selector.is_some() && cell.ranker.is_some();
    for cell in whole.cells.iter().filter(with_curve) {
        let CellOutcome::Done(done) = &cell.outcome else { continue };
        assert!(
            done.curve.len() >= 5 && done.curve.iter().all(|point| point.error > 0.0),
            "{}",
            cell.method
        );
    }
    let again = folder.path().join("again");
    let mut stopped = 0;
    let results = loop {
        match run(
            &data,
            &again,
            Arc::new(StopAfter(AtomicU64::new(40 * (1 + stopped as u64)))),
            1 + stopped % 3,
        ) {
            Ok(results) => break results,
            Err(Error::Stopped(_)) => stopped += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(stopped < 500, "does not finish");
    };
    assert!(stopped > 2, "stopped {stopped} times only");
    assert!(without_resources(results) == whole);
}

#[test]
fn a_panic_is_an_error_of_its_cell() {
    let error = catch_panic(|| -> Result<()> { panic!("of my own") }).unwrap_err().to_string();
    assert!(error.contains("a defect in featherank: of my own"), "{error}");
}
