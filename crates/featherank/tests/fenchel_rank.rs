//! FenchelRank against worked numbers and explicit pairs.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::embedded::{
    close, differences, fixture, loss, numbers, select, shared_data, weights,
};

/// Every step of the fixture, and the final result.
#[test]
fn fenchel_rank_equals_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/fenchelrank_egrank.json"));
    let data = shared_data();
    let pairs = differences(&data);
    for (r, expected) in fixture["fenchelrank"].as_object().unwrap() {
        let steps = expected["first_steps"].as_array().unwrap();
        // The first step of the fixture is the start, before any step is taken.
        for (taken, step) in steps.iter().enumerate().skip(1) {
            let set = [
                ("r", r.as_str()),
                ("epsilon", "1e-12"),
                ("steps", &taken.to_string()),
                ("standardise", "false"),
            ];
            let found = select("fenchel-rank", &set, &data);
            close(&weights(found.model.as_ref().unwrap(), 3), &numbers(&step["w"]), 1e-6);
            close(&[found.certificate["gap"]], &[step["gap"].as_f64().unwrap()], 1e-6);
        }
        let found = select(
            "fenchel-rank",
            &[("r", r), ("epsilon", "1e-9"), ("standardise", "false")],
            &data,
        );
        let w = weights(found.model.as_ref().unwrap(), 3);
        close(&w, &numbers(&expected["w"]), 1e-6);
        let (sum, gradient) = loss(&pairs, &w);
        close(&[sum / 7.0], &[expected["loss"].as_f64().unwrap()], 1e-6);
        // The gap, recomputed over explicit pairs.
        let radius: f64 = r.parse().unwrap();
        let directional: f64 = gradient.iter().zip(&w).map(|(g, w)| g * w / 7.0).sum();
        let gap = directional + radius * gradient.iter().map(|g| g.abs() / 7.0).fold(0.0, f64::max);
        assert!(gap <= 2e-9 && (gap - found.certificate["gap"]).abs() < 1e-12, "{gap}");
    }
}
