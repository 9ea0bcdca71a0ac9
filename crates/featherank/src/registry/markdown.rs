//! The registry as Markdown: docs/methods.md.

use super::{Entry, ParameterEntry, entries};
use crate::text::wrapped;

/// All entries as Markdown.
pub fn markdown() -> String {
    let origin = "Generated from the declarations of the methods; a test keeps it up to date. Papers \
                  are listed in [references.md](references.md).";
    let mut text = format!("# Methods\n\n{}\n", paragraph(origin));
    let all = entries();
    for kind in ["measure", "selector", "ranker"] {
        text += &format!("\n## {}s\n", capital(kind));
        all.iter().filter(|entry| entry.kind == kind).for_each(|entry| text += &section(entry));
    }
    text.truncate(text.trim_end().len());
    text
}

fn section(entry: &Entry) -> String {
    let mut prose = format!("{}.", capital(entry.summary));
    let facts = entry.facts().into_iter();
    let facts: Vec<String> =
        facts.chain(entry.cites.iter().map(|key| format!("[{key}]"))).collect();
    if !facts.is_empty() {
        prose += &format!(" {}.", capital(&facts.join(", ")));
    }
    let mut text = format!("\n### `{}`\n\n{}\n", entry.name, paragraph(&prose));
    if !entry.parameters.is_empty() {
        text += "\n| parameter | default | range | meaning |\n|---|---|---|---|\n";
        entry.parameters.iter().for_each(|parameter| text += &row(parameter));
    }
    if let Some(values) = entry.tuning() {
        text += &format!("\n{}\n", paragraph(&format!("Values that tuning tries: {values}.")));
    }
    text
}

/// The columns of prose in Markdown.
const PROSE_WIDTH: usize = 100;

fn paragraph(text: &str) -> String {
    wrapped(text, PROSE_WIDTH, 0)
}

fn row(parameter: &ParameterEntry) -> String {
    let ParameterEntry { name, default, range, meaning } = parameter;
    let cells = [name, default, range, meaning].map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", cells.join(" | "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
