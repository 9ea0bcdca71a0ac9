//! All tests of the public API as one program: it is linked once, and its tests run in parallel.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

mod auto;
mod bad_input;
mod builders;
mod classic_filters;
mod cluster_filters;
mod common;
mod comparison_progress;
mod conformance;
mod convex_properties;
mod convex_rankers;
mod correlations;
mod descent_rankers;
mod eg_rank;
mod elsewhere;
mod embedded;
mod engine;
mod error_texts;
mod evaluate;
mod examples;
mod fenchel_rank;
mod filters;
mod formats;
mod fuzz_cases;
mod greedy_rankrls;
mod layers;
mod letor;
mod line_width;
mod measures;
mod missing;
mod mofsrank;
mod own_ranker;
mod parts;
mod query_level;
mod rank_filter;
mod reliability;
mod risk;
mod round_trip;
mod rs_rank;
mod scale;
mod significance;
mod sparse_svm;
mod spea2;
mod synth;
mod tree_rankers;
mod weka;
mod wide;
mod wrappers;

/// A file that is not listed above would never run.
#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let programs = ["all", "stopping"];
        let module = name.strip_suffix(".rs").filter(|module| !programs.contains(module));
        let Some(module) = module else {
            continue;
        };
        assert!(
            include_str!("all.rs").contains(&format!("\nmod {module};\n")),
            "tests/all.rs does not name {module}"
        );
    }
}
