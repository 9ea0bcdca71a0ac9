//! Converts thresholds on scaled values to thresholds on raw values.
//!
//! A z-score is computed in 64 bits and rounded to 32: z(x) = f32((x − offset) / divisor). Rounding
//! is monotonic, so z never decreases as x grows, and the raw values that go left at a threshold
//! are exactly those up to some largest one. It is found by bisection over all 32-bit numbers;
//! arithmetic on thresholds would not always be exact.

use crate::data::Scale;
use crate::rank::tree::Tree;

/// The largest finite 32-bit number for which `holds` is true, `None` if there is none. `holds`
/// must be true up to some number and false above it.
pub(super) fn largest(holds: impl Fn(f32) -> bool) -> Option<f32> {
    const MOST: i64 = f32::MAX.to_bits() as i64;
    // Numbers in ascending order; 0 represents both zeros.
    let number = |place: i64| {
        f32::from_bits(place.unsigned_abs() as u32) * if place < 0 { -1.0 } else { 1.0 }
    };
    if !holds(f32::MIN) {
        return None;
    }
    let (mut low, mut high) = (-MOST, MOST + 1);
    while high - low > 1 {
        let middle = (low + high).div_euclid(2);
        if holds(number(middle)) { low = middle } else { high = middle }
    }
    Some(number(low))
}

/// The tree for raw values, with finite thresholds; `scales` belong to the ensemble's features.
///
/// If no finite value goes left, the children are exchanged: all finite values then go left at the
/// largest number.
pub(super) fn raw_tree(tree: &Tree, scales: Option<&[Scale]>) -> Tree {
    let mut raw = tree.clone();
    for split in 0..tree.feature.len() {
        let threshold = tree.threshold[split];
        let found = match scales {
            Some(scales) => {
                let scale = scales[tree.feature[split] as usize];
                largest(|x| scale.of(x) <= threshold)
            }
            None => largest(|x| x <= threshold),
        };
        raw.threshold[split] = found.unwrap_or(f32::MAX);
        if found.is_none() {
            (raw.left[split], raw.right[split]) = (tree.right[split], tree.left[split]);
            raw.missing_left[split] = !tree.missing_left[split];
        }
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;

    fn stump(threshold: f32) -> Tree {
        Tree {
            feature: vec![0],
            threshold: vec![threshold],
            missing_left: vec![true],
            left: vec![-1],
            right: vec![-2],
            gain: vec![1.0],
            leaf: vec![1.0, 2.0],
        }
    }

    #[test]
    fn bisection_finds_the_largest_accepted_number() {
        for border in [0.0f32, -0.0, 1.0, -1.0, 1e-45, -1e-45, f32::MAX, f32::MIN, 3.5e-20, -7e30] {
            assert_eq!(largest(|x| x <= border), Some(border));
        }
        assert_eq!(largest(|_| false), None);
        assert_eq!(largest(|x| x < 0.0), Some(-f32::from_bits(1)));
        assert_eq!(largest(|_| true), Some(f32::MAX));
    }

    /// At the threshold and its neighbours, which by monotonicity suffices, and at many values in
    /// between.
    #[test]
    fn every_value_takes_the_same_branch() {
        let mut random = stream(7, Purpose::Test, 0);
        let mut moved = 0;
        for _ in 0..2000 {
            let exponent = |random: &mut _| 10f64.powi(rand::RngExt::random_range(random, -12..12));
            let scale = Scale {
                offset: random.random_range(-1.0..1.0) * exponent(&mut random),
                divisor: random.random_range(0.01..1.0) * exponent(&mut random),
            };
            let tree = stump((random.random_range(-4.0..4.0) * exponent(&mut random)) as f32);
            let raw = raw_tree(&tree, Some(&[scale]));
            let border = raw.threshold[0];
            let by_hand = f64::from(tree.threshold[0]) * scale.divisor + scale.offset;
            moved += usize::from(by_hand as f32 != border);
            let near = [
                border,
                border.next_up(),
                border.next_down(),
                by_hand as f32,
                0.0,
                f32::MAX,
                f32::MIN,
            ];
            let bits = |random: &mut _| f32::from_bits(rand::RngExt::random(random));
            let far: Vec<f32> =
                (0..50).map(|_| bits(&mut random)).filter(|x| x.is_finite()).collect();
            for x in near.into_iter().filter(|x| x.is_finite()).chain(far) {
                assert_eq!(
                    tree.leaf_of(|_| scale.of(x)),
                    raw.leaf_of(|_| x),
                    "{x:e} {scale:?} {tree:?}"
                );
            }
            assert_eq!(tree.leaf_of(|_| f32::NAN), raw.leaf_of(|_| f32::NAN));
        }
        assert!(
            moved > 0,
            "the exact threshold must sometimes differ from t·d + o, or bisection would be unnecessary"
        );
    }

    #[test]
    fn thresholds_become_finite() {
        for threshold in [f32::INFINITY, f32::NEG_INFINITY, 0.5] {
            let (tree, raw) = (stump(threshold), raw_tree(&stump(threshold), None));
            assert!(raw.threshold[0].is_finite());
            for x in [f32::MIN, -1.0, 0.5, 0.6, f32::MAX, f32::NAN] {
                assert_eq!(tree.leaf_of(|_| x), raw.leaf_of(|_| x), "{threshold} {x}");
            }
        }
    }
}
