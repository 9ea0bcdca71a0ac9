//! Synthetic data follows its settings: shapes, balance, roles, and the same bytes on any number of
//! threads.

use std::ops::Range;

use featherank::data::synth::{Preset, Role, SynthConfig, Truth, generate};
use featherank::data::{Dataset, FeatureId};

/// Long lists and no raw scales, so that roles can be recognised from a few hundred queries.
fn clear() -> SynthConfig {
    SynthConfig {
        queries: 300,
        documents: 30_000,
        min_documents: 50,
        max_documents: 400,
        labels: vec![0.6, 0.25, 0.15],
        heavy_tails: false,
        ..SynthConfig::default()
    }
}

/// Share of pairs with different labels that the values order correctly, minus the share ordered
/// wrongly.
fn agreement(values: &[f32], labels: &[f32]) -> Option<f64> {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for i in 0..labels.len() {
        for j in 0..i {
            if labels[i] != labels[j] {
                let (a, b) = if labels[i] > labels[j] { (i, j) } else { (j, i) };
                sum += f64::from(i8::from(values[a] > values[b]) - i8::from(values[a] < values[b]));
                pairs += 1.0;
            }
        }
    }
    (pairs > 0.0).then(|| sum / pairs)
}

/// The agreement of a feature with the labels, for each query that has different labels.
fn agreements(data: &Dataset, id: u32) -> Vec<f64> {
    let column = data.column(FeatureId(id - 1));
    data.queries()
        .iter()
        .filter_map(|rows| agreement(&column[rows.clone()], &data.labels()[rows]))
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean over the features of a role of the mean agreement over queries.
fn mean_of_role(data: &Dataset, truth: &Truth, role: Role) -> f64 {
    mean(&truth.with_role(role).map(|f| mean(&agreements(data, f.id))).collect::<Vec<_>>())
}

/// Mean over queries of the Pearson correlation of two features.
fn correlation_within_queries(data: &Dataset, a: u32, b: u32) -> f64 {
    let (a, b) = (data.column(FeatureId(a - 1)), data.column(FeatureId(b - 1)));
    let centred = |column: &[f32]| -> Vec<f64> {
        let values: Vec<f64> = column.iter().map(|&v| f64::from(v)).collect();
        let middle = mean(&values);
        values.iter().map(|v| v - middle).collect()
    };
    let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
    let pearson = |rows: Range<usize>| {
        let (x, y) = (centred(&a[rows.clone()]), centred(&b[rows]));
        dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt()
    };
    mean(&data.queries().iter().map(pearson).collect::<Vec<_>>())
}

fn share_of_grade(data: &Dataset, grade: f32) -> f64 {
    data.labels().iter().filter(|&&label| label == grade).count() as f64 / data.documents() as f64
}

/// Share of relevant documents in each query.
fn relevant_shares(data: &Dataset) -> Vec<f64> {
    let share = |rows: Range<usize>| {
        let labels = &data.labels()[rows];
        labels.iter().filter(|&&label| label > 0.0).count() as f64 / labels.len() as f64
    };
    data.queries().iter().map(share).collect()
}

#[test]
fn presets_have_their_shape_balance_and_queries_without_relevant_documents() {
    for preset in [Preset::Tiny, Preset::Letor] {
        let config = preset.config();
        let (data, truth) = generate(&config).unwrap();
        assert_eq!(data.queries().len(), config.queries);
        assert_eq!(data.documents(), config.documents);
        assert_eq!(data.features().len(), config.features());
        assert_eq!(truth.features.len(), config.features());
        assert!(data.values().iter().all(|value| value.is_finite()));
        for (grade, share) in config.labels.iter().enumerate() {
            let found = share_of_grade(&data, grade as f32);
            assert!((found - share).abs() < 0.002, "{preset}, grade {grade}: {found}");
        }
        let without = relevant_shares(&data).iter().filter(|&&share| share == 0.0).count();
        assert_eq!(
            without,
            (config.no_relevant * config.queries as f64).round() as usize,
            "{preset}"
        );
    }
}

#[test]
fn queries_differ_in_how_much_is_relevant() {
    let (data, _) = generate(&clear()).unwrap();
    let shares = relevant_shares(&data);
    assert!(shares.iter().any(|&s| s < 0.2) && shares.iter().any(|&s| s > 0.6), "{shares:?}");
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| generate(&Preset::Tiny.config()).unwrap())
    };
    assert_eq!(with_threads(1), with_threads(3));
}

