//! Errors on standard error, with the flags of the command, and the exit code.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};

use featherank::error::{Error, RemedyWriter, Setting, Stop};
use featherank::internals::text::wrapped;

use crate::output::{error_width, shown};
use crate::progress::suspended;
use crate::signals;
use crate::style::ERROR;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The library refused or failed.
    Library(Error),
    /// Options that exclude each other, or lack one that they need.
    Usage {
        /// What is wrong.
        what: String,
        /// What to do.
        help: String,
    },
    /// Standard output cannot be written.
    Output(io::Error),
    /// Cells of a comparison failed; the printed table has the reasons.
    CellsFailed {
        /// How many failed.
        failed: usize,
        /// How many there are.
        all: usize,
    },
    /// A signal stopped the run; its best result so far has been printed.
    StoppedBySignal,
}

/// The result of a command, or of a part of it.
pub type CommandResult<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

impl Failure {
    /// Wrong usage of options, and what to do instead.
    pub fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::Usage { what: what.into(), help: help.into() }
    }

    /// Whether the reader closed our output early, as in `featherank methods | head`.
    fn is_closed_pipe(&self) -> bool {
        match self {
            Failure::Library(Error::Io { source: error, .. }) | Failure::Output(error) => {
                error.kind() == io::ErrorKind::BrokenPipe
            }
            Failure::Library(_)
            | Failure::Usage { .. }
            | Failure::CellsFailed { .. }
            | Failure::StoppedBySignal => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Library(error) => error.render(&Flags).fmt(f),
            Failure::Usage { what, help } => write!(f, "{what}\n  help: {help}"),
            Failure::Output(error) => write!(f, "cannot write to standard output: {error}"),
            Failure::CellsFailed { failed, all } if failed == all => {
                f.write_str("every cell failed; see the table above")
            }
            Failure::CellsFailed { failed, all } => {
                write!(f, "{failed} of {all} cells failed; see the table above")
            }
            Failure::StoppedBySignal => Stop::Interrupted.fmt(f),
        }
    }
}

/// Names settings by the flags of the command.
pub struct Flags;

/// The flag of a setting, with its value if the setting has one.
fn flag(setting: Setting) -> &'static str {
    match setting {
        Setting::Regroup => "--regroup",
        Setting::ZeroBased => "--zero-based",
        Setting::MaxFeatureId => "--max-feature-id",
        Setting::Ignore => "--ignore",
        Setting::Clip => "--clip",
        Setting::MissingAsZero => "--missing zero",
        Setting::MissingKept => "--missing keep",
        Setting::UnjudgedDropped => "--unjudged drop",
        Setting::UnjudgedAsZero => "--unjudged zero",
        Setting::Group => "--group",
        Setting::LabelColumn => "--label-column",
        Setting::QueryColumn => "--query-column",
        Setting::DocumentColumn => "--document-column",
        Setting::MaxMemory => "--max-memory",
        Setting::Memory => "--memory",
        Setting::Format => "--format",
        Setting::K => "--k",
        Setting::Keep => "--keep",
        Setting::Drop => "--drop",
        Setting::Budget => "--budget",
        Setting::Valid => "--valid",
        Setting::NormaliseZscore => "--normalise zscore",
        Setting::ImportancePermutation => "--importance permutation",
        Setting::Output => "--output",
        Setting::Depth => "--depth",
        Setting::FormTrec => "--form trec",
        Setting::FormScores => "--form scores",
        Setting::FeatureSet => "--featureset",
        Setting::Methods => "--methods",
        Setting::Rankers => "--rankers",
        Setting::Folds => "--folds",
        Setting::Threads => "--threads",
        Setting::Parameter(_) | Setting::ParameterValue(..) => "-p",
    }
}

impl RemedyWriter for Flags {
    fn name(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match setting {
            Setting::Parameter(name) => write!(f, "`{name}`"),
            Setting::ParameterValue(name, value) => write!(f, "-p {name}={value}"),
            _ => f.write_str(flag(setting)),
        }
    }

    fn set(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match setting {
            Setting::Ignore => f.write_str("pass --ignore NAME"),
            Setting::Group | Setting::Valid => write!(f, "pass {} FILE", flag(setting)),
            Setting::Parameter(name) => write!(f, "pass -p {name}=VALUE"),
            Setting::ParameterValue(name, value) => write!(f, "pass -p {name}={value}"),
            _ => write!(f, "pass {}", flag(setting)),
        }
    }
}

