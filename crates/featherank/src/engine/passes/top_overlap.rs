//! How alike the top tens of two columns order documents; see [`super::correlations`].

use crate::measure::ascending;

/// Documents that count as the top of a list.
const DEPTH: usize = 10;

/// The top tens of the columns of one list.
pub(crate) struct TopLists {
    lists: Vec<Vec<Placed>>,
}

#[derive(Clone, Copy)]
struct Placed {
    document: u32,
    /// 0 for the best documents; tied ones share a place.
    place: u32,
}

/// Below every place.
const OUTSIDE: u32 = u32::MAX;

impl TopLists {
    /// Finds the top tens.
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = &'a [f32]>) -> Self {
        TopLists { lists: columns.into_iter().map(top).collect() }
    }

    /// The share of common ordered pairs; `None` where a column has no top because all of it is tied.
    pub(crate) fn overlap(&self, a: usize, b: usize) -> Option<f64> {
        let (a, b) = (&self.lists[a], &self.lists[b]);
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let place = |list: &[Placed], document: u32| {
            list.iter().find(|placed| placed.document == document).map_or(OUTSIDE, |placed| placed.place)
        };
        let mut union: Vec<(u32, u32)> =
            a.iter().map(|placed| (placed.place, place(b, placed.document))).collect();
        let only_b = b.iter().filter(|placed| place(a, placed.document) == OUTSIDE);
        union.extend(only_b.map(|placed| (OUTSIDE, placed.place)));
        let (mut both, mut either) = (0u32, 0u32);
        for (i, x) in union.iter().enumerate() {
            for y in &union[..i] {
                let (by_a, by_b) = (x.0.cmp(&y.0), x.1.cmp(&y.1));
                // Opposite orders are two different pairs.
                either += match (by_a.is_ne(), by_b.is_ne()) {
                    (true, true) => 1 + u32::from(by_a != by_b),
                    (one, other) => u32::from(one || other),
                };
                both += u32::from(by_a.is_ne() && by_a == by_b);
            }
        }
        // One document alone on top of both lists is in the same order by both.
        Some(if either == 0 { 1.0 } else { f64::from(both) / f64::from(either) })
    }
}

/// The documents of the best groups of ties that fit into the top.
fn top(values: &[f32]) -> Vec<Placed> {
    let mut keys: Vec<u64> =
        values.iter().zip(0u64..).map(|(&value, row)| u64::from(!ascending(value)) << 32 | row).collect();
    keys.sort_unstable();
    let mut list = Vec::with_capacity(DEPTH);
    if keys.first().map(|key| key >> 32) == keys.last().map(|key| key >> 32) {
        return list;
    }
    for (group, place) in keys.chunk_by(|a, b| a >> 32 == b >> 32).zip(0..) {
        if list.len() + group.len() > DEPTH {
            break;
        }
        list.extend(group.iter().map(|&key| Placed { document: key as u32, place }));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(a: &[f32], b: &[f32]) -> Option<f64> {
        TopLists::new([a, b]).overlap(0, 1)
    }

    #[test]
    fn counts_ordered_pairs_of_the_union() {
        let falling: Vec<f32> = (0..20).map(|i| -(i as f32)).collect();
        let rising: Vec<f32> = (0..20).map(|i| i as f32).collect();
        assert_eq!((overlap(&falling, &falling), overlap(&falling, &rising)), (Some(1.0), Some(0.0)));
        // 0 > 1 > 2 and 0 > 2 > 1: two pairs alike, one in opposite ways, which is two different pairs.
        assert_eq!(overlap(&[3., 2., 1.], &[3., 1., 2.]), Some(0.5));
        // A tie on one side orders nothing there: 0 > 1, 0 > 2 in common, 1 > 2 on one side only.
        assert_eq!(overlap(&[3., 2., 1.], &[3., 1., 1.]), Some(2.0 / 3.0));
        assert_eq!(overlap(&[3., 2., 1.], &[1., 1., 1.]), None);
    }

    #[test]
    fn ties_across_the_border_stay_outside() {
        let mut values = vec![0.0; 30];
        (values[7], values[9]) = (2.0, 1.0);
        assert_eq!(top(&values).iter().map(|p| (p.document, p.place)).collect::<Vec<_>>(), [(7, 0), (9, 1)]);
        assert!(top(&[1.0; 30]).is_empty());
        let mut tied_on_top = vec![1.0; 30];
        tied_on_top[3] = 0.0;
        assert!(top(&tied_on_top).is_empty(), "29 documents share the best value");
    }
}
