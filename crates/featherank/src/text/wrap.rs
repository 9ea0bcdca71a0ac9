//! Breaks text into lines between words.

use unicode_width::UnicodeWidthStr;

/// The number of columns that a text takes in a terminal.
pub fn display_width(text: &str) -> usize {
    text.width()
}

/// Breaks text into lines of at most `width` columns, all but the first indented by `indent`. Lists
/// without spaces, such as the parameters of a method, break after a comma. A word that is longer
/// than a line stays whole. Line breaks of the text are kept.
///
/// ```
/// use featherank::internals::text::wrapped;
/// assert_eq!(wrapped("one two three", 7, 2), "one two\n  three");
/// assert_eq!(wrapped("unbreakable word", 4, 0), "unbreakable\nword");
/// ```
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut out = Vec::new();
    for line in text.split('\n') {
        let later = width.saturating_sub(indent).max(1);
        // The first line has the columns of the indent in addition.
        let lines = lines(line, width.max(1), later);
        out.extend(lines.into_iter().enumerate().map(|(place, line)| match place {
            0 => line,
            _ => format!("{:indent$}{line}", ""),
        }));
    }
    out.join("\n")
}

/// The lines of one paragraph, with a width for the first and one for all others. Spaces within a
/// line are kept, because they may align columns.
pub(super) fn lines(text: &str, first: usize, later: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut is_line_start = true;
    for (gap, word) in words(text) {
        let pieces = if display_width(word) > later { pieces(word) } else { vec![word] };
        for (place, piece) in pieces.into_iter().enumerate() {
            let gap = if place == 0 { gap } else { "" };
            let available = if lines.len() == 1 { first } else { later };
            let current = lines.last().map_or(0, |line| display_width(line));
            let fits = current + display_width(gap) + display_width(piece) <= available;
            match lines.last_mut() {
                Some(line) if fits || is_line_start => *line += &format!("{gap}{piece}"),
                _ => lines.push(piece.to_owned()),
            }
            is_line_start = false;
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

/// The words of a text, each with the space before it. A word in parentheses and a percent sign
/// belong to the word before, such as `bm25 (3×)` and `2.3 %`.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (gap, after) = rest.split_at(rest.len() - rest.trim_start().len());
        let mut end = word_end(after);
        while end > 0 && belongs_to_the_word_before(after[end..].trim_start()) {
            let gap = after[end..].len() - after[end..].trim_start().len();
            end += gap + word_end(&after[end + gap..]);
        }
        rest = &after[end..];
        Some((gap, &after[..end]))
    })
}

fn word_end(text: &str) -> usize {
    text.find(char::is_whitespace).unwrap_or(text.len())
}

/// Whether a text begins with one word in parentheses or with a percent sign.
fn belongs_to_the_word_before(text: &str) -> bool {
    let word = &text[..word_end(text)];
    word.starts_with('%')
        || word.starts_with('(') && word.trim_end_matches([',', ';', '.']).ends_with(')')
}

/// The longest part of a text that stays on one line.
pub(super) fn longest_piece(text: &str) -> usize {
    words(text).flat_map(|(_, word)| pieces(word)).map(display_width).max().unwrap_or(0)
}

/// The parts between which a long word may be broken: after commas.
fn pieces(word: &str) -> Vec<&str> {
    word.split_inclusive(',').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_after_commas() {
        assert_eq!(lines("a bb ccc dddd", 4, 4), ["a bb", "ccc", "dddd"]);
        assert_eq!(lines("m[a=1,b=2,c=3] x", 8, 8), ["m[a=1,", "b=2,c=3]", "x"]);
        assert_eq!(lines("  indented text", 10, 10), ["  indented", "text"]);
        assert_eq!(lines("", 10, 10), [""]);
        assert_eq!(lines("aa (3×), bb (2×)", 12, 12), ["aa (3×),", "bb (2×)"]);
        assert_eq!(lines("aa (3 of 4)", 7, 7), ["aa (3", "of 4)"]);
        assert_eq!(lines("a: 7 (2.3 %), b", 9, 9), ["a: 7", "(2.3 %),", "b"]);
        assert_eq!(lines("key    value value", 12, 5), ["key    value", "value"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(lines("漢字 漢字", 5, 5), ["漢字", "漢字"]);
        assert_eq!(wrapped("é é é", 3, 1), "é é\n é");
    }
}
