//! Lists of features as users write them: names, ids, ranges of ids and patterns of names.
//!
//! Items are separated by commas. An item is, in this order, the name of a feature, its id, a range
//! of ids (`10-15`, `6-` from 6 on, `-5` up to 5), `*` for all features, or a pattern of names in
//! which `*` stands for any text and `?` for one character (`bm25.*`). A literal name comes first,
//! so a feature called `10-15` is found by it. An item in double quotes is a name and nothing else;
//! a quote inside is doubled.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::features::{Feature, FeatureId, FeatureTable, canonical_id};
use crate::error::{Error, Result};
use crate::names::near_names;

impl FeatureTable {
    /// Resolves a list such as `bm25,3,10-15,title.*`; a feature that several items match is taken
    /// once.
    pub fn resolve_list(&self, list: &str) -> Result<Vec<FeatureId>> {
        // A name may contain commas.
        if let Some(feature) = self.named_feature(list.trim()) {
            return Ok(vec![feature]);
        }
        let mut found: Vec<FeatureId> = Vec::new();
        for item in split(list)? {
            found.extend(match item {
                ListItem::Quoted(name) => {
                    vec![self.named_feature(&name).ok_or_else(|| self.unknown(&name))?]
                }
                ListItem::Plain(item) => self.matching(item)?,
            });
        }
        let mut seen = HashSet::new();
        found.retain(|&feature| seen.insert(feature));
        Ok(found)
    }

    /// The features that one item of a list names: at least one.
    pub fn matching(&self, item: &str) -> Result<Vec<FeatureId>> {
        if let Ok(feature) = self.resolve(item) {
            return Ok(vec![feature]);
        }
        let range = range(item);
        let found: Vec<FeatureId> = match &range {
            Some(ids) => self.of(|f| ids.contains(&f.id)).collect(),
            None if item == "*" => self.of(|_| true).collect(),
            None if is_pattern(item) => {
                self.of(|f| f.name.as_deref().is_some_and(|name| matches(item, name))).collect()
            }
            None => return Err(self.unknown(item)),
        };
        match (found.is_empty(), range) {
            (false, _) => Ok(found),
            (true, Some(_)) => Err(Error::invalid("feature range", item, self.ids_in_words())),
            (true, None) if self.is_named() => Err(self.unknown(item)),
            (true, None) => Err(Error::settings(
                format!("no feature matches `{item}`, because the features have no names"),
                "write ids or ranges of ids such as 10-15, or read the names of the features",
            )),
        }
    }

    /// The column of a feature that a document stored. Features with names are found by name; in
    /// data without any names, by id.
    pub fn find(&self, feature: &Feature) -> Result<FeatureId> {
        match &feature.name {
            Some(name) if self.is_named() => {
                self.named_feature(name).ok_or_else(|| self.unknown(name))
            }
            _ => self.with_id(feature.id),
        }
    }

    /// Whether [`find`](Self::find) finds named features of a document by id.
    pub fn finds_by_id<'a>(&self, features: impl IntoIterator<Item = &'a Feature>) -> bool {
        !self.is_named() && features.into_iter().any(|feature| feature.name.is_some())
    }

    /// Whether any feature has a name.
    pub fn is_named(&self) -> bool {
        self.iter().any(|(_, feature)| feature.name.is_some())
    }

    /// A list that [`resolve_list`](Self::resolve_list) resolves to the features with these ids:
    /// ids, which data with and without names understands, or names where an id is also the name
    /// of a feature.
    pub fn list_of(&self, ids: &[u32]) -> String {
        let item = |&id: &u32| {
            let text = id.to_string();
            let taken = self.named_feature(&text).is_some();
            let name = self.of(|f| f.id == id).next().and_then(|f| self.get(f).name.as_deref());
            match name.filter(|_| taken) {
                Some(name) => format!("\"{}\"", name.replace('"', "\"\"")),
                None => text,
            }
        };
        ids.iter().map(item).collect::<Vec<_>>().join(",")
    }

    fn of(&self, fits: impl Fn(&Feature) -> bool) -> impl Iterator<Item = FeatureId> {
        self.iter().filter(move |(_, feature)| fits(feature)).map(|(id, _)| id)
    }

    fn named_feature(&self, name: &str) -> Option<FeatureId> {
        self.of(|feature| feature.name.as_deref() == Some(name)).next()
    }

    /// The error for a name or pattern that no feature has, with similar names, or with the ids if
    /// the features have no names.
    pub(super) fn unknown(&self, wanted: &str) -> Error {
        let plain: String = wanted.chars().filter(|c| !"*?".contains(*c)).collect();
        let names = || self.iter().filter_map(|(_, feature)| feature.name.as_deref());
        let ids = (!self.is_named()).then(|| self.ids_in_words());
        Error::Unknown {
            kind: "feature".into(),
            name: wanted.into(),
            near: near_names(&plain, names()),
            known: ids.into_iter().collect(),
            hint: None,
        }
    }

    fn ids_in_words(&self) -> String {
        let ids = || self.iter().map(|(_, feature)| feature.id);
        format!("ids from {} to {}", ids().min().unwrap_or(0), ids().max().unwrap_or(0))
    }
}

enum ListItem<'a> {
    Plain(&'a str),
    Quoted(String),
}

