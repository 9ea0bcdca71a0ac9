//! `featherank methods`: list the registry.

use featherank::internals::text::wrapped;
use featherank::registry::{Entry, Matches, ParameterEntry, entries, find, markdown};

use crate::errors::CommandResult;
use crate::output::{Output, table};

#[derive(clap::Args)]
pub struct MethodsArgs {
    /// A measure, selector or ranker to show with its parameters; a kind to list (measures,
    /// selectors, rankers, filters, wrappers, embedded); or a word to search for
    #[arg(value_name = "FILTER")]
    filter: Option<String>,
    /// Print the Markdown of docs/methods.md
    #[arg(long, conflicts_with = "filter")]
    markdown: bool,
}

pub fn run(args: &MethodsArgs, output: &Output) -> CommandResult {
    let found = match &args.filter {
        Some(filter) => find(filter)?,
        None => Matches::Listed(entries()),
    };
    match found {
        found if output.json() => output.print_json(&found.entries()),
        _ if args.markdown => output.print(markdown()),
        Matches::Listed(found) => list(&found, output),
        Matches::Named(found) => {
            found.iter().try_for_each(|entry| output.print(details(entry, output.width())))
        }
    }
}

/// Headings of the groups, and the kind and category of their entries.
const GROUPS: [(&str, &str, Option<&str>); 5] = [
    ("Measures", "measure", None),
    ("Selectors: filters", "selector", Some("filter")),
    ("Selectors: wrappers", "selector", Some("wrapper")),
    ("Selectors: embedded in a ranker", "selector", Some("embedded")),
    ("Rankers", "ranker", None),
];

fn list(entries: &[Entry], output: &Output) -> CommandResult {
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let mut groups = Vec::new();
    for (heading, kind, category) in GROUPS {
        let belongs = |entry: &&Entry| {
            entry.kind == kind && entry.category.map(|category| category.word()) == category
        };
        let lines: Vec<String> = entries
            .iter()
            .filter(belongs)
            .map(|entry| {
                let line = format!("  {:width$}  {}", entry.name, entry.summary);
                wrapped(&line, output.width(), width + 4)
            })
            .collect();
        if !lines.is_empty() {
            groups.push(format!("{heading}\n{}", lines.join("\n")));
        }
    }
    output.print(groups.join("\n\n"))?;
    output.note("\nfor parameters and papers: featherank methods NAME");
    Ok(())
}

const COLUMNS: [&str; 4] = ["parameter", "default", "range", "meaning"];

fn cells(p: &ParameterEntry) -> Vec<String> {
    vec![p.name.clone(), p.default.clone(), p.range.clone(), p.meaning.clone()]
}

fn details(entry: &Entry, width: usize) -> String {
    let mut lines = vec![wrapped(&format!("{}: {}", entry.name, entry.summary), width, 2)];
    let kind: Vec<String> = std::iter::once(entry.kind.to_owned()).chain(entry.facts()).collect();
    lines.push(wrapped(&kind.join(", "), width, 2));
    if !entry.cites.is_empty() {
        lines.push(format!("papers: {}", entry.cites.join(", ")));
    }
    if !entry.parameters.is_empty() {
        lines.push(String::new());
        let rows: Vec<Vec<String>> = entry.parameters.iter().map(cells).collect();
        lines.push(table(&COLUMNS, &rows, width));
    }
    let tuning = entry.tuning().map(|values| format!("values for train --tune: {values}"));
    lines.extend(tuning.map(|text| wrapped(&text, width, 2)));
    lines.join("\n")
}
