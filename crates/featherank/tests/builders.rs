//! Every selector and ranker can be built with typed setters, and equals the registry's.

use featherank::data::synth::{Preset, generate};
use featherank::params::{Kind, Params};
use featherank::prelude::*;
use featherank::rank::RankerSpec;
use featherank::registry::{RANKERS, SELECTORS};
use featherank::select::{
    FenchelStart, FrontChoice, InstanceShares, MOFSRankChoice, MRMRForm, RSRankTruncation,
    SPEA2Test, SelectorSpec, TentativeRule, UndefinedCorrelation,
};

fn data() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

/// Parameters as text, as on the command line.
type Set = Vec<(String, String)>;

fn check_selector<M: Method + Selector>(
    builder: Builder<M>,
    set: &Set,
    engine: &LocalEngine,
) -> &'static str {
    let spec = M::builder().build().unwrap().spec();
    assert_eq!((M::NAME, M::PARAMS.len()), (spec.name, spec.params.len()));
    let method = builder.build().unwrap();
    assert_eq!(method.params(), &Params::new(spec.name, spec.params, set).unwrap());
    let run = Run::new(1, Constraints { k: Some(3), ..Constraints::default() });
    let built = method.select(&run, engine).unwrap();
    assert_eq!(built.method, spec.name);
    let expected = spec.run(set, &run, engine).unwrap();
    assert_eq!(built.to_json().unwrap(), expected.to_json().unwrap(), "{}", spec.name);
    spec.name
}

fn check_ranker<M: Method + Ranker>(
    builder: Builder<M>,
    set: &Set,
    data: &Dataset,
) -> &'static str {
    let ranker = builder.build().unwrap();
    let spec: &RankerSpec = ranker.spec();
    assert_eq!(ranker.params(), &Params::new(spec.name, spec.params, set).unwrap());
    let run = Run::new(1, Constraints::default());
    let built = ranker.fit(&run, &data.view(), None).unwrap();
    let expected = spec.fit(set, &run, &data.view(), None).unwrap();
    assert_eq!(built.to_json().unwrap(), expected.to_json().unwrap(), "{}", spec.name);
    assert_eq!(built.trained.unwrap().ranker, spec.name);
    spec.name
}

/// Checks methods, each with the setters to call; a value that does not print as the text of its
/// parameter is followed by the text. The settings are small, so that every method runs quickly.
macro_rules! check_all {
    ($check:ident($on:expr): $(
        $method:ident $({ $($setter:ident: $value:expr $(=> $text:literal)?),+ })?
    )*) => {
        [$({
            let builder = $method::builder()$($(.$setter($value))+)?;
            let set = vec![$($(
                (stringify!($setter).replace('_', "-"), check_all!(@text $value $(=> $text)?))
            ),+)?];
            $check(builder, &set, $on)
        }),*]
    };
    (@text $value:expr => $text:literal) => { $text.to_owned() };
    (@text $value:expr) => { $value.to_string() };
}

#[test]
fn every_selector_has_a_builder() {
    let engine = LocalEngine::new(data(), 0).unwrap();
    let names = check_all![check_selector(&engine):
        AutoSelector { ranker: "linear-regression", folds: 3, methods: "best-gain" }
        TopK
        BestGain { delta: 0.03 }
        GAS { c: 0.5 }
        DivFS
        MRMR { form: MRMRForm::Quotient => "quotient" }
        FCBF
        CFS { unrelated: UndefinedCorrelation::Free => "free" }
        Consistency
        Interact
        NGAS
        XGAS
        HCAS
        Hierarchical
        RankFilter { neighbours: 3, sample: 0.5 }
        GreedyForward { ranker: "linear-regression" }
        SPEA2 {
            population: 6, archive: 6, generations: 2, choose: FrontChoice::Knee => "knee",
            test: SPEA2Test::Student => "t-test"
        }
        Backward { ranker: "linear-regression" }
        RFE { settings: &[("trees", "3")] => "trees=3", folds: 2 }
        Boruta {
            settings: &[("trees", "3")] => "trees=3", rounds: 3,
            tentative: TentativeRule::Keep => "keep"
        }
        RankWrapper { neighbours: 3 }
        BTFS { settings: &[("trees", "3")] => "trees=3" }
        BestFirst { ranker: "linear-regression" }
        MOFSRank {
            population: 4, pair_generations: 1, feature_generations: 1, ensemble_generations: 1,
            shares: InstanceShares::Half => "half", choose: MOFSRankChoice::Training => "training"
        }
        L1SVM { c: &[0.01] => "0.01" }
        RankRWFSL1 { c: &[0.01] => "0.01" }
        RankRWFSL0 { c: &[0.01] => "0.01" }
        RankL2AROM { c: &[0.01] => "0.01" }
        FenchelRank { r: &[1.0, 10.0] => "1,10", start: FenchelStart::Neighbour => "neighbour" }
        FSMRank { lambda1: &[0.01] => "0.01", lambda2: &[0.001] => "0.001" }
        NonconvexSVM { lambda: &[0.01] => "0.01", rounds: 3 }
        GreedyRankRLS { lambda: &[1.0] => "1" }
        EGRank { r: &[10.0] => "10", steps: 20 }
        RSRank {
            g: &[0.1] => "0.1", iterations: 5, truncation: RSRankTruncation::Langford => "langford"
        }
    ];
    assert!(names.into_iter().eq(SELECTORS.iter().map(|spec| spec.name)));
}

