//! Unknown names: the error, and the known names that the user may have meant.

use crate::error::Error;

/// The error for a name that is not among the known ones.
pub fn unknown(kind: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Error {
    Error::Unknown { kind: kind.into(), name: name.into(), near: near_names(name, known) }
}

/// Names within two edits of `wanted`, or that begin within one edit of it, nearest first.
pub(crate) fn near_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let length = wanted.chars().count();
    let distance = |name: &str| {
        let start: String = name.chars().take(length).collect();
        // Up to three letters are a prefix of too many names.
        let begins = length > 3 && edit_distance(&wanted, &start) <= 1;
        if begins { 1 } else { edit_distance(&wanted, name) }
    };
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(&name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= 2.max(length / 3))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_names_that_are_nearly_right() {
        let known = ["lambdamart", "lambdarank", "ranksvm-primal", "ranksvm-struct", "rankrls"];
        let near = |name: &str| near_names(name, known.into_iter());
        assert_eq!(near("lambdamrat")[0], "`lambdamart`");
        assert_eq!(near("RankSVN"), ["`ranksvm-primal`", "`ranksvm-struct`"]);
        assert!(near("xyz").is_empty());
        assert!(near("ra").is_empty(), "two letters are no hint");
    }
}
