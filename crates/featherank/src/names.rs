//! Unknown names: the error, and the known names that the user may have meant.

use crate::error::Error;

/// A name that other tools use.
struct ToolName {
    /// The kind of name that users try it as.
    kind: &'static str,
    names: &'static [&'static str],
    /// What to use instead, best first.
    instead: &'static [&'static str],
    /// The same in words.
    hint: &'static str,
}

const OTHER_TOOLS: [ToolName; 3] = [
    ToolName {
        kind: "ranker",
        names: &["lightgbm", "lgbm", "lgb", "xgboost", "xgb", "catboost", "gbdt", "gbm"],
        instead: &["lambdamart", "mart"],
        hint: "use lambdamart, whose defaults follow LightGBM's lambdarank; an exported model runs \
               in LightGBM and XGBoost.",
    },
    ToolName {
        kind: "selector",
        names: &["lightgbm", "lgbm", "xgboost", "xgb", "lambdamart", "mart"],
        instead: &["rfe", "boruta", "auto"],
        hint: "a ranker's importances select features through `rfe`, `boruta` or `auto`.",
    },
    ToolName {
        kind: "selector",
        names: &["lasso", "l1"],
        instead: &["l1-svm"],
        hint: "use l1-svm, a linear ranker with an L1 penalty.",
    },
];

impl ToolName {
    /// The entry for a name that was tried as one of several kinds.
    fn find(kinds: &str, name: &str) -> Option<&'static Self> {
        let is_tried = |kind: &str| kinds.split([',', ' ']).any(|tried| tried == kind);
        OTHER_TOOLS.iter().find(|entry| is_tried(entry.kind) && entry.names.contains(&name))
    }
}

/// The error for a name that is not among the known ones: it lists them, nearest first.
pub fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known: Vec<&str> = known.collect();
    let wanted = name.to_lowercase();
    let other = ToolName::find(kind, &wanted);
    let instead = other.map_or(&[][..], |entry| entry.instead);
    Error::Unknown {
        kind: kind.into(),
        name: name.into(),
        near: near_names(name, known.iter().copied()),
        known: nearest_first(&wanted, instead, known),
        hint: other.map(|entry| entry.hint),
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

/// Known names: those to use instead of a name of another tool, then by distance.
fn nearest_first(wanted: &str, instead: &[&str], mut known: Vec<&str>) -> Vec<String> {
    let order = |name: &str| {
        let place = instead.iter().position(|other| *other == name).unwrap_or(instead.len());
        (place, edit_distance(wanted, &name.to_lowercase()))
    };
    // Stable: names that are equally far keep their order.
    known.sort_by_key(|name| order(name));
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
    fn an_unknown_name_lists_known_names_and_explains_other_tools() {
        let says = |kind: &str, name: &str| {
            unknown(kind, name, ["mart", "lambdamart", "rankrls"].into_iter()).to_string()
        };
        assert!(says("ranker", "rankrl").ends_with("there are: rankrls, mart, lambdamart"));
        for kind in ["ranker", "measure, selector or ranker"] {
            for name in ["XGBoost", "lightgbm"] {
                let text = says(kind, name);
                assert!(text.contains("use lambdamart"), "{text}");
                assert!(text.ends_with("there are: lambdamart, mart, rankrls"), "{text}");
            }
        }
        assert!(says("selector", "lasso").contains("use l1-svm"));
        assert!(!says("measure", "xgboost").contains("lambdamart, whose"));
        let many: Vec<String> = (0..40).map(|number| format!("name-{number}")).collect();
        let error = unknown("ranker", "name-7", many.iter().map(String::as_str)).to_string();
        assert!(
            error.contains("there are: name-7, ") && error.ends_with(" and 28 more"),
            "{error}"
        );
    }
}
