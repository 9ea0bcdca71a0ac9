//! Errors of the library as exceptions: the same text, with Python's keywords where the command has
//! options.

use featherank::{Error, Stop};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// What the command's remedies are called in Python. Longer ones come first.
const REMEDIES: &[(&str, &str)] = &[
    (
        "sort the file by query, or pass --regroup to let featherank do it",
        "sort the rows by query, for instance by numpy.argsort(qid, kind=\"stable\")",
    ),
    (
        "if -1 means unjudged, pass --unjudged drop or --unjudged zero",
        "if -1 means unjudged, leave these rows out",
    ),
    (
        "repair the value, or pass --missing zero to read NaN as 0 and --clip to cut infinities",
        "repair the value; numpy.nan_to_num(X) reads NaN as 0 and cuts infinities",
    ),
    (
        "rescale the feature, or pass --clip to cut such values to the largest 32-bit number",
        "rescale the feature, or clip it",
    ),
    (
        "read the data with --missing zero, or use a tree ranker",
        "fill them in, or use a tree ranker",
    ),
    ("read the data with --missing zero, or use a tree model", "fill them in, or use a tree model"),
    ("read the data with --missing zero", "fill them in"),
    ("name it with --valid", "pass valid=(X, y, qid) to fit"),
    ("name it in --keep or in --drop", "name it in keep or in drop"),
];

/// The exception for an error, of the class that `featherank.exceptions` has for its kind.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Stopped(Stop::Interrupted) => return PyKeyboardInterrupt::new_err(()),
        Error::Stopped(Stop::TimeLimit) => "TimeLimitError",
        Error::Input { .. } => "InputError",
        Error::Io { .. } => "FileError",
        Error::Unknown { .. } => "UnknownNameError",
        Error::Invalid { .. } => "InvalidParameterError",
        Error::Conflict { .. } => "ConflictError",
        Error::Document { .. } => "DocumentError",
        Error::Shard { .. } => "ShardError",
        _ => "FeatherankError",
    };
    let text = in_python(&error.to_string());
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

fn in_python(text: &str) -> String {
    let remedied = REMEDIES
        .iter()
        .fold(text.to_owned(), |text, (command, python)| text.replace(command, python));
    // `--k` is `k`; a dash that stands for itself has a blank behind it.
    remedied.replace(" --", " ").replace("  > ", "  --> ")
}