/// Prints what clap reports, which may be help or the version, and returns the exit code.
pub fn report_usage(error: &clap::Error, arguments: &[OsString]) -> u8 {
    let is_safe = |argument: &OsString| {
        let text = argument.to_string_lossy();
        shown(&text) == text
    };
    // A closed output is not an error.
    let _ = match arguments.iter().all(is_safe) {
        true => error.print(),
        // The message repeats arguments, which a terminal must not obey: no styles, but escapes.
        false => write!(anstream::stderr(), "{}", shown(&error.render().to_string())),
    };
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// Before the text of an error.
const TITLE: &str = "error:";

/// The text of an error after its title. Lines are wrapped to a width, if it is known; piped errors
/// keep each fact in one line, in which it can be searched for.
fn laid_out(text: &str, width: Option<usize>) -> String {
    let line = |(number, line): (usize, &str)| {
        let title = if number == 0 { TITLE.len() + 1 } else { 0 };
        let line = format!("{:title$}{line}", "");
        match width {
            // A path in an error is copied as a whole.
            Some(width) if !line.starts_with("  -->") => wrapped(&line, width, INDENT),
            _ => line,
        }
    };
    let lines: Vec<String> = text.lines().enumerate().map(line).collect();
    lines.join("\n").split_off(TITLE.len().min(lines.first().map_or(0, String::len)))
}

/// Later lines of an error begin after `error: `.
const INDENT: usize = TITLE.len() + 1;

/// Prints a failure and returns the exit code: 1 failed, 2 wrong usage, 128 plus the number of the
/// signal if interrupted.
pub fn report(failure: &Failure) -> u8 {
    if failure.is_closed_pipe() {
        return 0;
    }
    // A closed standard error leaves nothing else to do.
    let text = laid_out(&shown(&failure.to_string()), error_width());
    let _ = suspended(|| writeln!(anstream::stderr(), "{ERROR}{TITLE}{ERROR:#}{text}"));
    match failure {
        Failure::Library(Error::Stopped(Stop::Interrupted)) | Failure::StoppedBySignal => {
            signals::exit_code()
        }
        Failure::Usage { .. } => 2,
        Failure::Library(error) if error.is_usage() => 2,
        Failure::Library(_) | Failure::Output(_) | Failure::CellsFailed { .. } => 1,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure in a helper is a failed test")]
mod tests {
    use clap::CommandFactory;
    use featherank::error::{Command, Location, Part, Remedy};

    use super::*;

    struct RenderedRemedy(Remedy);

    impl fmt::Display for RenderedRemedy {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.write(f, &Flags)
        }
    }

    fn rendered(part: impl Into<Part>) -> String {
        RenderedRemedy(Remedy::default().then(part)).to_string()
    }

    /// The values that some command accepts for a flag; empty for any.
    fn accepted(flag: &str) -> Option<Vec<String>> {
        let command = crate::Cli::command();
        let commands = std::iter::once(&command).chain(command.get_subcommands());
        let mut fitting = commands.flat_map(|command| command.get_arguments()).filter(|argument| {
            match flag.strip_prefix("--") {
                Some(long) => argument.get_long() == Some(long),
                None => argument.get_short() == flag.chars().nth(1),
            }
        });
        let values = fitting.next()?.get_possible_values();
        Some(values.iter().map(|value| value.get_name().to_owned()).collect())
    }

    #[test]
    fn errors_fit_the_terminal() {
        let text = "no ranker called `x`\n  --> a/long/path/of/a/file.txt\n  help: there are: a, b";
        assert_eq!(laid_out(text, None), format!(" {text}"));
        let narrow = laid_out(text, Some(20));
        let lines: Vec<&str> = narrow.lines().collect();
        assert_eq!(lines[..2], [" no ranker", "       called `x`"]);
        assert_eq!(
            lines[2..],
            ["  --> a/long/path/of/a/file.txt", "  help: there are:", "       a, b"]
        );
    }

    #[test]
    fn every_setting_names_a_flag_that_exists() {
        for &setting in Setting::ALL {
            let instruction = rendered(setting.set());
            let mut words = instruction.strip_prefix("pass ").unwrap().split(' ');
            let accepted = accepted(words.next().unwrap());
            let accepted = accepted.unwrap_or_else(|| panic!("no command takes: {instruction}"));
            if let Some(value) = words.next().filter(|_| !accepted.is_empty()) {
                assert!(accepted.iter().any(|known| known == value), "{instruction}");
            }
            assert!(!rendered(setting).is_empty());
        }
    }

    /// Words of Python and of its libraries.
    const PYTHON: [&str; 6] = ["numpy", "sklearn", "featherank.", "=True", "=(", "=\""];

    #[test]
    fn every_problem_reads_as_a_sentence_with_flags() {
        for problem in featherank::internals::problem_examples() {
            let failure = Failure::from(problem.at(Location::line("train.txt", 97)));
            let text = failure.to_string();
            let [fact, place, help] = text.lines().collect::<Vec<_>>()[..] else {
                panic!("not three lines: {text}");
            };
            assert_eq!(place, "  --> train.txt, line 97");
            let help = help.strip_prefix("  help: ").unwrap();
            for sentence in [fact, help] {
                let first = sentence.chars().next().unwrap();
                assert!(!first.is_uppercase() && !first.is_whitespace(), "{text}");
                assert!(!sentence.ends_with([' ', '.', ',', ';', ':']), "{text}");
                for stray in ["  ", " ,", " ;", " :", ",,", ", ;", "; ,", "; ;"] {
                    assert!(!sentence.contains(stray), "{stray:?} in {text}");
                }
                assert!(sentence.matches('`').count() % 2 == 0, "{text}");
                assert!(sentence.chars().count() <= 200, "{text}");
            }
            assert!(PYTHON.iter().all(|word| !help.contains(word)), "{text}");
            let words = help.split([' ', ',', ';', ':']);
            for flag in words.filter(|word| word.starts_with("--")) {
                assert!(accepted(flag).is_some(), "no command takes {flag}: {text}");
            }
        }
    }

    #[test]
    fn every_command_in_a_remedy_exists() {
        for command in Command::ALL {
            assert!(crate::Cli::command().find_subcommand(command.name()).is_some());
            assert_eq!(rendered(command), format!("`featherank {}`", command.name()));
        }
    }
}
