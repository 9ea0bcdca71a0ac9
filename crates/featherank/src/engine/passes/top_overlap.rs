//! The overlap of the top tens of two columns; see [`super::correlations`].

use crate::measure::ascending;

/// Documents that count as the top of a list.
const DEPTH: usize = 10;

/// The top tens of the columns of one list.
pub(crate) struct TopLists {
    /// For each column the place of every document: 0 for the best, tied ones share a place. `None`
    /// for a column of one value.
    places: Vec<Option<Vec<u8>>>,
}

/// Below every place.
const OUTSIDE: u8 = DEPTH as u8;

impl TopLists {
    /// Finds the top tens.
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = &'a [f32]>) -> Self {
        TopLists { places: columns.into_iter().map(places).collect() }
    }

    /// The share of common ordered pairs; `None` if a column has one value only.
    pub(crate) fn overlap(&self, a: usize, b: usize) -> Option<f64> {
        let (a, b) = (self.places[a].as_ref()?, self.places[b].as_ref()?);
        let mut documents = [[0u64; DEPTH + 1]; DEPTH + 1];
        a.iter().zip(b).for_each(|(&a, &b)| documents[usize::from(a)][usize::from(b)] += 1);
        // Those below both tops are in no pair.
        documents[DEPTH][DEPTH] = 0;
        let cells = (0..=DEPTH).flat_map(|a| (0..=DEPTH).map(move |b| (a, b)));
        let cells: Vec<(usize, usize, u64)> =
            cells.map(|(a, b)| (a, b, documents[a][b])).filter(|cell| cell.2 > 0).collect();
        let (mut both, mut either) = (0, 0);
        for (i, x) in cells.iter().enumerate() {
            for y in &cells[..i] {
                let (by_a, by_b, pairs) = (x.0.cmp(&y.0), x.1.cmp(&y.1), x.2 * y.2);
                // Opposite orders are two different pairs.
                either += pairs
                    * match (by_a.is_ne(), by_b.is_ne()) {
                        (true, true) => 1 + u64::from(by_a != by_b),
                        (one, other) => u64::from(one || other),
                    };
                both += pairs * u64::from(by_a.is_ne() && by_a == by_b);
            }
        }
        // If neither orders any documents within the tops, the orders are the same.
        Some(if either == 0 { 1.0 } else { both as f64 / either as f64 })
    }
}

/// Places of documents. Ties that begin within the top belong to it, so that a column of few values
/// has a top, too.
fn places(values: &[f32]) -> Option<Vec<u8>> {
    let mut keys: Vec<u64> = values
        .iter()
        .zip(0u64..)
        .map(|(&value, row)| u64::from(!ascending(value)) << 32 | row)
        .collect();
    keys.sort_unstable();
    if keys.first()? >> 32 == keys.last()? >> 32 {
        return None;
    }
    let mut places = vec![OUTSIDE; values.len()];
    let mut above = 0;
    for (group, place) in keys.chunk_by(|a, b| a >> 32 == b >> 32).zip(0..) {
        if above >= DEPTH {
            break;
        }
        group.iter().for_each(|&key| places[key as u32 as usize] = place);
        above += group.len();
    }
    Some(places)
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
        assert_eq!(
            (overlap(&falling, &falling), overlap(&falling, &rising)),
            (Some(1.0), Some(0.0))
        );
        // 0 > 1 > 2 and 0 > 2 > 1: two pairs in the same order, one in the opposite order, which is
        // two different pairs.
        assert_eq!(overlap(&[3., 2., 1.], &[3., 1., 2.]), Some(0.5));
        // A tie on one side orders nothing there: 0 > 1, 0 > 2 in common, 1 > 2 on one side only.
        assert_eq!(overlap(&[3., 2., 1.], &[3., 1., 1.]), Some(2.0 / 3.0));
        assert_eq!(overlap(&[3., 2., 1.], &[1., 1., 1.]), None);
    }

    #[test]
    fn ties_across_the_border_belong_to_the_top() {
        let mut values = [0.0; 30];
        (values[7], values[9]) = (2.0, 1.0);
        let found = places(&values).unwrap();
        assert_eq!((found[7], found[9], found[0]), (0, 1, 2));
        assert!(places(&[1.0; 30]).is_none());
        // Half of the documents share the best value: a copy is a copy, and the opposite is the
        // opposite.
        let half: Vec<f32> = (0..30).map(|i| (i % 2) as f32).collect();
        let other: Vec<f32> = half.iter().map(|x| 1.0 - x).collect();
        assert_eq!((overlap(&half, &half), overlap(&half, &other)), (Some(1.0), Some(0.0)));
    }
}
