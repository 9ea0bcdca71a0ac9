//! The page as text: its document, its content security policy, and hostile names. Its behaviour in
//! a browser is tested by python/tests/report.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::collections::BTreeMap;

use featherank::data::synth::{Preset, SynthConfig, generate};
use featherank::data::{DataSources, Feature};
use featherank::engine::LocalEngine;
use featherank::experiment::{
    CellOutcome, ComparisonCell, CompletedCell, CurvePoint, FoldData, Resample, ResourceUsage,
    Results,
};
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::auto::Verdict;
use featherank::select::{Generation, Selection};
use featherank_report::{render, render_selection};
use serde_json::Value;

const HOSTILE: &str = "</script><script>alert(1)</script>\u{2028}<!--";

fn cell(
    method: &str,
    selector: Option<&str>,
    fold: usize,
    features: &[u32],
    values: [Option<f64>; 4],
) -> ComparisonCell {
    let generations = [0.3, 0.4].map(|best| Generation {
        best: best + fold as f64 / 10.0,
        mean: 0.2,
        features: 3.0,
        front: 2,
    });
    let done = CompletedCell {
        features: features.to_vec(),
        cost: features.len() as f64,
        selecting: BTreeMap::new(),
        ranking: BTreeMap::new(),
        valid: 0.5,
        test: vec![values.to_vec()],
        measured: ResourceUsage { select_seconds: 1.0, seconds: 2.0, peak_bytes: None },
        curve: vec![CurvePoint {
            features: 2,
            value: 0.4 + fold as f64 / 10.0,
            error: 0.03 * fold as f64,
        }],
        front: Vec::new(),
        generations: if selector.is_some() { generations.to_vec() } else { Vec::new() },
    };
    ComparisonCell {
        method: method.into(),
        selector: selector.map(str::to_owned),
        ranker: Some("linear-regression".into()),
        fold,
        seed: 1,
        outcome: CellOutcome::Done(Box::new(done)),
    }
}

/// Two folds of four queries, small enough to verify by hand.
fn results() -> Results {
    let fold = |number: usize| FoldData {
        number,
        queries: (0..4).map(|query| format!("{number}-{query}")).collect(),
        documents: [10, 10, 10],
        baselines: BTreeMap::from([("mean of single features".into(), vec![Some(0.1); 4])]),
    };
    Results {
        title: HOSTILE.into(),
        release: "0.1.0".into(),
        command: vec!["featherank".into(), "compare".into(), "my data".into()],
        sources: DataSources::default(),
        seed: 1,
        choose: "ndcg@10".into(),
        measures: vec!["ndcg@10".into()],
        features: (1..=4)
            .map(|id| Feature { id, name: (id == 1).then(|| HOSTILE.into()) })
            .collect(),
        folds: vec![fold(1), fold(2)],
        cells: vec![
            cell("all", None, 1, &[1, 2, 3, 4], [Some(0.5), Some(0.5), Some(0.5), None]),
            cell("all", None, 2, &[1, 2, 3, 4], [Some(0.5); 4]),
            cell("few", Some("top-k"), 1, &[1, 2], [Some(0.6), Some(0.5), Some(0.1), Some(0.9)]),
            cell("few", Some("top-k"), 2, &[1, 3], [Some(0.7), Some(0.45), Some(0.5), None]),
        ],
        resamples: vec![Resample { method: "few".into(), fold: 1, draw: 1, features: vec![1] }],
        redundancy: None,
        recommendation: None,
    }
}

/// The document inside the page.
fn content(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"content\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn statistics_by_hand() {
    let content = content(&render(&results()).unwrap());
    let few = &content["queries"][1];
    // Against all features, query by query: .1, 0, −.4, not counted; .2, −.05, 0, not counted.
    assert_eq!((&few["method"], &few["baseline"]), (&"few".into(), &"all".into()));
    let counts = ["queries", "wins", "losses", "ties", "large_losses"]
        .map(|name| few[name].as_u64().unwrap());
    assert_eq!(counts, [6, 2, 2, 2, 1]);
    assert!((few["difference"].as_f64().unwrap() - (0.1 - 0.4 + 0.2 - 0.05) / 6.0).abs() < 1e-12);
    let worst: Vec<&str> = few["worst"]
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| loss["query"].as_str().unwrap())
        .collect();
    assert_eq!(worst, ["1-2", "2-1"]);
    assert_eq!(
        content["queries"][0]["baseline"], "mean of single features",
        "all features have no other baseline"
    );
    // Folds of .5 ± .03 and .6 ± .06: mean .55, error √(.03² + .06²) / 2.
    let point = &content["sizes"]["curves"][1]["points"][0];
    let reach = 1.959_963_984_540_054 * (0.03f64.powi(2) + 0.06f64.powi(2)).sqrt() / 2.0;
    assert!((point["value"].as_f64().unwrap() - 0.55).abs() < 1e-12);
    assert!((point["high"].as_f64().unwrap() - 0.55 - reach).abs() < 1e-12);
    // Best of the first generation: .4 and .5.
    let first = &content["convergence"][0]["generations"][0]["best"];
    assert!(
        (first["q1"].as_f64().unwrap() - 0.425).abs() < 1e-12
            && content["convergence"][0]["runs"] == 2
    );
    let stability = &content["stability"];
    assert_eq!(stability["features"], serde_json::json!([1, 2, 3]));
    assert_eq!(stability["methods"][0]["shares"], serde_json::json!([1.0, 0.5, 0.5]));
    assert_eq!(content["repeat"]["command"], "featherank compare 'my data'");
}

