//! Errors of the library as exceptions, with the arguments of Python in their remedies.

use std::fmt;

use featherank::error::{Command, Location, Part, Problem, Remedy, RemedyWriter, Setting};
use featherank::{Error, Stop};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// Names settings by the arguments of Python. Settings of the readers of text files, which Python
/// does not have, become what to do with the arrays.
struct Arguments;

/// The argument that a setting is, with its value if the setting has one, or what takes its place.
fn argument(setting: Setting) -> &'static str {
    match setting {
        Setting::Regroup => "numpy.argsort(qid, kind=\"stable\")",
        Setting::ZeroBased => "features numbered from 1",
        Setting::MaxFeatureId => "the number of features",
        Setting::Ignore => "ignore",
        Setting::Clip => "numpy.clip(X, -3.4e38, 3.4e38)",
        Setting::MissingAsZero => "numpy.nan_to_num(X)",
        Setting::MissingKept => "a tree ranker",
        Setting::UnjudgedDropped => "only rows with a label",
        Setting::UnjudgedAsZero => "the label 0",
        Setting::Group => "group",
        Setting::LabelColumn => "label",
        Setting::QueryColumn => "query",
        Setting::DocumentColumn => "document",
        Setting::MaxMemory => "the available memory",
        Setting::Memory => "the memory of featherank.ray.open",
        Setting::Format => "the extension of the file",
        Setting::K => "k",
        Setting::Keep => "keep",
        Setting::Drop => "drop",
        Setting::Budget => "budget",
        Setting::Valid => "valid=(X, y, qid)",
        Setting::NormaliseZscore => "normaliser=\"zscore\"",
        Setting::ImportancePermutation => "sklearn.inspection.permutation_importance",
        Setting::Output => "output",
        Setting::Depth => "the depth",
        Setting::FormTrec => "a TREC run",
        Setting::FormScores => "one score per line",
        Setting::FeatureSet => "featureset",
        Setting::Methods => "methods",
        Setting::Rankers => "rankers",
        Setting::Folds => "folds",
        Setting::Threads => "n_jobs",
        Setting::Parameter(name) => name,
        Setting::ParameterValue(name, _) => name,
    }
}

impl RemedyWriter for Arguments {
    fn name(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match setting {
            Setting::ParameterValue(name, value) => parameter(name, value, f),
            _ => f.write_str(argument(setting)),
        }
    }

    fn set(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phrase = match setting {
            Setting::Regroup => "order them with numpy.argsort(qid, kind=\"stable\")",
            Setting::ZeroBased => "add 1 to each",
            Setting::Clip => "use numpy.clip(X, -3.4e38, 3.4e38)",
            Setting::MissingAsZero => "use numpy.nan_to_num(X)",
            Setting::MissingKept => "use a tree ranker",
            Setting::UnjudgedDropped => "leave these rows out",
            Setting::UnjudgedAsZero => "give them the label 0",
            Setting::Group => "pass group, the number of rows of each query",
            Setting::Ignore => "drop it from the table",
            Setting::Valid => "pass valid=(X, y, qid) to fit",
            Setting::ImportancePermutation => "use sklearn.inspection.permutation_importance",
            Setting::FormTrec => "write a TREC run",
            Setting::FormScores => "write the scores alone",
            Setting::Format => "give the file its usual extension",
            Setting::MaxMemory | Setting::MaxFeatureId | Setting::Depth => {
                return write!(f, "change {}", argument(setting));
            }
            Setting::Memory => "open the data with featherank.ray.open",
            Setting::LabelColumn
            | Setting::QueryColumn
            | Setting::DocumentColumn
            | Setting::K
            | Setting::Keep
            | Setting::Drop
            | Setting::Budget
            | Setting::NormaliseZscore
            | Setting::Output
            | Setting::FeatureSet
            | Setting::Methods
            | Setting::Rankers
            | Setting::Folds
            | Setting::Threads
            | Setting::Parameter(_)
            | Setting::ParameterValue(..) => {
                f.write_str("pass ")?;
                return self.name(setting, f);
            }
        };
        f.write_str(phrase)
    }

    fn command(&self, command: Command, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match command {
            Command::Rank => f.write_str("the method `predict` of the ranker"),
            Command::Select | Command::Convert | Command::Compare => {
                write!(f, "`featherank {}`", command.name())
            }
        }
    }
}

/// A keyword argument with its value, as Python spells it.
fn parameter(name: &str, value: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = name.replace('-', "_");
    match value {
        "true" => write!(f, "{name}=True"),
        "false" => write!(f, "{name}=False"),
        number if number.parse::<f64>().is_ok() => write!(f, "{name}={number}"),
        text => write!(f, "{name}=\"{text}\""),
    }
}

/// A remedy in the words of Python.
struct InPython(Remedy);

impl fmt::Display for InPython {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, &Arguments)
    }
}

/// Every setting and command that a remedy may refer to, as Python words it; for tests.
#[pyfunction]
pub fn remedy_words() -> Vec<(String, String)> {
    let settings = Setting::ALL.iter().flat_map(|&setting| {
        let parts = [Part::from(setting), setting.set()];
        parts.map(|part| (format!("{setting:?}"), part))
    });
    let commands = Command::ALL.map(|command| (format!("{command:?}"), Part::from(command)));
    let worded = |(name, part): (String, Part)| (name, InPython(Remedy::from(part)).to_string());
    settings.chain(commands).map(worded).collect()
}

/// Every problem of the data, at one place, as Python words it; for tests.
#[pyfunction]
pub fn problem_texts() -> Vec<String> {
    let text = |problem: Problem| {
        problem.at(Location::line("train.txt", 97)).render(&Arguments).to_string()
    };
    featherank::internals::problem_examples().into_iter().map(text).collect()
}

/// A count with its noun, as all messages have it.
#[pyfunction]
pub fn counted(count: usize, noun: &str) -> String {
    featherank::internals::text::counted(count, noun)
}

/// The exception for an error, of the class that `featherank.exceptions` has for its kind.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Stopped(Stop::Interrupted) => return PyKeyboardInterrupt::new_err(()),
        Error::Stopped(Stop::TimeLimit) => "TimeLimitError",
        Error::Input { .. } => "InputError",
        Error::Io { .. } => "FileError",
        Error::Unknown { .. } => "UnknownNameError",
        Error::Invalid { .. } => "InvalidParameterError",
        Error::Settings(_) => "SettingsError",
        Error::Constraint(_) => "ConstraintError",
        Error::Protocol(_) => "ProtocolError",
        Error::Plan(_) => "PlanError",
        Error::Unsupported(_) => "UnsupportedError",
        Error::NothingCounts(_) => "NothingCountsError",
        Error::NothingSelected(_) => "NothingSelectedError",
        Error::Mismatch(_) => "MismatchError",
        Error::Numerical(_) => "NumericalError",
        Error::Message(_) => "MessageError",
        Error::Internal(_) => "InternalError",
        Error::Document { .. } => "DocumentError",
        Error::Shard { .. } => "ShardError",
    };
    let text = error.render(&Arguments).to_string();
    let made =
        py.import("featherank.exceptions").and_then(|module| module.getattr(class)?.call1((text,)));
    match made {
        Ok(value) => PyErr::from_value(value),
        Err(failed) => failed,
    }
}

/// For results that nothing but the library decides.
pub trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for featherank::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// JSON of the library's own types, which cannot fail unless they are wrong.
pub fn to_json<T: serde::Serialize>(value: &T) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}
