//! FCBF, CFS, Consistency and INTERACT on real data: the results of WEKA 3.6.14, and published
//! numbers of features.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::collections::BTreeSet;

use crate::classic_filters::{f, ids, run, select};
use crate::common::real_data;
use featherank::data::folds::FoldFiles;
use featherank::data::{FeatureId, ReadOptions, read};
use featherank::engine::{Engine, LocalEngine};
use featherank::internals::CFSMerit;
use featherank::internals::ConsistencyMerit;
use featherank::internals::discrete::Discrete;
use featherank::internals::discrete::mdl::Encoding;
use featherank::internals::discrete::uncertainty::Uncertainties;
use featherank::internals::search::{BestFirstSearch, SubsetMerit};
use featherank::run::Constraints;
use serde_json::Value;

/// All results of `weka.json`, on the training part of each fold. This library excludes features
/// that are constant within every query; on these data they are constant altogether, and WEKA finds
/// the same sets with them.
#[test]
fn results_on_real_data_equal_weka() {
    let weka: Value = serde_json::from_str(include_str!("fixtures/weka.json")).unwrap();
    let (mut cuts, mut sets) = (0, 0);
    for row in weka["rows"].as_array().unwrap() {
        let dataset = row["dataset"].as_str().unwrap();
        let folder = if dataset == "OHSUMED" { "OHSUMED/QueryLevelNorm" } else { "MQ2008" };
        let Some(folder) = real_data(folder) else { return };
        let fold = row["fold"].as_u64().unwrap() as usize;
        let files = FoldFiles::find(&folder).unwrap();
        let train = read(&files[fold - 1].train, &ReadOptions::default()).unwrap();
        let what = format!("{dataset} fold {fold}");

        let engine = LocalEngine::new(train.clone(), 0).unwrap();
        let all: Vec<FeatureId> = (0..train.features().len()).map(f).collect();
        let data = Discrete::of(&run(), &engine as &dyn Engine, &all, Encoding::Better).unwrap();
        for (id, expected) in
            row["mdl_cut_points_better_encoding"].as_object().into_iter().flatten()
        {
            let column = data.column(FeatureId(id[1..].parse::<u32>().unwrap() - 1));
            let expected = expected.as_array().unwrap();
            assert_eq!(
                column.cuts().len(),
                expected.len(),
                "{what} {id}: {:?} {expected:?}",
                column.cuts()
            );
            for (got, expected) in column.cuts().iter().zip(expected) {
                // Printed values have six decimals and may be halfway between two of them; values
                // are read as 32-bit floats.
                assert!(
                    (got - expected.as_f64().unwrap()).abs() < 0.6e-6,
                    "{what} {id}: {got} {expected}"
                );
                cuts += 1;
            }
        }
        let uncertainties = Uncertainties::of(&data);
        for (id, expected) in row["symmetrical_uncertainty"].as_object().unwrap() {
            let got = uncertainties.with_class(FeatureId(id.parse::<u32>().unwrap() - 1));
            assert!(
                (got - expected.as_f64().unwrap()).abs() < 0.500_001e-5,
                "{what} {id}: {got} {expected}"
            );
        }
        // First on exactly the features that WEKA uses, including constant ones; then as users run
        // it, without them.
        let search = BestFirstSearch { patience: 5, revisits: true };
        let expected = |key: &str| -> BTreeSet<u32> {
            row[key]["features"]
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_u64().unwrap() as u32)
                .collect()
        };
        let merits: [(&str, &mut dyn SubsetMerit); 2] = [
            ("cfs_no_locally_predictive", &mut CFSMerit::of(&data, true)),
            ("consistency_best_first", &mut ConsistencyMerit::of(&data)),
        ];
        for (key, merit) in merits {
            let found = search.search(&run(), &[], &all, merit).unwrap().subset;
            assert_eq!(
                found.iter().map(|f| f.0 + 1).collect::<BTreeSet<_>>(),
                expected(key),
                "{what} {key}"
            );
        }
        for (key, name, set) in [
            ("cfs_best_first", "cfs", &[][..]),
            ("cfs_no_locally_predictive", "cfs", &[("locally-predictive", "false")]),
            ("consistency_best_first", "consistency", &[]),
        ] {
            let selection = select(name, set, Constraints::default(), &train).unwrap();
            assert_eq!(ids(&selection), expected(key), "{what} {key}");
            let merit = selection.selected.last().unwrap().score;
            assert!(
                (merit - row[key]["merit"].as_f64().unwrap()).abs() < 0.500_001e-3,
                "{what} {key}: {merit}"
            );
            sets += 1;
        }
    }
    assert!(cuts > 200 && sets == 24, "{cuts} cuts and {sets} sets compared");
}

/// Five-fold means of feature counts on OHSUMED, pinned beside those of Costa & Silva (2010).
/// INTERACT differs by one feature in one fold.
#[test]
fn feature_counts_are_pinned_beside_the_published_ones() {
    let Some(folder) = real_data("OHSUMED/QueryLevelNorm") else { return };
    let folds = FoldFiles::find(&folder).unwrap();
    for (name, published, ours) in [("fcbf", 1.0, 1.0), ("interact", 34.8, 34.6)] {
        let sizes = folds.iter().map(|fold| {
            let train = read(&fold.train, &ReadOptions::default()).unwrap();
            select(name, &[], Constraints::default(), &train).unwrap().selected.len()
        });
        let mean = sizes.sum::<usize>() as f64 / 5.0;
        assert_eq!(mean, ours, "{name}; published {published}");
    }
}
