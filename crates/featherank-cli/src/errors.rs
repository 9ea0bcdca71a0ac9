//! Errors on standard error, with the flags of the command, and the exit code.

use std::fmt;
use std::io::Write;

use featherank::error::{Error, RemedyWriter, Setting, Stop};

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
        Setting::Output => "--output",
        Setting::Depth => "--depth",
        Setting::FormTrec => "--form trec",
        Setting::FormScores => "--form scores",
        Setting::FeatureSet => "--featureset",
        Setting::Methods => "--methods",
        Setting::Rankers => "--rankers",
        Setting::Folds => "--folds",
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

/// Prints an error and returns the exit code: 1 failed, 2 wrong usage, 130 interrupted.
pub fn report(error: &anyhow::Error) -> u8 {
    let broken_pipe = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    if error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(broken_pipe)) {
        // The reader closed our output early, as in `featherank methods | head`.
        return 0;
    }
    // The message already names its causes. A closed standard error leaves nothing else to do.
    let mut stderr = std::io::stderr();
    let Some(error) = error.downcast_ref::<Error>() else {
        let _ = writeln!(stderr, "error: {error}");
        return 1;
    };
    let _ = writeln!(stderr, "error: {}", error.render(&Flags));
    match error {
        Error::Stopped(Stop::Interrupted) => 130,
        error if error.is_usage() => 2,
        _ => 1,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure in a helper is a failed test")]
mod tests {
    use clap::CommandFactory;
    use featherank::error::{Command, Part, Remedy};

    use super::*;

    struct Rendered(Remedy);

    impl fmt::Display for Rendered {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.write(f, &Flags)
        }
    }

    fn rendered(part: impl Into<Part>) -> String {
        Rendered(Remedy::default().then(part)).to_string()
    }

    /// The values that some command accepts for a flag; empty for any.
    fn accepted(flag: &str) -> Option<Vec<String>> {
        let command = crate::Cli::command();
        let known = command.get_subcommands().flat_map(|command| command.get_arguments());
        let mut fitting = known.filter(|argument| match flag.strip_prefix("--") {
            Some(long) => argument.get_long() == Some(long),
            None => argument.get_short() == flag.chars().nth(1),
        });
        let values = fitting.next()?.get_possible_values();
        Some(values.iter().map(|value| value.get_name().to_owned()).collect())
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

    #[test]
    fn every_command_in_a_remedy_exists() {
        for command in Command::ALL {
            assert!(crate::Cli::command().find_subcommand(command.name()).is_some());
            assert_eq!(rendered(command), format!("`featherank {}`", command.name()));
        }
    }
}
