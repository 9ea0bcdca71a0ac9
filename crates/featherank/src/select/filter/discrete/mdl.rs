//! Discretisation of a numeric feature by minimum description length (Fayyad & Irani 1993).
//!
//! Documents are sorted by the feature's value and split in two at the cut with the smallest mean
//! class entropy of the parts; the split is accepted if its gain exceeds the cost of its
//! description,
//!
//! ```text
//! gain > (log2 C + log2(3^k − 2) − (k·H − k₁·H₁ − k₂·H₂)) / n
//! ```
//!
//! with `H` the class entropy of `n` documents of `k` classes, and `H₁`, `H₂`, `k₁`, `k₂` those of
//! the parts; then both parts are split recursively. `C` is the number of possible cuts: `n − 1` in
//! the paper ([`Encoding::Plain`]), the number of borders between distinct values in WEKA's filters
//! ([`Encoding::Better`]).
//!
//! WEKA's rules apply to cases that the paper does not specify, so that the cuts on real data equal
//! WEKA's: a cut lies halfway between its two neighbours, the first of equally good cuts wins, and
//! entropies are summed in WEKA's order, so that "equally good" agrees to the last bit.

use std::f64::consts::LN_2;

use crate::declare::choice;
use crate::measure::{ascending, from_ascending};

/// The number of possible cuts that the description length assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// The number of borders between distinct values.
    Better,
    /// The number of documents minus one, as published.
    Plain,
}

choice! {
    impl Encoding { Better = "better", Plain = "plain" }
}

/// A border between two intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The largest value below the border.
    pub below: f32,
    /// The midpoint between `below` and the smallest value above.
    pub at: f64,
}

/// A table of `n·ln n` for all counts of a data set: finding cuts evaluates it millions of times.
pub struct Entropies {
    n_ln_n: Vec<f64>,
}

impl Entropies {
    /// For at most this many documents.
    pub fn up_to(documents: usize) -> Self {
        Entropies {
            n_ln_n: (0..=documents).map(|n| super::uncertainty::x_ln_x(n as f64)).collect(),
        }
    }

    fn of(&self, counts: &[u32]) -> f64 {
        let (mut sum, mut total) = (0.0, 0);
        for &count in counts {
            sum -= self.n_ln_n[count as usize];
            total += count;
        }
        if total == 0 {
            0.0
        } else {
            (sum + self.n_ln_n[total as usize]) / (f64::from(total) * LN_2)
        }
    }

    /// The mean entropy of two parts.
    fn of_parts(&self, parts: [&[u32]; 2]) -> f64 {
        let (mut sum, mut all) = (0.0, 0);
        for counts in parts {
            let mut total = 0;
            for &count in counts {
                sum += self.n_ln_n[count as usize];
                total += count;
            }
            sum -= self.n_ln_n[total as usize];
            all += total;
        }
        -sum / (f64::from(all) * LN_2)
    }
}

/// The documents with one value and one class.
struct ValueClassGroup {
    value: f32,
    class: u16,
    documents: u32,
}

/// The best split of a sequence of groups, and the gain it must exceed.
struct IntervalSplit {
    /// The number of groups in the lower part.
    lower: usize,
    cut: Cut,
    gain: f64,
    threshold: f64,
}

/// All cuts of a feature, ascending.
pub fn cuts(
    values: &[f32],
    classes: &[u16],
    class_count: usize,
    encoding: Encoding,
    entropies: &Entropies,
) -> Vec<Cut> {
    let groups = grouped(values, classes);
    let (mut cuts, mut open) = (Vec::new(), vec![(0, groups.len())]);
    while let Some((start, end)) = open.pop() {
        let found = best_split(&groups[start..end], class_count, encoding, entropies);
        if let Some(split) = found.filter(|split| split.gain > split.threshold) {
            cuts.push(split.cut);
            let middle = start + split.lower;
            open.extend([(start, middle), (middle, end)]);
        }
    }
    cuts.sort_by(|a, b| a.at.total_cmp(&b.at));
    cuts
}

/// Documents by value, then class. Sorting integers is faster than sorting floats by their order.
fn grouped(values: &[f32], classes: &[u16]) -> Vec<ValueClassGroup> {
    let mut keys: Vec<u64> = values
        .iter()
        .zip(classes)
        .map(|(&value, &class)| u64::from(ascending(value)) << 16 | u64::from(class))
        .collect();
    keys.sort_unstable();
    let runs = keys.chunk_by(|a, b| a == b);
    runs.map(|run| ValueClassGroup {
        value: from_ascending((run[0] >> 16) as u32),
        class: run[0] as u16,
        documents: run.len() as u32,
    })
    .collect()
}

