//! Writes tables as text, Markdown, CSV and LaTeX. Names come from users and data files, so each
//! format escapes special characters.

use super::Table;
use crate::text::{Columns, LINE_WIDTH, text_table, with_minus, wrapped};

/// An output format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// CSV with one line per table cell.
    Csv,
    /// LaTeX.
    Latex,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [TableFormat; 4] =
        [TableFormat::Text, TableFormat::Markdown, TableFormat::Csv, TableFormat::Latex];

    /// The file name extension.
    pub fn extension(self) -> &'static str {
        match self {
            TableFormat::Text => "txt",
            TableFormat::Markdown => "md",
            TableFormat::Csv => "csv",
            TableFormat::Latex => "tex",
        }
    }

    /// Formats tables under a title.
    pub fn write(self, title: &str, tables: &[Table]) -> String {
        match self {
            TableFormat::Text => text_tables(title, tables, LINE_WIDTH),
            TableFormat::Markdown => {
                joined(format!("# {}", escape_markdown(title)), tables.iter().map(markdown))
            }
            TableFormat::Csv => csv(tables),
            TableFormat::Latex => {
                joined(format!("% {}", one_line(title)), tables.iter().map(latex))
            }
        }
    }
}

/// Formats tables under a title as text, in lines of at most `width` columns.
pub fn text_tables(title: &str, tables: &[Table], width: usize) -> String {
    joined(one_line(title), tables.iter().map(|table| text(table, width)))
}

fn joined(title: String, tables: impl Iterator<Item = String>) -> String {
    std::iter::once(title + "\n").chain(tables).collect::<Vec<_>>().join("\n")
}

/// Replaces line breaks and control characters by spaces.
fn one_line(text: &str) -> String {
    let words: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether to right-align a column.
fn numeric(table: &Table, column: usize) -> bool {
    let number =
        |cell: &String| cell.trim_matches(['*', '<']).parse::<f64>().is_ok() || cell.is_empty();
    table.rows.iter().all(|row| row.get(column).is_none_or(number))
        && !table.header[column].is_empty()
}

/// A table in lines of at most `width` columns.
fn text(table: &Table, width: usize) -> String {
    let one_lined =
        |row: &Vec<String>| row.iter().map(|cell| with_minus(&one_line(cell))).collect();
    let rows: Vec<Vec<String>> = table.rows.iter().map(one_lined).collect();
    // The letter and the name of a method identify a row.
    let keys = if table.header.first().is_some_and(String::is_empty) { 2 } else { 1 };
    let cells =
        text_table(&Columns { header: &table.header, rows: &rows, keys, attached: &[] }, width);
    let notes: String =
        table.notes.iter().map(|note| wrapped(&one_line(note), width, 2) + "\n").collect();
    format!("{}\n{cells}\n{notes}", wrapped(&one_line(&table.title), width, 2))
}

fn markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let words = |row: &Vec<String>| line(row.iter().map(|cell| escape_markdown(cell)).collect());
    let sides =
        (0..table.header.len()).map(|i| if numeric(table, i) { "---:" } else { "---" }.to_owned());
    let rows: String = table.rows.iter().map(words).collect();
    let notes: String =
        table.notes.iter().map(|note| format!("{}\n\n", escape_markdown(note))).collect();
    let (title, header, sides) =
        (escape_markdown(&table.title), words(&table.header), line(sides.collect()));
    format!("## {title}\n\n{header}{sides}{rows}\n{}\n", notes.trim_end())
}

fn escape_markdown(text: &str) -> String {
    one_line(text)
        .chars()
        .flat_map(|c| ["\\|`*_[]<>&#~$!".contains(c).then_some('\\'), Some(c)])
        .flatten()
        .collect()
}

/// One line per table cell: table, row, column, value. Rows are identified by method, or by number.
fn csv(tables: &[Table]) -> String {
    let mut out = String::from("table,row,column,value\n");
    for table in tables {
        let by_method = table.header.iter().position(|name| name == "method");
        for (number, row) in (1..).zip(&table.rows) {
            let name = by_method.map_or_else(|| number.to_string(), |column| row[column].clone());
            for (column, value) in table
                .header
                .iter()
                .zip(row)
                .filter(|(column, _)| !column.is_empty() && *column != "method")
            {
                let fields =
                    [&table.title, &name, column, value].map(|field| csv_field(&one_line(field)));
                out += &(fields.join(",") + "\n");
            }
        }
    }
    out
}

/// Quotes a field as in RFC 4180. Fields that a spreadsheet would take for a formula begin with an
/// apostrophe.
fn csv_field(text: &str) -> String {
    let text: &str = &crate::data::not_a_formula(text);
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn latex(table: &Table) -> String {
    let sides: String =
        (0..table.header.len()).map(|i| if numeric(table, i) { 'r' } else { 'l' }).collect();
    let line = |row: &Vec<String>| {
        let words: Vec<String> = row.iter().map(|cell| escape_latex(cell)).collect();
        format!("{} \\\\\n", words.join(" & "))
    };
    let rows: String = table.rows.iter().map(line).collect();
    let notes: Vec<String> = table.notes.iter().map(|note| escape_latex(note)).collect();
    format!(
        "\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{{sides}}}\n\\hline\n{}\\hline\n{rows}\\hline\n\\end{{tabular}}\n\n{}\n\\end{{table}}\n",
        escape_latex(&table.title),
        line(&table.header),
        notes.join(". ")
    )
}

fn escape_latex(text: &str) -> String {
    let word = |c: char| match c {
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        '|' => "\\textbar{}".to_owned(),
        '≥' => "$\\geq$".to_owned(),
        '×' => "$\\times$".to_owned(),
        // In braces, because a bracket after a line break would be parsed as an argument.
        '[' | ']' | '*' => format!("{{{c}}}"),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{c}"),
        _ => c.to_string(),
    };
    one_line(text).chars().map(word).collect()
}
