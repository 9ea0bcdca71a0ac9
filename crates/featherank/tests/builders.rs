//! Every selector and ranker can be built with typed setters, and is then the registry's.

use featherank::data::synth::{Preset, generate};
use featherank::params::Params;
use featherank::prelude::*;
use featherank::rank::RankerSpec;
use featherank::registry::{Category, RANKERS, SELECTORS};
use featherank::select::SelectorSpec;

fn data() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

/// Whether running a method with its defaults takes milliseconds.
fn is_quick(spec: &SelectorSpec) -> bool {
    spec.category == Category::Filter || ["fenchel-rank", "greedy-rankrls"].contains(&spec.name)
}

fn check_selector<M: Method + Selector>(engine: &LocalEngine) -> &'static str {
    let method = M::builder().build().unwrap();
    let spec = method.spec();
    assert_eq!((M::NAME, M::PARAMS.len()), (spec.name, spec.params.len()));
    assert_eq!(method.params(), &Params::new(spec.name, spec.params, &[]).unwrap());
    if is_quick(spec) {
        let run = Run::new(1, Constraints { k: Some(3), ..Constraints::default() });
        let built = method.select(&run, engine).unwrap();
        assert_eq!(built.method, spec.name);
        let expected = spec.run(&[], &run, engine).unwrap();
        assert_eq!(built.to_json().unwrap(), expected.to_json().unwrap(), "{}", spec.name);
    }
    spec.name
}

fn check_ranker<M: Method + Ranker>(data: &Dataset) -> &'static str {
    let ranker = M::builder().build().unwrap();
    let spec: &RankerSpec = ranker.spec();
    assert_eq!(ranker.params(), &Params::new(spec.name, spec.params, &[]).unwrap());
    if !spec.takes_missing {
        let run = Run::new(1, Constraints::default());
        let built = ranker.fit(&run, &data.view(), None).unwrap();
        assert_eq!(built, spec.fit(&[], &run, &data.view(), None).unwrap(), "{}", spec.name);
        assert_eq!(built.trained.unwrap().ranker, spec.name);
    }
    spec.name
}

#[test]
fn every_selector_has_a_builder() {
    let engine = LocalEngine::new(data(), 0).unwrap();
    macro_rules! check {
        ($($method:ident)*) => { [$(check_selector::<$method>(&engine)),*] };
    }
    let names = check![
        AutoSelector TopK BestGain GAS DivFS MRMR FCBF CFS Consistency Interact NGAS XGAS HCAS
        Hierarchical RankFilter GreedyForward SPEA2 Backward RFE Boruta RankWrapper BTFS BestFirst
        MOFSRank L1SVM RankRWFSL1 RankRWFSL0 RankL2AROM FenchelRank FSMRank NonconvexSVM
        GreedyRankRLS EGRank RSRank
    ];
    assert!(names.into_iter().eq(SELECTORS.iter().map(|spec| spec.name)));
}

#[test]
fn every_ranker_has_a_builder() {
    let data = data();
    macro_rules! check {
        ($($ranker:ident)*) => { [$(check_ranker::<$ranker>(&data)),*] };
    }
    let names = check![
        SingleFeature LinearRegression RankRLS RankSVMPrimal RankSVMStruct SVMMAP ListNet LambdaRank
        AdaRankNDCG AdaRankMAP CoordinateAscent RegressionTree RandomForest MART LambdaMART
    ];
    assert!(names.into_iter().eq(RANKERS.iter().map(|spec| spec.name)));
}

#[test]
fn setters_write_what_the_command_line_would() {
    let method = BestGain::builder().delta(0.03).measure("ndcg@5".parse().unwrap()).build();
    let method = method.unwrap();
    assert_eq!(method.params().text("delta"), "0.03");
    assert_eq!(method.params().text("measure"), "ndcg@5");
    let forest = RandomForest::builder().bootstrap(false).features_per_split(0.5).build().unwrap();
    assert_eq!(forest.params().text("bootstrap"), "false");
    assert_eq!(forest.params().text("features-per-split"), "0.5");
    let search = MOFSRank::builder().pair_generations(7).c(0.5).build().unwrap();
    assert_eq!(search.params().text("pair-generations"), "7");
    assert_eq!(search.params().text("c"), "0.5");
    let svm = L1SVM::builder().c(&[0.1, 1.0]).build().unwrap();
    assert_eq!(svm.params().text("c"), "0.1,1");
    let rfe = RFE::builder().ranker("mart").settings(&[("trees", "5"), ("leaves", "4")]);
    assert_eq!(rfe.build().unwrap().params().text("settings"), "trees=5;leaves=4");
}

#[test]
fn values_out_of_range_are_refused_when_a_method_is_built() {
    let says = |error: Error| error.to_string();
    let delta = says(BestGain::builder().delta(1.5).build().unwrap_err());
    assert!(delta.contains("delta of best-gain") && delta.contains("0 to 1"), "{delta}");
    assert!(BestGain::builder().delta(f64::NAN).build().is_err());
    assert!(LambdaMART::builder().trees(0).build().is_err());
    assert!(L1SVM::builder().c(&[1.0, -1.0]).build().is_err());
    assert!(SPEA2::builder().folds(1).build().is_err());
    assert!(RFE::builder().ranker("nothing").build().is_err());
    assert!(RFE::builder().settings(&[("tree", "5")]).build().is_err());
}
