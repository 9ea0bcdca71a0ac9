//! Tables as text, Markdown, CSV and LaTeX. Names come from users and from data files, so that each
//! form escapes what it must.

use super::Table;

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For terminals and plain files.
    Text,
    /// For pages.
    Markdown,
    /// For programs: a line for each cell of each table.
    Csv,
    /// For papers.
    Latex,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 4] = [Form::Text, Form::Markdown, Form::Csv, Form::Latex];

    /// How names of such files end.
    pub fn ending(self) -> &'static str {
        match self {
            Form::Text => "txt",
            Form::Markdown => "md",
            Form::Csv => "csv",
            Form::Latex => "tex",
        }
    }

    /// Tables under a title.
    pub fn write(self, title: &str, tables: &[Table]) -> String {
        match self {
            Form::Text => joined(one_line(title), tables.iter().map(text)),
            Form::Markdown => {
                joined(format!("# {}", markdown_words(title)), tables.iter().map(markdown))
            }
            Form::Csv => csv(tables),
            Form::Latex => joined(format!("% {}", one_line(title)), tables.iter().map(latex)),
        }
    }
}

fn joined(title: String, tables: impl Iterator<Item = String>) -> String {
    std::iter::once(title + "\n").chain(tables).collect::<Vec<_>>().join("\n")
}

/// Line ends and other characters that steer a terminal are no part of a cell.
fn one_line(text: &str) -> String {
    let words: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Columns of numbers go to the right.
fn numeric(table: &Table, column: usize) -> bool {
    let number =
        |cell: &String| cell.is_empty() || cell.trim_end_matches('*').parse::<f64>().is_ok();
    table.rows.iter().all(|row| row.get(column).is_none_or(number))
        && !table.header[column].is_empty()
}

fn text(table: &Table) -> String {
    let cells: Vec<Vec<String>> = std::iter::once(&table.header)
        .chain(&table.rows)
        .map(|row| row.iter().map(|cell| one_line(cell)).collect())
        .collect();
    let width =
        |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().enumerate().map(|(i, cell)| match numeric(table, i) {
            true => format!("{cell:>0$}", widths[i]),
            false => format!("{cell:<0$}", widths[i]),
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let rows: String = cells.iter().map(line).collect();
    let notes: String = table.notes.iter().map(|note| format!("{}\n", one_line(note))).collect();
    format!("{}\n{rows}{notes}", one_line(&table.title))
}

fn markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let words = |row: &Vec<String>| line(row.iter().map(|cell| markdown_words(cell)).collect());
    let sides =
        (0..table.header.len()).map(|i| if numeric(table, i) { "---:" } else { "---" }.to_owned());
    let rows: String = table.rows.iter().map(words).collect();
    let notes: String =
        table.notes.iter().map(|note| format!("{}\n\n", markdown_words(note))).collect();
    let (title, header, sides) =
        (markdown_words(&table.title), words(&table.header), line(sides.collect()));
    format!("## {title}\n\n{header}{sides}{rows}\n{}\n", notes.trim_end())
}

fn markdown_words(text: &str) -> String {
    one_line(text)
        .chars()
        .flat_map(|c| ["\\|`*_[]<>&#~$!".contains(c).then_some('\\'), Some(c)])
        .flatten()
        .collect()
}

/// One line for each cell: table, row, column, value. A row is called by its method, or by its
/// number where it has none.
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

/// As RFC 4180 has it: quotes around what holds a separator or a quote, which is doubled.
fn csv_field(text: &str) -> String {
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
        let words: Vec<String> = row.iter().map(|cell| latex_words(cell)).collect();
        format!("{} \\\\\n", words.join(" & "))
    };
    let rows: String = table.rows.iter().map(line).collect();
    let notes: Vec<String> = table.notes.iter().map(|note| latex_words(note)).collect();
    format!(
        "\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{{sides}}}\n\\hline\n{}\\hline\n{rows}\\hline\n\\end{{tabular}}\n\n{}\n\\end{{table}}\n",
        latex_words(&table.title),
        line(&table.header),
        notes.join(". ")
    )
}

fn latex_words(text: &str) -> String {
    let word = |c: char| match c {
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        '|' => "\\textbar{}".to_owned(),
        '≥' => "$\\geq$".to_owned(),
        '×' => "$\\times$".to_owned(),
        // In brackets, because a bracket after a line's end would be an argument.
        '[' | ']' | '*' => format!("{{{c}}}"),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{c}"),
        _ => c.to_string(),
    };
    one_line(text).chars().map(word).collect()
}
