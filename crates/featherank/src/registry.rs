//! The registries of measures, selectors and rankers.

/// Names within two edits of `wanted`, nearest first.
pub(crate) fn near_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (edit_distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= 2.max(wanted.chars().count() / 3))
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| format!("`{name}`")).collect()
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
