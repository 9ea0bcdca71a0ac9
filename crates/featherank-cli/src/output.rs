//! Output: results on standard output, progress and notes on standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use featherank::error::Error;
use featherank::internals::REPORT_DEFECT;
use featherank::internals::text::{Columns, LINE_WIDTH, text_table, wrapped};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::arguments::Common;
use crate::errors::{CommandResult, Failure};
use crate::progress::{cleared, suspended};
use crate::signals;
use crate::style::{CAUTION, DIM, ERROR, GOOD, STRONG};

/// Writes results and notes as the common options ask.
pub struct Output {
    json: bool,
    quiet: bool,
    live: bool,
    width: usize,
    /// The length of lines on standard error, if it is known.
    note_width: Option<usize>,
    /// Whether an output file is standard output, so that results go to standard error.
    is_taken: bool,
}

impl Output {
    /// Configured by the common options. If standard output `is_taken` by an output file, results
    /// are printed on standard error, because they are no part of the file.
    pub fn new(common: &Common, is_taken: bool) -> Self {
        Output {
            is_taken,
            json: common.json,
            quiet: common.quiet,
            live: std::io::stderr().is_terminal(),
            width: line_width(),
            note_width: error_width(),
        }
    }

    /// The length of lines.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether to print JSON instead of tables.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Whether to suppress progress and notes.
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    /// Whether progress bars can be shown on a terminal.
    pub fn live(&self) -> bool {
        self.live && !self.quiet
    }

    /// Prints a text on standard output, with colours if they are wanted.
    pub fn print(&self, text: impl AsRef<str>) -> CommandResult {
        let text = format!("{}\n", shown_in_style(text.as_ref()));
        cleared(|| match self.is_taken {
            true => anstream::stderr().lock().write_all(text.as_bytes()),
            false => anstream::stdout().lock().write_all(text.as_bytes()),
        })
        .map_err(Failure::Output)
    }

    /// Writes bytes to standard output.
    pub fn print_bytes(&self, bytes: &[u8]) -> CommandResult {
        cleared(|| match self.is_taken {
            true => io::stderr().lock().write_all(bytes),
            false => io::stdout().lock().write_all(bytes),
        })
        .map_err(Failure::Output)
    }

    /// Prints a value as JSON on standard output.
    pub fn print_json(&self, value: &impl Serialize) -> CommandResult {
        let text = serde_json::to_string_pretty(value)
            .map_err(|e| Error::internal(format!("cannot write JSON: {e}"), REPORT_DEFECT))?;
        self.print_bytes(json_shown(&text).as_bytes()).and_then(|()| self.print_bytes(b"\n"))
    }

    /// Prints the text of a document. If it has to be changed for terminals, it loses its checksum,
    /// which would be wrong.
    pub fn print_document(&self, text: &str) -> CommandResult {
        let Cow::Owned(safe) = json_shown(text) else { return self.print_bytes(text.as_bytes()) };
        let lines = safe.split_inclusive('\n').filter(|line| !line.starts_with("  \"checksum\":"));
        self.print_bytes(lines.collect::<String>().as_bytes())
    }

    /// Prints a note on standard error, wrapped like an error: later lines are indented, and piped
    /// notes keep their lines.
    pub fn note(&self, text: impl AsRef<str>) {
        self.print_note(&wrapped_note(&shown(text.as_ref()), self.note_width));
    }

    /// Notes that a file was written. Its path is copied as a whole, so it is not wrapped.
    pub fn note_written(&self, path: &Path) {
        if path.as_os_str() != "-" {
            self.print_note(&shown(&format!("wrote {}", path.display())));
        }
    }

    fn print_note(&self, text: &str) {
        if !self.quiet {
            // A closed standard error must not stop the work.
            let _ = suspended(|| writeln!(anstream::stderr(), "{text}"));
        }
    }

    /// Shows a spinner until the returned value is dropped.
    pub fn spinner(&self, text: String) -> Spinner {
        // The bar of an observed run shows what it does.
        let is_shown = self.live() && !signals::is_observed();
        let bar = if is_shown { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(ProgressStyle::default_spinner());
        bar.set_message(shown(&text).into_owned());
        let weak = bar.downgrade();
        let tick = move || {
            while let Some(bar) = weak.upgrade().filter(|bar| !bar.is_finished()) {
                bar.tick();
                drop(bar);
                std::thread::sleep(Duration::from_millis(120));
            }
        };
        if is_shown {
            // Without the thread the spinner does not turn.
            drop(std::thread::Builder::new().spawn(tick));
        }
        Spinner(bar)
    }
}

/// Text for a terminal: control characters, which names, labels and paths may contain, and marks
/// that reverse the direction of text are written as escapes, so that a terminal shows them instead
/// of obeying them.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_command(c) { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    safe.into()
}

