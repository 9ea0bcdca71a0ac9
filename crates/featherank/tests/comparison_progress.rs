//! What the observer of a comparison learns, and how it stops one.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use featherank::data::synth::{Preset, generate};
use featherank::data::{ReadOptions, WriteOptions, write};
use featherank::experiment::{ComparisonData, ComparisonJob, Plan, Results};
use featherank::run::{Constraints, Observer, Run, Step, StopToken};
use featherank::{Error, Result, Stop};

use crate::common::{Folder, Stages};

const PLAN: &str = "
    title = 't'
    measures = ['ndcg@5']
    bootstraps = 2
    methods = ['top-k[k=3]', 'rfe[folds=2,settings=trees=4]']
    rankers = ['linear-regression']
";

fn job(data: ComparisonData, folder: &Path) -> ComparisonJob {
    ComparisonJob::new(Plan::parse(PLAN).unwrap(), Vec::new(), data, folder).unwrap()
}

fn rows() -> ComparisonData {
    ComparisonData::Rows(generate(&Preset::Tiny.config()).unwrap().0, Some(3))
}

fn compare(folder: &Path, observer: Arc<dyn Observer>) -> Result<Results> {
    let job = job(rows(), folder);
    let folder = job.folder().clone();
    let run = Run { observer, ..Run::new(1, Constraints::default()) };
    job.open(run.stop())?.run(&folder, &run, 2, &|_| {})
}

#[test]
fn cells_and_samples_are_one_stage() {
    let folder = Folder::new();
    let stages = Arc::new(Stages::default());
    let results = compare(&folder.path("results"), stages.clone()).unwrap();
    assert_eq!(results.cells.len(), 3 * 3);
    assert_eq!(stages.faults(), Vec::<String>::new());
    let last = stages.last().unwrap();
    // The ranker alone and after two selectors, on three folds; then two selectors on samples.
    let units = 3 * 3 + 2 * 3;
    assert_eq!((last.what, last.done, last.total), ("comparing", units, Some(units)));
}

/// The recommendation takes far longer than a cell, from which its time cannot be estimated.
#[test]
fn the_recommendation_is_a_stage_of_its_own() {
    /// The last step of the comparison; stops the run when the recommendation begins.
    #[derive(Default)]
    struct UntilRecommendation(Mutex<Option<Step>>);
    impl Observer for UntilRecommendation {
        fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
            if step.what == "recommending" {
                return ControlFlow::Break(Stop::Interrupted);
            }
            *self.0.lock().unwrap() = Some(*step);
            ControlFlow::Continue(())
        }
    }
    let (folder, observer) = (Folder::new(), Arc::new(UntilRecommendation::default()));
    let plan = Plan { recommend: true, bootstraps: 0, ..Plan::parse(PLAN).unwrap() };
    let job = ComparisonJob::new(plan, Vec::new(), rows(), &folder.path("results")).unwrap();
    let results = job.folder().clone();
    let run = Run { observer: observer.clone(), ..Run::new(1, Constraints::default()) };
    let stopped = job.open(run.stop()).unwrap().run(&results, &run, 1, &|_| {});
    assert!(matches!(stopped, Err(Error::Stopped(Stop::Interrupted))));
    let last = observer.0.lock().unwrap().unwrap();
    assert_eq!((last.what, last.done, last.total), ("comparing", 9, Some(9)));
}

/// An observer whose token is stopped from the start.
struct StoppedObserver(StopToken);

impl StoppedObserver {
    fn new() -> Arc<Self> {
        let token = StopToken::new();
        token.stop(Stop::Interrupted);
        Arc::new(StoppedObserver(token))
    }
}

impl Observer for StoppedObserver {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    fn stop(&self) -> &StopToken {
        &self.0
    }
}

#[test]
fn reading_and_preparing_folds_stops() {
    let folder = Folder::new();
    let observer = StoppedObserver::new();
    let path = folder.path("data.txt");
    let ComparisonData::Rows(data, _) = rows() else { unreachable!() };
    write(&data, &path, &WriteOptions::default()).unwrap();
    let options = ReadOptions::default();
    for paths in [vec![path.clone()], vec![path.clone(), path.clone(), path]] {
        let data = ComparisonData::Files { paths, folds: None, options: options.clone() };
        let job = job(data, &folder.path("files"));
        let (results, run) = (job.folder().clone(), Run::new(1, Constraints::default()));
        let run = Run { observer: observer.clone(), ..run };
        // A folder of parts is read when the comparison begins.
        let outcome = job
            .open(run.stop())
            .and_then(|comparison| comparison.run(&results, &run, 1, &|_| {}).map(drop));
        assert!(matches!(outcome, Err(Error::Stopped(Stop::Interrupted))), "{outcome:?}");
    }
    let job = job(rows(), &folder.path("rows"));
    let results = job.folder().clone();
    let opened = job.open(&StopToken::default()).unwrap();
    let run = Run { observer, ..Run::new(1, Constraints::default()) };
    let outcome = opened.run(&results, &run, 1, &|_| {}).map(drop);
    assert!(matches!(outcome, Err(Error::Stopped(Stop::Interrupted))), "{outcome:?}");
}
