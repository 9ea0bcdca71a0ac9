//! What to do about an error, without the words of any front end.
//!
//! A [`Remedy`] is text with typed references to settings and commands. The library's own `Display`
//! names them neutrally; a front end implements [`RemedyWriter`] and names its own flags or
//! arguments.

use std::borrow::Cow;
use std::fmt;

/// What to do about an error: text with references to settings and commands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remedy(Vec<Part>);

/// A piece of a [`Remedy`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text for every front end.
    Text(Cow<'static, str>),
    /// The name of a setting: "`k`", "--k", "k".
    Name(Setting),
    /// An instruction to use a setting: "set `regroup`", "pass --regroup".
    Set(Setting),
    /// A command of the program.
    Command(Command),
}

/// Commands of the program that a remedy may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Selects features and writes a selection.
    Select,
    /// Scores documents with a saved model.
    Rank,
    /// Converts data from one format to another.
    Convert,
    /// Compares methods and writes results.
    Compare,
}

impl Command {
    /// All commands, for tests of front ends.
    pub const ALL: [Command; 4] =
        [Command::Select, Command::Rank, Command::Convert, Command::Compare];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Command::Select => "select",
            Command::Rank => "rank",
            Command::Convert => "convert",
            Command::Compare => "compare",
        }
    }
}

/// Declares the settings once: variant, documentation and neutral name.
macro_rules! settings {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// Settings that a remedy may refer to. Front ends match on it exhaustively, so that the
        /// compiler asks for the words of a new one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Setting {
            $($(#[$doc])* $variant,)+
            /// A parameter of the method or ranker in use.
            Parameter(&'static str),
            /// A value of a parameter of the method or ranker in use.
            ParameterValue(&'static str, &'static str),
        }

        impl Setting {
            /// All settings, and a parameter without and with a value; for tests of front ends.
            pub const ALL: &[Setting] = &[
                $(Setting::$variant,)+
                Setting::Parameter("eta"),
                Setting::ParameterValue("eta", "auto"),
            ];

            fn write_neutral(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Setting::$variant => f.write_str(concat!("`", $name, "`")),)+
                    Setting::Parameter(name) => write!(f, "`{name}`"),
                    Setting::ParameterValue(name, value) => write!(f, "`{name} = {value}`"),
                }
            }
        }
    };
}

settings! {
    /// Bring the rows of one query together while reading.
    Regroup = "regroup",
    /// Feature ids of text rows start at 0.
    ZeroBased = "zero_based",
    /// The largest feature id accepted.
    MaxFeatureId = "max_feature_id",
    /// Columns or features that are not read.
    Ignore = "ignore",
    /// Replace infinities and values beyond 32 bits by the largest 32-bit number.
    Clip = "clip",
    /// Read missing values as 0.
    MissingAsZero = "missing = zero",
    /// Keep missing values missing.
    MissingKept = "missing = keep",
    /// Leave out documents without a label.
    UnjudgedDropped = "unjudged = drop",
    /// Read documents without a label as irrelevant.
    UnjudgedAsZero = "unjudged = zero",
    /// The file with the sizes of the queries.
    Group = "group",
    /// The column that holds labels.
    LabelColumn = "label_column",
    /// The column that holds query ids.
    QueryColumn = "query_column",
    /// The column that holds document ids.
    DocumentColumn = "document_column",
    /// The limit on the memory for data that is read as a whole.
    MaxMemory = "max_memory",
    /// The memory for data that is read in pieces.
    Memory = "memory",
    /// The format of the data.
    Format = "format",
    /// The number of features to select.
    K = "k",
    /// Features that every selection holds.
    Keep = "keep",
    /// Features that no selection holds.
    Drop = "drop",
    /// The limit on the total cost of a selection.
    Budget = "budget",
    /// Validation data.
    Valid = "valid",
    /// The normaliser fitted on all training data.
    NormaliseZscore = "normaliser = zscore",
    /// Measure importance by permutation.
    ImportancePermutation = "importance = permutation",
    /// The file or folder to write to.
    Output = "output",
    /// How many documents of a query a run holds.
    Depth = "depth",
    /// Write a TREC run.
    FormTrec = "form = trec",
    /// Write one score per line.
    FormScores = "form = scores",
    /// The file with the definitions of all features.
    FeatureSet = "featureset",
    /// Selection methods to compare.
    Methods = "methods",
    /// Rankers to compare methods with.
    Rankers = "rankers",
    /// The number of folds.
    Folds = "folds",
    /// The number of threads.
    Threads = "threads",
}

impl Setting {
    /// The instruction to use this setting, as a part of a remedy.
    pub fn set(self) -> Part {
        Part::Set(self)
    }
}

/// How a front end refers to settings and commands.
pub trait RemedyWriter {
    /// The name of a setting.
    fn name(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// The instruction to use a setting.
    fn set(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// A command of the program.
    fn command(&self, command: Command, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`featherank {}`", command.name())
    }
}

/// The library's own words, which belong to no front end.
#[derive(Debug, Clone, Copy)]
pub struct Neutral;

impl RemedyWriter for Neutral {
    fn name(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        setting.write_neutral(f)
    }

    fn set(&self, setting: Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("set ")?;
        setting.write_neutral(f)
    }
}

impl Remedy {
    /// The remedy with another piece at its end.
    #[must_use]
    pub fn then(mut self, part: impl Into<Part>) -> Self {
        self.0.push(part.into());
        self
    }

    /// Writes the remedy in the words of a front end.
    pub fn write(&self, f: &mut fmt::Formatter<'_>, writer: &dyn RemedyWriter) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(text),
            Part::Name(setting) => writer.name(*setting, f),
            Part::Set(setting) => writer.set(*setting, f),
            Part::Command(command) => writer.command(*command, f),
        })
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &Neutral)
    }
}

impl<P: Into<Part>> From<P> for Remedy {
    fn from(part: P) -> Self {
        Remedy(vec![part.into()])
    }
}

impl From<&'static str> for Part {
    fn from(text: &'static str) -> Self {
        Part::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Part::Text(Cow::Owned(text))
    }
}

impl From<Setting> for Part {
    fn from(setting: Setting) -> Self {
        Part::Name(setting)
    }
}

impl From<Command> for Part {
    fn from(command: Command) -> Self {
        Part::Command(command)
    }
}

/// A [`Remedy`] from its pieces: text, settings by name, instructions to use a setting, commands.
///
/// ```
/// use featherank::remedy;
///
/// let remedy = remedy!["sort the rows by query, or ", Regroup.set()];
/// assert_eq!(remedy.to_string(), "sort the rows by query, or set `regroup`");
/// ```
#[doc(hidden)] // For front ends, whose errors have remedies too.
#[macro_export]
macro_rules! remedy {
    ($($part:expr),+ $(,)?) => {{
        #[allow(unused_imports, reason = "not every remedy refers to a setting")]
        use $crate::error::{Command, Setting::*};
        $crate::error::Remedy::default()$(.then($part))+
    }};
}
