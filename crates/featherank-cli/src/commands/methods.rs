//! `featherank methods`: the registry, printed.

use featherank::registry::{Entry, ParameterEntry, entries, unknown};

use crate::output::{Output, table};

#[derive(clap::Args)]
pub struct Args {
    /// One measure, selector or ranker, with its parameters
    name: Option<String>,
    /// Print the Markdown of docs/methods.md
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let all = entries();
    let shown: Vec<&Entry> = all
        .iter()
        .filter(|entry| args.name.as_deref().is_none_or(|name| name == entry.name))
        .collect();
    match &args.name {
        Some(name) if shown.is_empty() => {
            Err(unknown("measure, selector or ranker", name, all.iter().map(|entry| entry.name))
                .into())
        }
        _ if output.json() => output.print_json(&shown),
        Some(_) => shown.iter().try_for_each(|entry| output.print(details(entry))),
        None if args.markdown => output.print(markdown(&all)),
        None => {
            let row = |e: &&Entry| vec![e.name.to_owned(), e.kind.to_owned(), e.summary.to_owned()];
            output.print(table(
                &["name", "kind", "what it is"],
                &shown.iter().map(row).collect::<Vec<_>>(),
            ))?;
            output.note("\nparameters and papers: featherank methods NAME");
            Ok(())
        }
    }
}

const COLUMNS: [&str; 4] = ["parameter", "default", "range", "meaning"];

fn cells(p: &ParameterEntry) -> Vec<String> {
    vec![p.name.clone(), p.default.clone(), p.range.clone(), p.meaning.clone()]
}

/// Category, status and whether it scales out, as far as the entry has them.
fn facts(entry: &Entry) -> Vec<String> {
    let word = |value: serde_json::Result<serde_json::Value>| {
        value.ok().and_then(|v| v.as_str().map(str::to_owned))
    };
    let category = entry.category.and_then(|category| word(serde_json::to_value(category)));
    let status = entry.status.and_then(|status| word(serde_json::to_value(status)));
    let scale =
        entry.scales_out.map(|yes| if yes { "scales out" } else { "one machine" }.to_owned());
    [category, status, scale].into_iter().flatten().collect()
}

/// What is tried on validation data, in one line.
fn tried(entry: &Entry) -> Option<String> {
    let lists =
        entry.tried.iter().map(|tried| format!("{} {}", tried.name, tried.values.join(", ")));
    let lists: Vec<String> = lists.collect();
    (!lists.is_empty()).then(|| format!("tried by train --tune: {}", lists.join("; ")))
}

fn details(entry: &Entry) -> String {
    let mut lines = vec![format!("{}: {}", entry.name, entry.summary)];
    let facts = facts(entry);
    lines.push(format!(
        "{}{}{}",
        entry.kind,
        if facts.is_empty() { "" } else { ", " },
        facts.join(", ")
    ));
    if !entry.cites.is_empty() {
        lines.push(format!("papers: {}", entry.cites.join(", ")));
    }
    if !entry.parameters.is_empty() {
        lines.push(String::new());
        lines.push(table(&COLUMNS, &entry.parameters.iter().map(cells).collect::<Vec<_>>()));
    }
    lines.extend(tried(entry));
    lines.join("\n")
}

fn markdown(all: &[Entry]) -> String {
    let mut text = String::from(
        "# Methods\n\nMade by `featherank methods --markdown` from the registry; a test keeps it true. \
         Papers are listed in [references.md](references.md).\n",
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
