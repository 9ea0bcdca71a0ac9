//! Documents: selections, models, results, checkpoints, and plans in TOML.
//!
//! The checksum would refuse every mutated document at once, so it is removed from documents that
//! users may edit before they are read, and made right in the others.

use std::path::Path;
use std::sync::LazyLock;

use featherank::data::Dataset;
use featherank::engine::LocalEngine;
use featherank::experiment::{
    Comparison, ComparisonData, ComparisonJob, FoldSource, Plan, Results, ResultsFolder, tables,
};
use featherank::export::{ExportOptions, TARGETS};
use featherank::internals::resealed;
use featherank::rank::{Model, RankerSpec};
use featherank::registry::{RANKERS, selector};
use featherank::run::{Constraints, Run, StopToken};
use featherank::select::{Selection, SelectionJob};

use crate::sample::{DATA, features};
use crate::workspace::{file, input as put_input, put};

/// Selections of methods with different parts: scores, models, fronts.
pub fn selections() -> Vec<Vec<u8>> {
    let methods = ["top-k", "best-gain", "l1-svm", "greedy-rankrls"];
    let mut documents: Vec<Vec<u8>> = methods
        .iter()
        .map(|method| {
            let job = SelectionJob::new(selector(method).expect("known"), Vec::new(), run());
            job.run(&engine()).expect("a selection").selection
        })
        .map(|selection| selection.to_json().expect("a document").into_bytes())
        .collect();
    let search = search_job().run(&engine()).expect("a selection").selection;
    documents.push(search.to_json().expect("a document").into_bytes());
    documents
}

/// A selection that is loaded and applied to data.
pub fn selection(input: &[u8]) -> bool {
    let path = put_input("selection.json", &without_checksum(input));
    let Ok(selection) = Selection::load(&path) else { return false };
    if let Ok(columns) = selection.columns(features()) {
        assert!(columns.iter().all(|column| column.index() < features().len()));
    }
    let text = selection.to_json().expect("a document that was read can be written");
    put(&path, text.as_bytes());
    Selection::load(&path).expect("a document that was written can be read");
    true
}

/// Models of all rankers.
pub fn models() -> Vec<Vec<u8>> {
    let model = |spec: &&RankerSpec| {
        let has = |name: &str| spec.params.iter().any(|param| param.name == name);
        let short = [("trees", "2"), ("leaves", "3")].into_iter().filter(|(name, _)| has(name));
        let set: Vec<(String, String)> =
            short.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let model = spec.fit(&set, &run(), &DATA.view(), None).expect("a model");
        model.to_json().expect("a document").into_bytes()
    };
    RANKERS.iter().map(model).collect()
}

/// A model that is loaded, scores documents and is exported.
pub fn model(input: &[u8]) -> bool {
    let bytes = without_checksum(input);
    let Ok(text) = std::str::from_utf8(&bytes) else { return false };
    let Ok(model) = Model::from_json(text) else { return false };
    if let Ok(scores) = model.score(&DATA.view()) {
        assert!(scores.len() == DATA.documents() && scores.iter().all(|score| score.is_finite()));
    }
    assert_eq!(model.importances().len(), model.features().len());
    for target in TARGETS {
        // Some models cannot be exported to some systems.
        drop(target.export(&model, &ExportOptions::default()));
    }
    true
}

