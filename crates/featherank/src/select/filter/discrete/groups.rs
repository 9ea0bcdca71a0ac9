//! Groups of documents that a set of features cannot distinguish, and the inconsistency of their
//! labels.
//!
//! The inconsistency of a set of features is the number of documents outside the largest class of
//! their group, divided by the number of all documents (Dash, Liu & Motoda 2000). Adding features
//! never increases it, because groups are only divided. A group of one class stays consistent under
//! any division, so it is discarded: the remaining work shrinks with every feature.

use super::Discrete;
use crate::data::FeatureId;

/// The groups of more than one class under a set of features.
#[derive(Debug, Clone)]
pub struct Groups<'a> {
    data: &'a Discrete,
    /// Rows, ordered by group.
    rows: Vec<u32>,
    /// The class of each of `rows`.
    classes: Vec<u16>,
    ends: Vec<usize>,
}

impl<'a> Groups<'a> {
    /// All documents in one group: the division by no features.
    pub fn undivided(data: &'a Discrete) -> Self {
        let classes = data.classes().codes().to_vec();
        let mut whole = Groups { data, rows: Vec::new(), classes: Vec::new(), ends: Vec::new() };
        if is_mixed(&classes) {
            whole.rows = (0..classes.len() as u32).collect();
            whole.ends = vec![classes.len()];
            whole.classes = classes;
        }
        whole
    }

    /// The groups divided by one more feature.
    #[must_use]
    pub fn divided_by(&self, feature: FeatureId) -> Self {
        let column = self.data.column(feature);
        let mut divided =
            Groups { data: self.data, rows: Vec::new(), classes: Vec::new(), ends: Vec::new() };
        let (mut places, mut codes) = (vec![0usize; column.bins()], Vec::new());
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        for (group, of_group) in self.iter() {
            codes.clear();
            let code = |row: u32| usize::from(column.codes()[row as usize]);
            for &row in group {
                let place = &mut places[code(row)];
                if *place == 0 {
                    codes.push(code(row));
                }
                *place += 1;
            }
            let mut start = 0;
            for &code in &codes {
                start += std::mem::replace(&mut places[code], start);
            }
            rows.resize(group.len(), 0);
            classes.resize(group.len(), 0);
            for (&row, &class) in group.iter().zip(of_group) {
                let place = &mut places[code(row)];
                (rows[*place], classes[*place]) = (row, class);
                *place += 1;
            }
            let mut start = 0;
            for &code in &codes {
                let end = std::mem::take(&mut places[code]);
                if is_mixed(&classes[start..end]) {
                    divided.rows.extend_from_slice(&rows[start..end]);
                    divided.classes.extend_from_slice(&classes[start..end]);
                    divided.ends.push(divided.rows.len());
                }
                start = end;
            }
        }
        divided
    }

    /// The groups divided by several features.
    #[must_use]
    pub fn divided_by_all(self, features: &[FeatureId]) -> Self {
        features.iter().fold(self, |groups, &feature| groups.divided_by(feature))
    }

    /// The number of documents outside the largest class of their group.
    pub fn inconsistent(&self) -> u64 {
        self.count_inconsistent(1, |_| 0)
    }

    /// The same number if the groups were divided by one more feature.
    pub fn inconsistent_with(&self, feature: FeatureId) -> u64 {
        let column = self.data.column(feature);
        self.count_inconsistent(column.bins(), |row| usize::from(column.codes()[row as usize]))
    }

    fn count_inconsistent(&self, bins: usize, code: impl Fn(u32) -> usize) -> u64 {
        let class_count = self.data.classes().bins();
        let mut counts = vec![0u32; bins * class_count];
        let mut largest = vec![0u32; bins];
        let mut consistent = 0;
        for (group, classes) in self.iter() {
            for (&row, &class) in group.iter().zip(classes) {
                let code = code(row);
                let count = &mut counts[code * class_count + usize::from(class)];
                *count += 1;
                // Each time the largest class of a part grows, it contains one more document.
                if *count > largest[code] {
                    largest[code] = *count;
                    consistent += 1;
                }
            }
            for (&row, &class) in group.iter().zip(classes) {
                let code = code(row);
                counts[code * class_count + usize::from(class)] = 0;
                largest[code] = 0;
            }
        }
        self.rows.len() as u64 - consistent
    }

    fn iter(&self) -> impl Iterator<Item = (&[u32], &[u16])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| (&self.rows[start..end], &self.classes[start..end]))
    }
}

fn is_mixed(classes: &[u16]) -> bool {
    classes.iter().any(|&class| class != classes[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six documents, classes 0 0 1 1 1 0. Feature 0 splits them 3:3 into (0 0 1) and (1 1 0): two
    /// are inconsistent. Feature 1 divides (0 0 | 1) and (1 1 | 0): none is. A constant feature 2
    /// changes nothing.
    #[test]
    fn groups_by_hand() {
        let data = Discrete::from_codes(
            vec![vec![0, 0, 0, 1, 1, 1], vec![0, 0, 1, 0, 0, 1], vec![0; 6]],
            vec![0, 0, 1, 1, 1, 0],
        );
        let f = FeatureId;
        let whole = Groups::undivided(&data);
        assert_eq!(whole.inconsistent(), 3);
        assert_eq!([0, 1, 2].map(|i| whole.inconsistent_with(f(i))), [2, 3, 3]);
        assert_eq!(whole.divided_by(f(0)).inconsistent_with(f(1)), 0);
        assert!(
            whole.clone().divided_by_all(&[f(0), f(1)]).rows.is_empty(),
            "pure groups are forgotten"
        );
    }
}