/// Splits a list at commas outside quotes.
fn split(list: &str) -> Result<Vec<ListItem<'_>>> {
    let refused = || {
        Error::invalid("list of features", list, "a closing quote, followed by a comma or the end")
    };
    let (mut items, mut rest) = (Vec::new(), list.trim_start());
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut end = 0;
            let name = loop {
                end += quoted[end..].find('"').ok_or_else(refused)?;
                if !quoted[end + 1..].starts_with('"') {
                    break quoted[..end].replace("\"\"", "\"");
                }
                end += 2;
            };
            items.push(ListItem::Quoted(name));
            rest = quoted[end + 1..].trim_start();
            if !rest.is_empty() {
                rest = rest.strip_prefix(',').ok_or_else(refused)?.trim_start();
            }
            continue;
        }
        let (item, more) = rest.split_once(',').unwrap_or((rest, ""));
        if !item.trim().is_empty() {
            items.push(ListItem::Plain(item.trim()));
        }
        rest = more.trim_start();
    }
    Ok(items)
}

/// The ids of a range, one end of which may be open.
fn range(item: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = item.split_once('-')?;
    let end = |id: &str, open: u32| if id.is_empty() { Some(open) } else { canonical_id(id) };
    let is_bounded = !(first.is_empty() && last.is_empty());
    is_bounded.then_some(end(first, 0)?..=end(last, u32::MAX)?)
}

fn is_pattern(item: &str) -> bool {
    item.contains(['*', '?'])
}

/// Whether a name matches a pattern with `*` and `?`. Linear in the name for each star: after a
/// mismatch only the last star takes one character more.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str]) -> FeatureTable {
        let mut table = FeatureTable::numbered(names.len(), 1);
        table.set_names(names.iter().map(|name| (*name).to_owned()).collect());
        table
    }

    fn resolved(table: &FeatureTable, list: &str) -> Vec<u32> {
        table.resolve_list(list).unwrap().into_iter().map(|feature| feature.0 + 1).collect()
    }

    #[test]
    fn patterns_and_ranges_match_several_features() {
        let table = table(&["bm25.title", "bm25.body", "tf", "10-15", "bm25", "a,b", "say \"x\""]);
        assert_eq!(resolved(&table, "bm25.*"), [1, 2]);
        assert_eq!(resolved(&table, "bm25*,tf"), [1, 2, 5, 3]);
        assert_eq!(resolved(&table, "*body, t?"), [2, 3]);
        assert_eq!(resolved(&table, "2-3"), [2, 3]);
        assert_eq!(resolved(&table, "10-15"), [4], "the literal name comes first");
        assert_eq!(resolved(&table, "a,b"), [6], "the whole list is a name");
        assert_eq!(resolved(&table, "tf,\"a,b\", \"say \"\"x\"\"\""), [3, 6, 7]);
        assert_eq!(resolved(&table, "*"), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(resolved(&table, "6-"), [6, 7]);
        assert_eq!(resolved(&table, "-2,tf"), [1, 2, 3]);
        let unnamed = FeatureTable::numbered(3, 1);
        assert_eq!(resolved(&unnamed, "*"), [1, 2, 3]);
        assert_eq!(resolved(&unnamed, "2-"), [2, 3]);
    }

    #[test]
    fn unmatched_names_are_errors_with_similar_names() {
        let named = table(&["bm25.title", "bm25.body", "tf"]);
        for (list, says) in [
            ("bm24.*", "no feature called `bm24.*`"),
            ("bm24.*", "did you mean `bm25"),
            ("bm25.titel", "did you mean `bm25.title`"),
            ("8-9", "ids from 1 to 3"),
            ("8-", "ids from 1 to 3"),
            ("-", "no feature called `-`"),
            ("\"tf", "a closing quote"),
            ("\"tf\"x", "a closing quote"),
            ("\"t*\"", "`t*`"),
        ] {
            let error = named.resolve_list(list).unwrap_err().to_string();
            assert!(error.contains(says), "{list}: {error}");
        }
        let unnamed = FeatureTable::numbered(3, 1);
        let says = |list: &str| unnamed.resolve_list(list).unwrap_err().to_string();
        assert!(says("bm25.*").contains("the features have no names"));
        assert!(says("7").contains("ids from 1 to 3"), "{}", says("7"));
    }

    #[test]
    fn lists_resolve_to_the_features_they_were_made_of() {
        // Feature 2 is called 1: its name would be found instead of feature 1.
        for names in [&["x", "1", "c"][..], &["a,b", "\"1\"", "2"], &["p", "q", "r"]] {
            let table = table(names);
            for ids in [&[1][..], &[1, 2, 3], &[3, 1]] {
                assert_eq!(resolved(&table, &table.list_of(ids)), ids, "{names:?}");
            }
        }
    }

    #[test]
    fn documents_find_features_by_name_or_in_data_without_names_by_id() {
        let feature = |id: u32, name: Option<&str>| Feature { id, name: name.map(str::to_owned) };
        let (named, unnamed) = (table(&["a", "b"]), FeatureTable::numbered(2, 1));
        assert_eq!(named.find(&feature(1, Some("b"))).unwrap(), FeatureId(1));
        assert_eq!(unnamed.find(&feature(1, Some("b"))).unwrap(), FeatureId(0));
        assert_eq!(named.find(&feature(2, None)).unwrap(), FeatureId(1));
        assert!(named.find(&feature(1, Some("c"))).is_err());
        assert!(unnamed.find(&feature(9, Some("a"))).is_err());
        let with_names = [feature(1, Some("a"))];
        assert!(unnamed.finds_by_id(&with_names) && !named.finds_by_id(&with_names));
        assert!(!unnamed.finds_by_id(&[feature(1, None)]));
    }

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abcd", false),
            ("a?c", "ac", false),
            ("*.*.*", "a.b", false),
            ("*ab*ab", "ababab", true),
            ("ü*", "über", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        let long = "a".repeat(100_000);
        assert!(!matches("*a*a*a*a*a*b", &long), "no exponential search");
    }
}