/// Plans of experiments.
pub fn plans() -> Vec<Vec<u8>> {
    [
        "title = 't'\nmethods = ['top-k[k=3]', 'best-gain[delta=0.03]']\nrankers = ['rankrls']\nk = [1, 2]\n",
        "title = 'x'\nchoose = 'ndcg@10'\nmeasures = ['map', 'p@3']\nseeds = 2\nbootstraps = 3\n\
         curves = false\n[[data]]\nname = 'a'\nfolder = 'b'\n[[rows]]\nname = 'r'\nranker = 'mart'\n\
         fixed = { trees = '10' }\n[rows.grid]\nleaves = ['2', '4']\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

/// A plan that is parsed and crossed.
pub fn plan(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let Ok(plan) = Plan::parse(text) else { return false };
    plan.crossed().is_ok()
}

/// The results of a small experiment.
pub fn all_results() -> Vec<Vec<u8>> {
    let plan = Plan::parse(
        "title = 'r'\nmethods = ['top-k[k=2]']\nrankers = ['linear-regression']\nbootstraps = 2\n",
    );
    let data = ComparisonData::Rows(DATA.clone(), Some(3));
    let folder = file("experiment");
    let job = ComparisonJob::new(plan.expect("a plan"), Vec::new(), data, &folder).expect("a job");
    let kept = job.folder().clone();
    let comparison = job.open(&StopToken::default()).expect("data");
    comparison.run_and_save(&kept, &run(), 1, &|_| {}).expect("results");
    vec![std::fs::read(kept.path("results.json")).expect("a file")]
}

/// Results that are loaded and written again.
pub fn results(input: &[u8]) -> bool {
    let path = put_input("results.json", &without_checksum(input));
    let Ok(results) = Results::load(&path) else { return false };
    assert!(results.done().count() <= results.cells.len());
    results.save(&path).expect("a document that was read can be written");
    Results::load(&path).expect("a document that was written can be read");
    // Some results have no tables, which is an error.
    drop(tables(&results));
    drop(featherank_report::render(&results));
    true
}

/// The cells of a small experiment.
pub fn cells() -> Vec<Vec<u8>> {
    let folder = file("cells-made");
    let kept = comparison(&folder);
    let cells = std::fs::read_dir(kept.path("cells")).expect("a folder");
    let mut paths: Vec<_> = cells.map(|cell| cell.expect("a cell").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a cell")).collect()
}

/// An experiment that resumes from a cell.
pub fn cell(input: &[u8]) -> bool {
    static KEPT: LazyLock<ResultsFolder> = LazyLock::new(|| comparison(&file("cells-read")));
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let text = resealed(text).unwrap_or_else(|| text.to_owned());
    let cells = std::fs::read_dir(KEPT.path("cells")).expect("a folder");
    let first = cells.map(|cell| cell.expect("a cell").path()).min().expect("cells");
    put(&first, text.as_bytes());
    let results = small_experiment(&KEPT);
    drop(tables(&results));
    results.done().count() == results.cells.len()
}

/// Runs a small experiment in a folder of its own.
fn comparison(folder: &Path) -> ResultsFolder {
    let kept = ResultsFolder::open(folder).expect("a folder");
    small_experiment(&kept);
    kept
}

fn small_experiment(kept: &ResultsFolder) -> Results {
    let plan =
        Plan::parse("title = 'c'\nmethods = ['top-k[k=2]']\nrankers = ['linear-regression']\n");
    let plan = plan.expect("a plan");
    let source = FoldSource::split(DATA.clone(), 3, 1).expect("folds");
    let comparison = Comparison::new(plan, "c".into(), Vec::new(), source).expect("a comparison");
    comparison.run_and_save(kept, &run(), 1, &|_| {}).expect("results")
}

/// Lists of features, as options and files have them.
pub fn feature_lists() -> Vec<Vec<u8>> {
    ["1,3,2-3", "*", "tf*,2", "1-4294967295", ",,", "3-1"].map(|list| list.into()).to_vec()
}

/// A list of features that is resolved.
pub fn feature_list(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let Ok(found) = features().resolve_list(text) else { return false };
    assert!(found.iter().all(|feature| feature.index() < features().len()));
    true
}

/// Checkpoints of a search.
pub fn checkpoints() -> Vec<Vec<u8>> {
    let path = file("kept.json");
    let job = search_job()
        .checkpoint(Some(path.clone()))
        .time_limit(Some(std::time::Duration::from_nanos(1)));
    job.run(&engine()).expect("the best so far");
    vec![std::fs::read(&path).expect("a checkpoint")]
}

/// A search that resumes from a checkpoint, whose checksum is right.
pub fn checkpoint(input: &[u8]) -> bool {
    let sealed = std::str::from_utf8(input).ok().and_then(resealed);
    let path = put_input("resumed.json", sealed.as_deref().map_or(input, str::as_bytes));
    search_job().checkpoint(Some(path)).run(&*ENGINE).is_ok()
}

static ENGINE: LazyLock<LocalEngine> = LazyLock::new(engine);

fn engine() -> LocalEngine {
    let data: Dataset = DATA.clone();
    LocalEngine::new(data, 1).expect("an engine")
}

fn run() -> Run {
    Run::new(1, Constraints::default())
}

fn search_job() -> SelectionJob {
    let settings = [
        ("generations", "1"),
        ("population", "4"),
        ("archive", "4"),
        ("ranker", "linear-regression"),
        ("folds", "2"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    SelectionJob::new(selector("spea2").expect("known"), settings, run())
}

/// The document without the first field of that name and its value.
fn without_checksum(bytes: &[u8]) -> Vec<u8> {
    const FIELD: &[u8] = b"\"checksum\": \"";
    let found = bytes.windows(FIELD.len()).position(|window| window == FIELD);
    let end = |start: usize| {
        let value = start + FIELD.len();
        Some(value + bytes[value..].iter().position(|byte| *byte == b',')? + 1)
    };
    match found.and_then(|start| Some((start, end(start)?))) {
        Some((start, end)) => [&bytes[..start], &bytes[end..]].concat(),
        None => bytes.to_vec(),
    }
}