#[test]
fn every_ranker_has_a_builder() {
    let data = data();
    let names = check_all![check_ranker(&data):
        SingleFeature { feature: "3" }
        LinearRegression { ridge: 0.5 }
        RankRLS { lambda: 0.5 }
        RankSVMPrimal { tolerance: 0.001 }
        RankSVMStruct { epsilon: 0.01 }
        SVMMAP { epsilon: 0.05 }
        ListNet { epochs: 5 }
        LambdaRank { epochs: 5 }
        AdaRankNDCG { rounds: 5 }
        AdaRankMAP { rounds: 5 }
        CoordinateAscent { restarts: 1, iterations: 5 }
        RegressionTree { leaves: 8 }
        RandomForest { trees: 3, leaves: 8, bootstrap: false }
        MART { trees: 5 }
        LambdaMART { trees: 5 }
    ];
    assert!(names.into_iter().eq(RANKERS.iter().map(|spec| spec.name)));
}

#[test]
fn wrappers_take_rankers_by_name_and_built() {
    fn same<M: Method + Selector>(a: Builder<M>, b: Builder<M>) {
        assert_eq!(a.build().unwrap().params(), b.build().unwrap().params(), "{}", M::NAME);
    }
    macro_rules! check {
        ($($wrapper:ident)*) => { [$({
            let new = $wrapper::builder;
            let ranker = LambdaMART::builder().leaves(8).trees(5).build().unwrap();
            same(
                new().ranker(ranker),
                new().ranker("lambdamart").settings(&[("trees", "5"), ("leaves", "8")]),
            );
            // A built ranker has all its parameters; a name leaves those of the wrapper.
            let defaults = RankRLS::builder().build().unwrap();
            same(new().ranker(defaults), new().ranker("rankrls").settings(&[]));
            same(new().ranker("rankrls".to_owned()), new().set("ranker", "rankrls"));
            <$wrapper as Method>::NAME
        }),*] };
    }
    let names = check![
        AutoSelector GreedyForward SPEA2 Backward RFE Boruta RankWrapper BTFS BestFirst
    ];
    let trains = |spec: &&&SelectorSpec| spec.params.iter().any(|p| p.kind == Kind::Ranker);
    assert!(names.into_iter().eq(SELECTORS.iter().filter(trains).map(|spec| spec.name)));
}

#[test]
fn a_built_ranker_gives_the_selection_of_its_text() {
    let engine = LocalEngine::new(data(), 0).unwrap();
    let run = Run::new(1, Constraints { k: Some(3), ..Constraints::default() });
    let forest = RandomForest::builder().trees(3).bootstrap(false).build().unwrap();
    let built = RFE::builder().ranker(forest).build().unwrap().select(&run, &engine).unwrap();
    let set = [("ranker", "random-forest"), ("settings", "trees=3;bootstrap=false")];
    let set = set.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let expected = RFE::SPEC.run(&set, &run, &engine).unwrap();
    assert_eq!(built.to_json().unwrap(), expected.to_json().unwrap());
}

#[test]
fn setters_equal_command_line_parameters() {
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
fn values_out_of_range_are_rejected_by_the_builder() {
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
