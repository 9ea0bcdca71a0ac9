//! Lays out tables for a width: text columns wrap between words, and a table that is still too wide
//! continues in a second block below, which repeats the key columns.

use super::wrap::{display_width, lines, longest_piece};

/// Columns between two cells.
const GAP: usize = 2;
/// A column of text is not made narrower than this; the table is split first.
const NARROWEST: usize = 24;

/// Header and rows of a table.
pub struct Columns<'a, S> {
    /// The column names.
    pub header: &'a [S],
    /// The cells; every row has one per column.
    pub rows: &'a [Vec<String>],
    /// The number of columns at the start that identify a row.
    pub keys: usize,
    /// The columns that belong to the one before, and stay with it if the table is split.
    pub attached: &'a [usize],
}

/// Formats a table of at most `width` columns, unless a single word is wider. Columns of numbers
/// are right-aligned, others left-aligned.
pub fn text_table<S: AsRef<str>>(table: &Columns<'_, S>, width: usize) -> String {
    let columns: Vec<TableColumn<'_>> =
        (0..table.header.len()).map(|i| TableColumn::new(table, i)).collect();
    let keys = table.keys.min(columns.len().saturating_sub(1));
    let (key, others) = columns.split_at(keys);
    let mut blocks: Vec<Vec<&TableColumn<'_>>> = Vec::new();
    let key: Vec<&TableColumn<'_>> = key.iter().collect();
    for group in others.chunk_by(|_, next| next.attached) {
        // Lines that are too long are worse than columns that are apart.
        let size = if fit(&key, group, width) { group.len() } else { 1 };
        for part in group.chunks(size) {
            match blocks.last_mut().filter(|block| fit(block, part, width)) {
                Some(block) => block.extend(part),
                None => blocks.push(key.iter().copied().chain(part).collect()),
            }
        }
    }
    let blocks: Vec<String> = blocks.iter().map(|block| block_text(block, width)).collect();
    blocks.join("\n\n")
}

/// Whether more columns fit beside those of a block.
fn fit<'c, 'a>(block: &[&'c TableColumn<'a>], more: &'c [TableColumn<'a>], width: usize) -> bool {
    total(block.iter().copied().chain(more).map(|column| column.least)) <= width
}

/// The width of columns with the gaps between them.
fn total(widths: impl Iterator<Item = usize>) -> usize {
    let (sum, count) = widths.fold((0, 0), |(sum, count), width| (sum + width, count + 1));
    sum + GAP * usize::saturating_sub(count, 1)
}

struct TableColumn<'a> {
    header: &'a str,
    cells: Vec<&'a str>,
    numeric: bool,
    /// Whether the column belongs to the one before.
    attached: bool,
    /// The width of the longest cell, and the width that the column needs at least.
    natural: usize,
    least: usize,
}

impl<'a> TableColumn<'a> {
    fn new<S: AsRef<str>>(table: &Columns<'a, S>, index: usize) -> Self {
        let header = table.header[index].as_ref();
        let cells: Vec<&str> =
            table.rows.iter().map(|row| row.get(index).map_or("", String::as_str)).collect();
        let numeric = cells.iter().all(|cell| is_number(cell));
        let widest = cells.iter().map(|cell| display_width(cell)).max().unwrap_or(0);
        let longest_word = cells.iter().map(|cell| longest_piece(cell)).max().unwrap_or(0);
        let content = match numeric {
            true => widest,
            false => widest.min(longest_word.max(NARROWEST)),
        };
        TableColumn {
            header,
            cells,
            numeric,
            attached: table.attached.contains(&index),
            natural: widest.max(display_width(header)),
            least: content.max(longest_piece(header)),
        }
    }
}

/// Whether a cell is a number, perhaps with a unit, a mark or significance letters.
fn is_number(cell: &str) -> bool {
    let mut words = cell.split_whitespace();
    let Some(first) = words.next() else { return true };
    let is_unit = |word: &str| word == "%" || word.chars().all(|c| c.is_ascii_lowercase());
    first.starts_with(|c: char| c.is_ascii_digit() || "-−+.<∞".contains(c))
        && !first.ends_with(',')
        && words.next().is_none_or(is_unit)
        && words.next().is_none()
}

