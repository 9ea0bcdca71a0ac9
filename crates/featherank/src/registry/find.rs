//! Search in the registry: by name, by kind, or by a word.

use super::{Entry, entries};
use crate::error::Result;
use crate::names::unknown;

/// The entries that fit a search.
#[derive(Debug, Clone, PartialEq)]
pub enum Matches {
    /// Those with this very name.
    Named(Vec<Entry>),
    /// Those of a kind or category, or with a word in their name or summary.
    Listed(Vec<Entry>),
}

impl Matches {
    /// The entries.
    pub fn entries(&self) -> &[Entry] {
        match self {
            Matches::Named(found) | Matches::Listed(found) => found,
        }
    }
}

/// The entries with this name; otherwise those of this kind or category, singular or plural;
/// otherwise those whose name contains the text or whose summary has it as whole words.
///
/// ```
/// use featherank::registry::find;
///
/// assert_eq!(find("mrmr")?.entries().len(), 1);
/// assert!(find("wrappers")?.entries().len() > 5);
/// assert!(find("no such thing").is_err());
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn find(text: &str) -> Result<Matches> {
    let (all, word) = (entries(), text.to_lowercase());
    let fitting = |fits: &dyn Fn(&Entry) -> bool| -> Option<Vec<Entry>> {
        let found: Vec<Entry> = all.iter().filter(|entry| fits(entry)).cloned().collect();
        (!found.is_empty()).then_some(found)
    };
    if let Some(named) = fitting(&|entry| entry.name == word) {
        return Ok(Matches::Named(named));
    }
    let kind = word.strip_suffix('s').unwrap_or(&word);
    let is_kind = |entry: &Entry| {
        entry.kind == kind || entry.category.is_some_and(|category| category.word() == kind)
    };
    let has_word = |entry: &Entry| entry.name.contains(&word) || has_words(entry.summary, &word);
    let listed = fitting(&is_kind).or_else(|| fitting(&has_word)).map(Matches::Listed);
    listed.ok_or_else(|| {
        unknown("measure, selector or ranker", text, all.iter().map(|entry| entry.name))
    })
}

/// Whether a summary has these words; a part of a word is not enough.
fn has_words(summary: &str, words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric();
    let summary = summary.to_lowercase();
    summary.match_indices(words).any(|(at, _)| {
        !summary[..at].ends_with(is_letter) && !summary[at + words.len()..].starts_with(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        find(text).unwrap().entries().iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn names_come_before_kinds_and_kinds_before_words() {
        assert!(matches!(find("MAP").unwrap(), Matches::Named(found) if found.len() == 1));
        assert_eq!(names("rankers"), names("ranker"));
        assert!(names("filter").contains(&"mrmr") && !names("filters").contains(&"rfe"));
        assert!(names("svm").contains(&"l1-svm"));
    }

    #[test]
    fn words_of_a_summary_are_whole() {
        assert!(has_words("Trees, boosted", "trees") && !has_words("Trees, boosted", "boost"));
        let error = find("lightbgm").unwrap_err().to_string();
        assert!(error.contains("no measure, selector or ranker called"), "{error}");
    }
}