#[test]
fn another_seed_gives_another_data_set() {
    let print =
        |seed| generate(&SynthConfig { seed, ..SynthConfig::default() }).unwrap().0.fingerprint();
    assert_ne!(print(1), print(2));
}

#[test]
fn redundant_features_correlate_with_their_parents_at_the_set_level() {
    for correlation in [0.5, 0.9, 0.99] {
        let (data, truth) = generate(&SynthConfig { correlation, ..clear() }).unwrap();
        for copy in truth.with_role(Role::Redundant) {
            let found = correlation_within_queries(&data, copy.id, copy.parent.unwrap());
            assert!(
                (found - correlation).abs() < 0.03,
                "feature {}: {found}, not {correlation}",
                copy.id
            );
        }
    }
}

#[test]
fn useful_features_agree_with_the_labels_and_noisy_ones_do_not() {
    for heavy_tails in [false, true] {
        let (data, truth) = generate(&SynthConfig { heavy_tails, ..clear() }).unwrap();
        for feature in truth.with_role(Role::Noisy) {
            assert!(mean(&agreements(&data, feature.id)).abs() < 0.03, "feature {}", feature.id);
        }
        for feature in truth.with_role(Role::Useful) {
            assert!(mean(&agreements(&data, feature.id)) > 0.08, "feature {}", feature.id);
        }
        let of = |role| mean_of_role(&data, &truth, role);
        assert!(of(Role::Useful) > 0.2);
        assert!(of(Role::Redundant) > 0.8 * of(Role::Useful));
        assert!(of(Role::QueryDependent) > 0.05 && of(Role::QueryDependent) < of(Role::Risky));
    }
}

#[test]
fn greater_weights_make_stronger_features() {
    let (data, truth) = generate(&clear()).unwrap();
    let mut useful: Vec<_> = truth.with_role(Role::Useful).collect();
    useful.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let (strongest, weakest) = (useful[0], useful[useful.len() - 1]);
    assert!(mean(&agreements(&data, strongest.id)) > 1.5 * mean(&agreements(&data, weakest.id)));
}

/// Without noise and with one other feature, the sign of a risky feature is visible in every query.
#[test]
fn risky_features_help_most_queries_and_hurt_the_given_share() {
    let config = SynthConfig {
        useful: 1,
        risky: 1,
        query_dependent: 0,
        signal: 1.0,
        no_relevant: 0.0,
        ..clear()
    };
    let (data, truth) = generate(&config).unwrap();
    let risky = truth.with_role(Role::Risky).next().unwrap();
    let found = agreements(&data, risky.id);
    let hurt = found.iter().filter(|&&a| a < 0.0).count() as f64 / found.len() as f64;
    assert!(mean(&found) > 0.2);
    assert!((hurt - config.risky_share).abs() < 0.06, "{hurt}");
}

#[test]
fn query_dependent_features_matter_in_the_given_share_of_queries() {
    let config = SynthConfig {
        useful: 1,
        risky: 0,
        query_dependent: 1,
        signal: 1.0,
        no_relevant: 0.0,
        ..clear()
    };
    let (data, truth) = generate(&config).unwrap();
    let feature = truth.with_role(Role::QueryDependent).next().unwrap();
    let found = agreements(&data, feature.id);
    let matters = found.iter().filter(|&&a| a > 0.3).count() as f64 / found.len() as f64;
    assert!((matters - config.active_share).abs() < 0.08, "{matters}");
}