fn block_text(block: &[&TableColumn<'_>], width: usize) -> String {
    let mut widths: Vec<usize> = block.iter().map(|column| column.natural).collect();
    while total(widths.iter().copied()) > width {
        let can_shrink = |&i: &usize| widths[i] > block[i].least;
        let Some(widest) = (0..block.len()).filter(can_shrink).max_by_key(|&i| widths[i]) else {
            break;
        };
        widths[widest] -= 1;
    }
    // Wrapped lines may be shorter than their column.
    for (width, column) in widths.iter_mut().zip(block) {
        let texts = column.cells.iter().chain([&column.header]);
        let lines = texts.flat_map(|text| cell_lines(text, *width));
        *width = lines.map(|line| display_width(&line)).max().unwrap_or(0);
    }
    let mut out = row_lines(block, &widths, |column| column.header, true);
    for row in 0..block.first().map_or(0, |column| column.cells.len()) {
        out.extend(row_lines(block, &widths, |column| column.cells[row], false));
    }
    out.join("\n")
}

fn cell_lines(cell: &str, width: usize) -> Vec<String> {
    match display_width(cell) <= width {
        true => vec![cell.to_owned()],
        false => lines(cell, width.max(1), width.max(1)),
    }
}

/// The lines of one row; `bottom` aligns cells at the last line instead of the first.
fn row_lines(
    block: &[&TableColumn<'_>],
    widths: &[usize],
    cell: impl for<'c> Fn(&'c TableColumn<'_>) -> &'c str,
    bottom: bool,
) -> Vec<String> {
    let cells: Vec<Vec<String>> =
        block.iter().zip(widths).map(|(column, &width)| cell_lines(cell(column), width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |place: usize| {
        let padded = cells.iter().zip(block).zip(widths).map(|((lines, column), &width)| {
            let skipped = if bottom { height - lines.len() } else { 0 };
            let text = place.checked_sub(skipped).and_then(|place| lines.get(place));
            let text = text.map_or("", String::as_str);
            let space = " ".repeat(width.saturating_sub(display_width(text)));
            if column.numeric { space + text } else { text.to_owned() + &space }
        });
        padded.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(header: &[&str], rows: &[&[&str]], keys: usize, width: usize) -> String {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        text_table(&Columns { header, rows: &rows, keys, attached: &[] }, width)
    }

    #[test]
    fn tables_that_fit_are_aligned() {
        let text = layout(&["name", "value"], &[&["a", "0.5 bc"], &["bb", "<.0001"]], 1, 80);
        assert_eq!(text, "name   value\na     0.5 bc\nbb    <.0001");
    }

    #[test]
    fn text_wraps_between_words() {
        let long = "the quick brown fox jumps over the lazy dog";
        let text = layout(&["id", "text"], &[&["1", long], &["22", "short"]], 1, 32);
        assert_eq!(
            text,
            "id  text\n 1  the quick brown fox jumps\n    over the lazy dog\n22  short"
        );
    }

    #[test]
    fn wide_tables_continue_below() {
        let header = ["method", "first measure", "second measure"];
        let text = layout(&header, &[&["top-k", "0.50000", "0.60000"]], 1, 20);
        let (one, two) = text.split_once("\n\n").unwrap();
        assert_eq!(one, "          first\nmethod  measure\ntop-k   0.50000");
        assert_eq!(two, "         second\nmethod  measure\ntop-k   0.60000");
        assert!(text.lines().all(|line| line.chars().count() <= 20), "{text}");
    }

    #[test]
    fn attached_columns_stay_together() {
        let header = ["name", "first", "interval", "second", "interval"];
        let row = ["a", "0.5000", "0.4–0.6", "0.7000", "0.6–0.8"].map(str::to_owned).to_vec();
        let text = |width| {
            let rows = [row.clone()];
            text_table(&Columns { header: &header, rows: &rows, keys: 1, attached: &[2, 4] }, width)
        };
        let wide = text(32);
        let blocks: Vec<&str> = wide.split("\n\n").collect();
        assert_eq!(blocks.len(), 2, "{wide}");
        assert!(blocks[0].ends_with("0.4–0.6") && blocks[1].ends_with("0.6–0.8"), "{wide}");
        let narrow = text(14);
        assert_eq!(narrow.split("\n\n").count(), 4, "{narrow}");
        assert!(narrow.lines().all(|line| line.chars().count() <= 14), "{narrow}");
    }

    #[test]
    fn lists_are_text_and_words_stay_whole() {
        assert!(is_number("12 %") && is_number("") && is_number("0.41–0.52") && !is_number("3, 4"));
        assert!(!is_number("8 8 7") && !is_number("0.1 to 0.2") && is_number("0.7432*"));
        let text = layout(&["a", "b"], &[&["extraordinarily", "long"]], 1, 5);
        assert!(text.contains("extraordinarily") && text.contains("long"), "{text}");
    }
}
