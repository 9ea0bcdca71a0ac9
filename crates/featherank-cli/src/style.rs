//! Colours, by the rules of clap: none if output is not a terminal or `NO_COLOR` is set, unless
//! `--color` says otherwise. Streams of [`anstream`] remove them where they are not wanted.

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use featherank::select::auto::Verdict;

/// A good result.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A result that needs attention.
pub const CAUTION: Style = AnsiColor::Yellow.on_default().bold();
/// The word `error`, as clap writes it.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Titles and answers.
pub const STRONG: Style = Style::new().bold();
/// Details that few readers need.
pub const DIM: Style = Style::new().dimmed();

/// The colour of a verdict: the same as that of the badge in the report.
pub fn of_verdict(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Shown => GOOD,
        Verdict::NotShown => CAUTION,
        Verdict::NotTested => STRONG,
    }
}

/// Text in a style, line by line, so that a pager that shows part of it keeps the colours right.
pub fn styled(style: Style, text: &str) -> String {
    let lines = text.split_terminator('\n').map(|line| format!("{style}{line}{style:#}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Sets the choice for all streams.
pub fn choose(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// The value of `--color` among arguments that are not parsed yet: help and usage errors are
/// printed before there is a result to ask.
pub fn requested(arguments: &[std::ffi::OsString]) -> ColorChoice {
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or("")).collect();
    let found =
        words.iter().enumerate().find_map(|(i, word)| match word.strip_prefix("--color")? {
            "" => words.get(i + 1).copied(),
            rest => rest.strip_prefix('='),
        });
    found.and_then(|word| word.parse().ok()).unwrap_or(ColorChoice::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_found_before_parsing() {
        let choice = |words: &str| {
            requested(&words.split(' ').map(std::ffi::OsString::from).collect::<Vec<_>>())
        };
        assert_eq!(choice("featherank select --color always x"), ColorChoice::Always);
        assert_eq!(choice("featherank --color=never --help"), ColorChoice::Never);
        assert_eq!(choice("featherank select --colour x"), ColorChoice::Auto);
    }
}