/// A switch has one value in each query, positive where its query-dependent feature matters.
#[test]
fn switches_show_where_query_dependent_features_matter() {
    let config = SynthConfig {
        useful: 1,
        risky: 0,
        query_dependent: 1,
        switches: 1,
        signal: 1.0,
        no_relevant: 0.0,
        ..clear()
    };
    let (data, truth) = generate(&config).unwrap();
    let switch = truth.with_role(Role::Switch).next().unwrap();
    let dependent = truth.with_role(Role::QueryDependent).next().unwrap();
    assert_eq!(switch.parent, Some(dependent.id));
    let (levels, values) =
        (data.column(FeatureId(switch.id - 1)), data.column(FeatureId(dependent.id - 1)));
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for rows in data.view().rows() {
        let level = levels[rows.start];
        assert!(levels[rows.clone()].iter().all(|&other| other == level));
        let agreement = agreement(&values[rows.clone()], &data.labels()[rows]);
        if level > 0.0 { &mut on } else { &mut off }.extend(agreement);
    }
    let share = on.len() as f64 / (on.len() + off.len()) as f64;
    assert!((share - config.active_share).abs() < 0.08, "{share}");
    assert!(mean(&on) > 0.4 && mean(&off).abs() < 0.05, "{} {}", mean(&on), mean(&off));
}

#[test]
fn only_constant_features_are_constant_within_queries() {
    let (data, truth) = generate(&Preset::Tiny.config()).unwrap();
    for feature in &truth.features {
        let column = data.column(FeatureId(feature.id - 1));
        let same = |rows: Range<usize>| {
            column[rows.clone()].iter().all(|&value| value == column[rows.start])
        };
        let constant = data.queries().iter().all(same);
        assert_eq!(constant, feature.role == Role::Constant, "feature {}", feature.id);
    }
}

/// Raw scales are drawn independently of everything else and are increasing: no pair of documents
/// changes its order, some only tie.
#[test]
fn raw_scales_keep_labels_and_order() {
    let raw = SynthConfig::default();
    let plain = SynthConfig { heavy_tails: false, ..raw.clone() };
    let ((raw, _), (plain, _)) = (generate(&raw).unwrap(), generate(&plain).unwrap());
    assert_eq!(raw.labels(), plain.labels());
    for (id, _) in raw.features().iter() {
        let mut pairs: Vec<_> = plain.column(id).iter().zip(raw.column(id)).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(b.0));
        assert!(pairs.iter().map(|pair| pair.1).is_sorted());
    }
    assert!(raw.values().iter().any(|&value| value > 1e4));
}

#[test]
fn the_truth_survives_json_and_has_a_version() {
    let (_, truth) = generate(&SynthConfig { names: true, ..SynthConfig::default() }).unwrap();
    let text = serde_json::to_string(&truth).unwrap();
    assert!(
        text.starts_with(r#"{"version":1,"config":{"#)
            && text.contains(r#""role":"query-dependent""#)
    );
    assert_eq!(serde_json::from_str::<Truth>(&text).unwrap(), truth);
}

#[test]
fn settings_may_be_partial_but_not_misspelt() {
    let config: SynthConfig = serde_json::from_str(r#"{"queries": 70}"#).unwrap();
    assert_eq!(config, SynthConfig { queries: 70, ..SynthConfig::default() });
    assert!(serde_json::from_str::<SynthConfig>(r#"{"querys": 70}"#).is_err());
}

#[test]
fn impossible_settings_are_errors_that_name_the_field() {
    let refused = |config: SynthConfig| generate(&config).unwrap_err().to_string();
    assert!(refused(SynthConfig { queries: 0, ..SynthConfig::default() }).contains("queries"));
    assert!(
        refused(SynthConfig { labels: vec![0.5, 0.4], ..SynthConfig::default() })
            .contains("labels")
    );
    let endless = SynthConfig {
        documents: usize::MAX / 4,
        max_documents: usize::MAX,
        ..SynthConfig::default()
    };
    assert!(refused(endless).contains("documents"));
}

#[test]
fn the_smallest_data_set_and_one_without_signal_can_be_generated() {
    let one = SynthConfig {
        queries: 1,
        documents: 2,
        min_documents: 1,
        labels: vec![0.5, 0.5],
        no_relevant: 0.0,
        ..SynthConfig::default()
    };
    assert_eq!(generate(&one).unwrap().0.labels().iter().sum::<f32>(), 1.0);
    let noise = SynthConfig {
        useful: 0,
        redundant: 0,
        query_dependent: 0,
        risky: 0,
        ..SynthConfig::default()
    };
    let (data, truth) = generate(&noise).unwrap();
    assert_eq!((data.features().len(), truth.with_role(Role::Noisy).count()), (6, 4));
    assert!((share_of_grade(&data, 0.0) - 0.7).abs() < 0.002);
}
