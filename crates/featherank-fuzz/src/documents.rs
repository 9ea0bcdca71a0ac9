//! Documents: selections, models, results, checkpoints, and plans in TOML.
//!
//! The checksum would refuse every mutated document at once, so it is removed from documents that
//! users may edit before they are read.

use std::sync::LazyLock;

use featherank::data::Dataset;
use featherank::engine::LocalEngine;
use featherank::experiment::{ComparisonData, ComparisonJob, Plan, Results};
use featherank::export::{ExportOptions, TARGETS};
use featherank::rank::{Model, RankerSpec};
use featherank::registry::{RANKERS, selector};
use featherank::run::{Constraints, Run};
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
    let comparison = job.open().expect("data");
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

/// A search that resumes from a checkpoint.
pub fn checkpoint(input: &[u8]) -> bool {
    let path = put_input("resumed.json", input);
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