/// Like [`shown`], except for the styles of whole lines, which are ours.
fn shown_in_style(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return text.into();
    }
    let line = |line: &str| {
        let styles = [GOOD, CAUTION, ERROR, STRONG, DIM].map(|style| style.render().to_string());
        let reset = STRONG.render_reset().to_string();
        let inside = |style: &String| line.strip_prefix(style.as_str())?.strip_suffix(&reset);
        match styles.iter().find_map(|style| Some((style, inside(style)?))) {
            Some((style, inside)) => format!("{style}{}{reset}", shown(inside)),
            None => shown(line).into_owned(),
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n").into()
}

/// JSON for a terminal. Inside its strings, escapes mean the same as the characters.
fn json_shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match is_command(c) {
            true => safe += &format!("\\u{:04x}", u32::from(c)),
            false => safe.push(c),
        }
    }
    safe.into()
}

/// Whether a terminal obeys this character: control characters other than line ends and tabs, and
/// overrides of the direction of text.
fn is_command(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A note in lines of a width, if it is known.
fn wrapped_note(text: &str, width: Option<usize>) -> Cow<'_, str> {
    const INDENT: usize = 2;
    width.map_or(text.into(), |width| wrapped(text, width, INDENT).into())
}

/// See [`Output::spinner`].
pub struct Spinner(ProgressBar);

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// `COLUMNS`, the width of the terminal, or a fixed width if output is piped.
fn line_width() -> usize {
    let terminal = || terminal_size::terminal_size_of(std::io::stdout());
    known_width(terminal).unwrap_or(LINE_WIDTH)
}

/// The length of lines of help texts, at most [`LINE_WIDTH`].
pub fn help_width() -> usize {
    line_width().min(LINE_WIDTH)
}

/// `COLUMNS`, or the width of the terminal if errors go to one.
pub fn error_width() -> Option<usize> {
    known_width(|| terminal_size::terminal_size_of(std::io::stderr()))
}

fn known_width(
    terminal: impl FnOnce() -> Option<(terminal_size::Width, terminal_size::Height)>,
) -> Option<usize> {
    // Narrower lines would be words below each other.
    const NARROWEST: usize = 40;
    let variable = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = variable.or_else(|| terminal().map(|(width, _)| width.0.into()));
    width.map(|width: usize| width.max(NARROWEST))
}

/// Formats a table whose first column identifies a row.
pub fn table(header: &[&str], rows: &[Vec<String>], width: usize) -> String {
    text_table(&Columns { header, rows, keys: 1, attached: &[] }, width)
}

/// Formats a number with a readable number of digits.
pub fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".into(),
        size if !size.is_finite() => number.to_string(),
        size if !(1e-3..1e6).contains(&size) => format!("{number:.2e}"),
        size if size >= 100.0 => format!("{number:.1}"),
        _ => format!("{number:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::styled;

    #[test]
    fn notes_fit_the_terminal() {
        let note = "note: no cost is given for 2 of 3 features";
        let lines = "note: no cost is\n  given for 2 of 3\n  features";
        assert_eq!(wrapped_note(note, Some(18)), lines);
        assert_eq!(wrapped_note(note, None), note);
        assert_eq!(wrapped_note("\nseed 1, 0.02 s", Some(80)), "\nseed 1, 0.02 s");
    }

    #[test]
    fn escapes_are_shown_and_not_obeyed() {
        let name = "bm25\u{1b}[31m\u{7}\u{9b}2J\u{202e}txt\r\nnext\tü";
        let safe = "bm25\\u{1b}[31m\\u{7}\\u{9b}2J\\u{202e}txt\\r\nnext\tü";
        assert_eq!(shown(name), safe);
        assert_eq!(shown_in_style(name), safe);
        assert_eq!(shown_in_style(&styled(GOOD, name)), styled(GOOD, safe));
        let json = serde_json::to_string(name).unwrap_or_default();
        let safe = json_shown(&json);
        assert!(!safe.contains(is_command));
        assert_eq!(serde_json::from_str::<String>(&safe).ok().as_deref(), Some(name));
    }
}
