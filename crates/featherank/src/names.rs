//! Unknown names: the error, and the known names that the user may have meant.

use crate::error::Error;

/// Names of other tools, by the kind of name that people try them as, and what to use instead.
const ELSEWHERE: [(&str, &[&str], &str); 3] = [
    (
        "ranker",
        &["lightgbm", "lgbm", "lgb", "xgboost", "xgb", "catboost", "gbdt", "gbm"],
        "use lambdamart, whose defaults follow LightGBM's lambdarank; an exported model runs in \
         LightGBM and XGBoost.",
    ),
    (
        "selector",
        &["lightgbm", "lgbm", "xgboost", "xgb", "lambdamart", "mart"],
        "a ranker's importances select features through `rfe`, `boruta` or `auto`.",
    ),
    ("selector", &["lasso", "l1"], "use l1-svm, a linear ranker with an L1 penalty."),
];

/// The error for a name that is not among the known ones: it lists them, nearest first.
pub fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known: Vec<&str> = known.collect();
    let wanted = name.to_lowercase();
    let hint = ELSEWHERE.iter().find(|(of, names, _)| *of == kind && names.contains(&&*wanted));
    Error::Unknown {
        kind: kind.into(),
        name: name.into(),
        near: near_names(name, known.iter().copied()),
        known: nearest_first(&wanted, known),
        hint: hint.map(|(.., hint)| *hint),
    }
}

/// The error for a name that is not among many known ones: it lists only similar names.
pub(crate) fn unknown_of_many<'a>(
    kind: impl Into<String>,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Error {
    Error::Unknown {
        kind: kind.into(),
        name: name.into(),
        near: near_names(name, known),
        known: Vec::new(),
        hint: None,
    }
}

fn nearest_first(wanted: &str, mut known: Vec<&str>) -> Vec<String> {
    // Stable: names that are equally far keep their order.
    known.sort_by_key(|name| edit_distance(wanted, &name.to_lowercase()));
    known.into_iter().map(str::to_owned).collect()
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

/// The number of letters to insert, delete, replace or swap with their neighbour (optimal string
/// alignment).
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // The rows of the last two letters of `a` and of this one.
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let is_swap = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            let swapped = if is_swap { before[j - 1] + 1 } else { usize::MAX };
            row.push(replaced.min(swapped).min(last[j + 1] + 1).min(row[j] + 1));
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_names_that_are_nearly_right() {
        let known = ["lambdamart", "lambdarank", "ranksvm-primal", "ranksvm-struct", "rankrls"];
        let near = |name: &str| near_names(name, known.into_iter());
        assert_eq!(near("lambdamrat")[0], "`lambdamart`");
        assert_eq!(near_names("bm52.", ["tf.body", "bm25.title"].into_iter()), ["`bm25.title`"]);
        assert_eq!(near("RankSVN"), ["`ranksvm-primal`", "`ranksvm-struct`"]);
        assert!(near("xyz").is_empty());
        assert!(near("ra").is_empty(), "two letters are no hint");
    }

    #[test]
    fn an_unknown_name_lists_what_there_is_and_explains_other_tools() {
        let says = |kind: &str, name: &str| {
            unknown(kind, name, ["mart", "lambdamart", "rankrls"].into_iter()).to_string()
        };
        assert!(says("ranker", "rankrl").ends_with("there are: rankrls, mart, lambdamart"));
        assert!(says("ranker", "XGBoost").contains("use lambdamart"));
        assert!(says("selector", "lasso").contains("use l1-svm"));
        assert!(!says("measure", "xgboost").contains("lambdamart, whose"));
    }
}
