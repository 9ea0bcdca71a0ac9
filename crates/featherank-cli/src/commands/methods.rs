//! `featherank methods`: list the registry.

use featherank::registry::{Entry, ParameterEntry, entries, unknown};
use featherank::text::wrapped;

use crate::errors::CommandResult;
use crate::output::{Output, table};

#[derive(clap::Args)]
pub struct Args {
    /// A measure, selector or ranker to show with its parameters; a kind to list (measures,
    /// selectors, rankers, filters, wrappers, embedded); or a word to search for
    #[arg(value_name = "FILTER")]
    filter: Option<String>,
    /// Print the Markdown of docs/methods.md
    #[arg(long, conflicts_with = "filter")]
    markdown: bool,
}

pub fn run(args: &Args, output: &Output) -> CommandResult {
    let all = entries();
    let Some(filter) = &args.filter else {
        return match args.markdown {
            _ if output.json() => output.print_json(&all),
            true => output.print(markdown(&all)),
            false => list(&all.iter().collect::<Vec<_>>(), output),
        };
    };
    let found = |fits: &dyn Fn(&Entry) -> bool| -> Vec<&Entry> {
        all.iter().filter(|entry| fits(entry)).collect()
    };
    let word = filter.to_lowercase();
    let named = found(&|entry| entry.name == word);
    if !named.is_empty() {
        return match output.json() {
            true => output.print_json(&named),
            false => {
                named.iter().try_for_each(|entry| output.print(details(entry, output.width())))
            }
        };
    }
    let kind = word.strip_suffix('s').unwrap_or(&word);
    let of_kind = found(&|entry| entry.kind == kind || category(entry).as_deref() == Some(kind));
    let shown = match of_kind.is_empty() {
        false => of_kind,
        true => found(&|entry| entry.name.contains(&word) || has_words(entry.summary, &word)),
    };
    match shown.is_empty() {
        true => {
            let known = all.iter().map(|entry| entry.name);
            Err(unknown("measure, selector or ranker", filter, known).into())
        }
        false if output.json() => output.print_json(&shown),
        false => list(&shown, output),
    }
}

/// Whether a summary has these words; a part of a word is not enough.
fn has_words(summary: &str, words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric();
    let summary = summary.to_lowercase();
    summary.match_indices(words).any(|(at, _)| {
        !summary[..at].ends_with(is_letter) && !summary[at + words.len()..].starts_with(is_letter)
    })
}

/// Headings of the groups, and the kind and category of their entries.
const GROUPS: [(&str, &str, Option<&str>); 6] = [
    ("Measures", "measure", None),
    ("Selectors: filters", "selector", Some("filter")),
    ("Selectors: wrappers", "selector", Some("wrapper")),
    ("Selectors: embedded in a ranker", "selector", Some("embedded")),
    ("Other selectors", "selector", None),
    ("Rankers", "ranker", None),
];

fn list(entries: &[&Entry], output: &Output) -> CommandResult {
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let known = |category: &Option<String>| {
        GROUPS.iter().any(|(.., of)| of.is_some() && *of == category.as_deref())
    };
    let mut groups = Vec::new();
    for (heading, kind, of) in GROUPS {
        let belongs = |entry: &&&Entry| {
            let category = category(entry).filter(|_| known(&category(entry)));
            entry.kind == kind && category.as_deref() == of
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

fn word(value: serde_json::Result<serde_json::Value>) -> Option<String> {
    value.ok().and_then(|value| value.as_str().map(str::to_owned))
}

fn category(entry: &Entry) -> Option<String> {
    entry.category.and_then(|category| word(serde_json::to_value(category)))
}

const COLUMNS: [&str; 4] = ["parameter", "default", "range", "meaning"];

fn cells(p: &ParameterEntry) -> Vec<String> {
    vec![p.name.clone(), p.default.clone(), p.range.clone(), p.meaning.clone()]
}

/// Category, status, whether it scales out and what it does when stopped, if the entry has them.
fn facts(entry: &Entry) -> Vec<String> {
    let category = category(entry);
    let status = entry.status.and_then(|status| word(serde_json::to_value(status)));
    let scale =
        entry.scales_out.map(|yes| if yes { "scales out" } else { "one machine" }.to_owned());
    let stopped = entry.best_so_far.map(|yes| match yes {
        true => "returns the best so far when stopped".to_owned(),
        false => "returns nothing when stopped".to_owned(),
    });
    [category, status, scale, stopped].into_iter().flatten().collect()
}

/// The values that tuning tries, in one line.
fn tried(entry: &Entry) -> Option<String> {
    let lists =
        entry.tried.iter().map(|tried| format!("{} {}", tried.name, tried.values.join(", ")));
    let lists: Vec<String> = lists.collect();
    (!lists.is_empty()).then(|| format!("values for train --tune: {}", lists.join("; ")))
}

fn details(entry: &Entry, width: usize) -> String {
    let mut lines = vec![wrapped(&format!("{}: {}", entry.name, entry.summary), width, 2)];
    let facts = facts(entry);
    let kind = std::iter::once(entry.kind.to_owned()).chain(facts);
    lines.push(wrapped(&kind.collect::<Vec<_>>().join(", "), width, 2));
    if !entry.cites.is_empty() {
        lines.push(format!("papers: {}", entry.cites.join(", ")));
    }
    if !entry.parameters.is_empty() {
        lines.push(String::new());
        let rows: Vec<Vec<String>> = entry.parameters.iter().map(cells).collect();
        lines.push(table(&COLUMNS, &rows, width));
    }
    lines.extend(tried(entry).map(|text| wrapped(&text, width, 2)));
    lines.join("\n")
}

fn markdown(all: &[Entry]) -> String {
    let mut text = String::from(
        "# Methods\n\nGenerated by `featherank methods --markdown`; a test keeps it up to date. Papers \
         are listed in [references.md](references.md).\n",
    );
    let row = |cells: &[String]| {
        format!(
            "| {} |\n",
            cells.iter().map(|c| c.replace('|', "\\|")).collect::<Vec<_>>().join(" | ")
        )
    };
    for kind in ["measure", "selector", "ranker"] {
        text += &format!("\n## {}{}s\n", kind[..1].to_uppercase(), &kind[1..]);
        for entry in all.iter().filter(|entry| entry.kind == kind) {
            text += &format!("\n### `{}`\n\n{}.", entry.name, capital(entry.summary));
            let facts =
                [facts(entry), entry.cites.iter().map(|key| format!("[{key}]")).collect()].concat();
            text += &if facts.is_empty() {
                "\n".to_owned()
            } else {
                format!(" {}.\n", capital(&facts.join(", ")))
            };
            if !entry.parameters.is_empty() {
                text += "\n| parameter | default | range | meaning |\n|---|---|---|---|\n";
                entry.parameters.iter().for_each(|p| text += &row(&cells(p)));
            }
            tried(entry).into_iter().for_each(|line| text += &format!("\n{}.\n", capital(&line)));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