#[test]
fn the_same_results_give_the_same_bytes_and_names_are_escaped() {
    let page = render(&results()).unwrap();
    assert_eq!(page, render(&results()).unwrap());
    assert_eq!(content(&page)["title"], HOSTILE);
    assert_eq!(content(&page)["features"]["1"], HOSTILE);
    assert!(!page.contains(HOSTILE) && !page.contains("<script>alert"));
    let json = page.split_once("id=\"content\">").unwrap().1.split_once("</script>").unwrap().0;
    assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    assert!(page.contains("default-src 'none'"));
    let scripts = page.matches("<script").count();
    let harmless =
        render(&Results { title: "t".into(), features: Vec::new(), ..results() }).unwrap();
    assert_eq!(scripts, harmless.matches("<script").count());
}

#[test]
fn inconsistent_results_are_refused() {
    let mut short = results();
    short.folds[0].queries.pop();
    assert!(
        render(&short)
            .unwrap_err()
            .to_string()
            .contains("baseline `mean of single features` of fold 1 has 4 values for 3 queries")
    );
    let mut lost = results();
    lost.cells[0].fold = 9;
    assert!(render(&lost).unwrap_err().to_string().contains("`all` on fold 9 belongs to no fold"));
    let mut more = results();
    more.measures.push("map".into());
    assert!(
        render(&more).unwrap_err().to_string().contains("values of 1 measures, and there are 2")
    );
}

#[test]
fn results_with_failed_cells_only_give_a_page() {
    let mut failed = results();
    failed.cells.iter_mut().for_each(|cell| cell.outcome = CellOutcome::Failed(HOSTILE.into()));
    let content = content(&render(&failed).unwrap());
    assert!(content["notices"][0].as_str().unwrap().contains("every run failed"));
    assert_eq!(content["repeat"]["failures"].as_array().unwrap().len(), 4);
    assert!(content.get("queries").is_none() && content.get("sizes").is_none());
    failed.cells.clear();
    failed.folds.clear();
    assert!(render(&failed).is_ok());
}

fn select(method: &str, set: &[(&str, &str)]) -> Selection {
    let config =
        SynthConfig { queries: 120, documents: 3000, names: true, ..Preset::Tiny.config() };
    let (data, _) = generate(&config).unwrap();
    let set: Vec<(String, String)> =
        set.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let run = Run::new(1, Constraints::default());
    registry::selector(method)
        .unwrap()
        .run(&set, &run, &LocalEngine::new(data, 0).unwrap())
        .unwrap()
}

#[test]
fn a_selection_shows_only_tabs_with_data() {
    let page = |selection: &Selection| {
        content(&render_selection(selection, "my selection.json".as_ref()).unwrap())
    };
    let plain = page(&select("top-k", &[("measure", "map")]));
    assert!(
        plain["recommendation"]["sentences"][1]
            .as_str()
            .unwrap()
            .contains("not compared with all features")
    );
    assert!(plain.get("fronts").is_none() && plain["sizes"]["bands"] == false);
    let auto = select("auto", &[("ranker", "linear-regression"), ("margin", "0.2")]);
    let advice = auto.advice.as_ref().unwrap();
    let shown = page(&auto);
    let sizes = shown["recommendation"]["trial"]["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), advice.tried.len());
    let command = shown["recommendation"]["commands"][0]["command"].as_str().unwrap();
    assert!(
        command.contains("--ranker linear-regression")
            && command.contains("--selection '/")
            && command.contains("/my selection.json'"),
        "{command}"
    );
    let mut damaged = auto.clone();
    damaged.advice.as_mut().unwrap().returned = Some(1000);
    assert!(render_selection(&damaged, "s.json".as_ref()).is_err());
}

#[test]
fn the_evaluated_sets_are_described_as_they_were_tested() {
    let content = |selection: &Selection| {
        content(&render_selection(selection, "selection.json".as_ref()).unwrap())
    };
    let parameters = [("ranker", "linear-regression"), ("margin", "0.2"), ("risk", "ignore")];
    let auto = select("auto", &parameters);
    let plain = content(&auto);
    let trial = &plain["recommendation"]["trial"];
    assert_eq!((&trial["risk"], &trial["by_cost"]), (&false.into(), &false.into()));
    assert!(plain["sizes"]["curves"][0]["points"][0].get("cost").is_none());
    let with_risk = content(&select("auto", &parameters[..2]));
    assert_eq!(with_risk["recommendation"]["trial"]["risk"], true);

    let mut costly = auto.clone();
    costly.selected[0].cost = 2.5;
    let costly = content(&costly);
    assert_eq!(costly["recommendation"]["trial"]["by_cost"], true);
    assert_eq!(costly["sizes"]["by_cost"], true);
    assert!(costly["sizes"]["curves"][0]["points"][0]["cost"].is_number());

    let mut complete = auto.clone();
    complete.set_aside.clear();
    complete.data.features = complete.selected.len() as u64;
    complete.advice.as_mut().unwrap().verdict = Verdict::NotShown;
    assert_eq!(content(&complete)["recommendation"]["trial"]["verdict"], "all features");

    let stopped = content(&Selection { unfinished: true, ..auto });
    let notice = stopped["notices"][0].as_str().unwrap();
    assert!(notice.contains("was stopped") && !notice.contains("time limit"), "{notice}");
}