fn best_split(
    groups: &[ValueClassGroup],
    class_count: usize,
    encoding: Encoding,
    entropies: &Entropies,
) -> Option<IntervalSplit> {
    let mut above = vec![0u32; class_count];
    groups.iter().for_each(|group| above[usize::from(group.class)] += group.documents);
    let (all, mut below) = (above.clone(), vec![0u32; class_count]);
    let before = entropies.of(&all);
    let (mut least, mut best, mut borders) = (before, None, 0u32);
    for (i, pair) in groups.windows(2).enumerate() {
        let [group, next] = pair else { break };
        below[usize::from(group.class)] += group.documents;
        above[usize::from(group.class)] -= group.documents;
        if group.value < next.value {
            borders += 1;
            let entropy = entropies.of_parts([&below, &above]);
            if entropy < least {
                least = entropy;
                best = Some(i + 1);
            }
        }
    }
    let lower = best?;
    let documents =
        |groups: &[ValueClassGroup]| groups.iter().map(|group| group.documents).sum::<u32>();
    let n = documents(groups);
    let places = match encoding {
        Encoding::Better => borders,
        Encoding::Plain => n - 1,
    };
    let count = |groups: &[ValueClassGroup]| {
        let mut counts = vec![0u32; class_count];
        groups.iter().for_each(|group| counts[usize::from(group.class)] += group.documents);
        counts
    };
    let (below, above) = (count(&groups[..lower]), count(&groups[lower..]));
    let present = |counts: &[u32]| counts.iter().filter(|&&count| count > 0).count() as f64;
    let k = present(&all);
    let delta = (3f64.powf(k) - 2.0).ln() / LN_2
        - (k * before
            - present(&above) * entropies.of(&above)
            - present(&below) * entropies.of(&below));
    let (a, b) = (groups[lower - 1].value, groups[lower].value);
    Some(IntervalSplit {
        lower,
        cut: Cut { below: a, at: (f64::from(a) + f64::from(b)) / 2.0 },
        gain: before - least,
        threshold: (f64::from(places).ln() / LN_2 + delta) / f64::from(n),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Gains and thresholds of every accepted step, computed independently.
    #[test]
    fn steps_equal_the_fixture() {
        let fixture: Value =
            serde_json::from_str(include_str!("../../../../tests/fixtures/classic_filters.json"))
                .unwrap();
        let mdl = &fixture["mdl"];
        let numbers = |key: &str| -> Vec<f64> {
            mdl[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        };
        let values: Vec<f32> = numbers("x").iter().map(|&x| x as f32).collect();
        let classes: Vec<u16> = numbers("y").iter().map(|&y| y as u16).collect();
        let entropies = Entropies::up_to(values.len());
        let groups = grouped(&values, &classes);
        for step in mdl["steps"].as_array().unwrap() {
            let bound = |i: usize| step["range"][i].as_u64().unwrap() as usize;
            // Every value occurs once, so groups are documents.
            let split =
                best_split(&groups[bound(0)..bound(1)], 3, Encoding::Better, &entropies).unwrap();
            let close = |key: &str, got: f64, within: f64| {
                assert!((got - step[key].as_f64().unwrap()).abs() < within, "{key} {got}");
            };
            close("cut", split.cut.at, 1e-7);
            close("gain", split.gain, 1e-9);
            close("threshold", split.threshold, 1e-9);
            assert_eq!(split.gain > split.threshold, step["accepted"].as_bool().unwrap());
        }
        let found = cuts(&values, &classes, 3, Encoding::Better, &entropies);
        let expected = numbers("cuts");
        assert_eq!(found.len(), expected.len());
        assert!(
            found.iter().zip(expected).all(|(cut, at)| (cut.at - at).abs() < 1e-7),
            "{found:?}"
        );
    }

    /// Twelve documents, two values, six of each class: there is one border to choose from (log2 1
    /// = 0), but eleven possible cuts under the plain encoding. Left (5, 1), right (1, 5): gain 1 −
    /// .6500 = .3500; delta = log2 7 − (2 − 4·.6500) = 3.4074; thresholds 3.4074/12 = .2840 and
    /// (3.4594 + 3.4074)/12 = .5722.
    #[test]
    fn the_better_encoding_counts_borders() {
        let values = [[1f32; 6], [2f32; 6]].concat();
        let classes = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0];
        let entropies = Entropies::up_to(12);
        let found = cuts(&values, &classes, 2, Encoding::Better, &entropies);
        assert_eq!(found, [Cut { below: 1.0, at: 1.5 }]);
        assert!(cuts(&values, &classes, 2, Encoding::Plain, &entropies).is_empty());
    }
}
