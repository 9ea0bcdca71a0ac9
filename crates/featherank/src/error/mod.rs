//! Errors: what is wrong, where, and what to do about it.
//!
//! An error holds facts and a typed [`Remedy`]. `Display` names settings neutrally;
//! [`Error::render`] lets a front end name its own flags or arguments.

mod help;
mod location;
mod problem;
mod remedy;

use std::fmt;
use std::path::PathBuf;

use crate::remedy;
pub use location::Location;
pub use problem::Problem;
use remedy::Neutral;
pub use remedy::{Command, Part, Remedy, RemedyWriter, Setting};

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong. Front ends match on it exhaustively, so that the compiler asks for
/// the exit code and the exception of a new kind.
#[derive(Debug)]
pub enum Error {
    /// The data is wrong, or ambiguous without another setting.
    Input {
        /// What is wrong.
        problem: Problem,
        /// Where it is wrong. Boxed to keep every `Result` small.
        at: Box<Location>,
    },
    /// The operating system failed to read or write.
    Io {
        /// "read", "write", "create" …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// An unknown name.
    Unknown {
        /// "measure", "selector", "ranker", "parameter of …".
        kind: String,
        /// The name given.
        name: String,
        /// Similar names that exist.
        near: Vec<String>,
        /// All names that exist, nearest first; empty if they are too many to list.
        known: Vec<String>,
        /// What to use instead of a name that people know from elsewhere.
        hint: Option<&'static str>,
    },
    /// A parameter or setting with a value out of range.
    Invalid {
        /// Which parameter or setting.
        what: String,
        /// The value given.
        value: String,
        /// Which values are valid, as a noun phrase after "expected".
        expected: String,
    },
    /// Settings that exclude each other, or lack one that they need.
    Settings(Refusal),
    /// Constraints on a selection that contradict each other or the data: features to keep or drop,
    /// number, budget.
    Constraint(Refusal),
    /// Data that does not fit the evaluation protocol: folds, splits, validation data.
    Protocol(Refusal),
    /// An experiment that is described wrongly.
    Plan(Refusal),
    /// Something that this method, model, format or engine cannot do.
    Unsupported(Refusal),
    /// Data that gives nothing to learn from or to measure: no query counts under the measure, or
    /// labels or features do not vary.
    NothingCounts(Refusal),
    /// The method finished without a feature to select.
    NothingSelected(Refusal),
    /// Data sets that must agree and differ.
    Mismatch(Refusal),
    /// A computation that diverged, did not converge or left the range of its numbers.
    Numerical(Refusal),
    /// Bytes exchanged between shards that this release cannot read.
    Message(Refusal),
    /// A defect of featherank.
    Internal(Refusal),
    /// A saved document or folder of another kind, version or run.
    Document {
        /// What is wrong with it.
        what: String,
        /// The file or folder.
        path: PathBuf,
        /// What to do.
        help: Remedy,
    },
    /// A shard failed.
    Shard {
        /// Its number, from 1.
        shard: usize,
        /// What went wrong there.
        message: String,
        /// The checkpoint from which the same run resumes, if it wrote one.
        resume: Option<PathBuf>,
    },
    /// The user, a time limit or a signal stopped the work.
    Stopped(Stop),
}

/// The fact and the remedy of an error that has no place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: Remedy,
}

/// The remedy for [`Error::Internal`].
pub(crate) const REPORT_DEFECT: &str = "please report it with the data and the settings";

/// Why a run stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C, or a cancellation by the caller.
    Interrupted,
    /// The time limit was reached.
    TimeLimit,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Interrupted => "interrupted",
            Stop::TimeLimit => "the time limit was reached",
        })
    }
}

/// Constructors of the kinds that hold a [`Refusal`], and access to it.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $variant:ident,)+) => {
        impl Error {
            $(
                $(#[$doc])*
                pub fn $name(what: impl Into<String>, help: impl Into<Remedy>) -> Self {
                    Error::$variant(Refusal { what: what.into(), help: help.into() })
                }
            )+

            /// The fact and the remedy of a kind that has no place in a file.
            fn refusal(&self) -> Option<&Refusal> {
                match self {
                    $(Error::$variant(refusal))|+ => Some(refusal),
                    _ => None,
                }
            }
        }
    };
}

refusals! {
    /// Settings that exclude each other, or lack one that they need.
    settings = Settings,
    /// Constraints that contradict each other or the data.
    constraint = Constraint,
    /// Data that does not fit the evaluation protocol.
    protocol = Protocol,
    /// An experiment that is described wrongly.
    plan = Plan,
    /// Something that this method, model, format or engine cannot do.
    unsupported = Unsupported,
    /// Data that gives nothing to learn from or to measure.
    nothing_counts = NothingCounts,
    /// No feature can be selected.
    nothing_selected = NothingSelected,
    /// Data sets that must agree and differ.
    mismatch = Mismatch,
    /// A computation that diverged, did not converge or left the range of its numbers.
    numerical = Numerical,
    /// Bytes exchanged between shards that this release cannot read.
    message = Message,
    /// A defect of featherank.
    internal = Internal,
}

impl Error {
    /// Wraps a system error with what was being done and to which file.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::Io { action, path: path.into(), source }
    }

    /// A parameter or setting with a value out of range.
    pub fn invalid(
        what: impl Into<String>,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Error::Invalid { what: what.into(), value: value.to_string(), expected: expected.into() }
    }

    /// Threads that the system cannot start.
    pub fn threads(count: usize, reason: impl fmt::Display) -> Self {
        Error::settings(
            format!("cannot start {count} threads: {reason}"),
            remedy!["lower ", Threads],
        )
    }

    /// A failure of the shard with this number, from 1.
    pub fn shard(shard: usize, message: impl Into<String>) -> Self {
        Error::Shard { shard, message: message.into(), resume: None }
    }

    /// A saved document or folder of another kind, version or run.
    pub fn document(
        what: impl Into<String>,
        path: impl Into<PathBuf>,
        help: impl Into<Remedy>,
    ) -> Self {
        Error::Document { what: what.into(), path: path.into(), help: help.into() }
    }

    /// True for mistakes in how the program was called, false for failures of the work itself.
    pub fn is_usage(&self) -> bool {
        match self {
            Error::Unknown { .. }
            | Error::Invalid { .. }
            | Error::Settings(_)
            | Error::Constraint(_)
            | Error::Protocol(_)
            | Error::Plan(_)
            | Error::Unsupported(_) => true,
            Error::Input { .. }
            | Error::Io { .. }
            | Error::NothingCounts(_)
            | Error::NothingSelected(_)
            | Error::Mismatch(_)
            | Error::Numerical(_)
            | Error::Message(_)
            | Error::Internal(_)
            | Error::Document { .. }
            | Error::Shard { .. }
            | Error::Stopped(_) => false,
        }
    }

    /// What to do about it, if that is known.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Error::Input { problem, .. } => Some(problem.remedy()),
            Error::Unknown { near, known, hint, .. } => unknown_remedy(near, known, *hint),
            Error::Document { help, .. } => Some(help.clone()),
            Error::Shard { resume, .. } => resume.as_ref().map(|path| {
                format!("repeat the same run to resume from {}", path.display()).into()
            }),
            _ => self.refusal().map(|refusal| refusal.help.clone()),
        }
    }

    /// The same error about a feature that a line of a file names, with that place.
    pub(crate) fn of_listed_feature(self, at: Location) -> Self {
        let named = "name a feature of the data by its name or id";
        let help = self.remedy().unwrap_or_else(|| named.into());
        Problem::UnknownFeature { fact: Facts(&self).to_string(), help }.at(at)
    }

    /// The whole message in the words of a front end.
    pub fn render<'a>(&'a self, writer: &'a dyn RemedyWriter) -> impl fmt::Display + 'a {
        RenderedError { error: self, writer }
    }

    /// What is wrong, and where.
    fn write_facts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input { problem, at } => write!(f, "{problem}\n  --> {at}"),
            Error::Io { action, path, source } => {
                write!(f, "cannot {action} {}: {source}", path.display())
            }
            Error::Unknown { kind, name, .. } => write!(f, "there is no {kind} called `{name}`"),
            Error::Invalid { what, value, expected } => {
                write!(f, "`{value}` is not a valid {what}: expected {expected}")
            }
            Error::Document { what, path, .. } => write!(f, "{what}\n  --> {}", path.display()),
            Error::Shard { shard, message, .. } => write!(f, "shard {shard}: {message}"),
            Error::Stopped(stop) => write!(f, "stopped before the end: {stop}"),
            _ => self.refusal().map_or(Ok(()), |refusal| f.write_str(&refusal.what)),
        }
    }
}

/// What is wrong, without a remedy.
struct Facts<'a>(&'a Error);

impl fmt::Display for Facts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_facts(f)
    }
}

/// The number of known names that an error lists.
const LISTED: usize = 12;

/// A hint, similar names, and what there is.
fn unknown_remedy(near: &[String], known: &[String], hint: Option<&str>) -> Option<Remedy> {
    let near = (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")));
    let (listed, more) = known.split_at(known.len().min(LISTED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let known = (!listed.is_empty()).then(|| format!("there are: {}{more}", listed.join(", ")));
    let parts: Vec<String> = hint.map(str::to_owned).into_iter().chain(near).chain(known).collect();
    (!parts.is_empty()).then(|| parts.join(" ").into())
}

/// An error in the words of a front end.
struct RenderedError<'a> {
    error: &'a Error,
    writer: &'a dyn RemedyWriter,
}

impl fmt::Display for RenderedError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.write_facts(f)?;
        match self.error.remedy() {
            Some(remedy) => {
                f.write_str("\n  help: ")?;
                remedy.write(f, self.writer)
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.render(&Neutral).fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
