//! Parameters of methods: declarations, kinds of values, and checked sets of values.
//!
//! A method declares its parameters once, as [`Param`]s. Values are passed as text:
//! `-p name=value`, the arguments of Python and the setters of a builder all lead to
//! [`Params::new`], which is the only place where ranges are checked.

mod relevance;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::names::unknown;
pub use value::{Choice, ParamText, ParamValue, RankerEntry, Settings};

/// A declared parameter.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// The values it accepts.
    pub kind: Kind,
    /// Its default, as text.
    pub default: &'static str,
    /// Its description, one sentence without the full stop.
    pub meaning: &'static str,
}

/// The values that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// The name of a measure.
    Measure,
    /// A number in a range, bounds included.
    Real {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// The smallest label of a relevant document, in a range, bounds included.
    Threshold {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A whole number in a range, bounds included.
    Whole {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A number in a range, bounds included, or `auto`: chosen by the method.
    Auto {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A whole number in a range, bounds included, or `auto`: chosen by the method.
    AutoWhole {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// One or more numbers in a range, separated by commas, or `auto`: chosen by the method.
    Values {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A feature's name or id, or `best`.
    Feature,
    /// The name of a ranker.
    Ranker,
    /// Parameters of another method: `name=value;name=value`.
    Settings,
    /// Text that the method itself parses, and a description of it.
    Words(&'static str),
}

impl Kind {
    /// The range as text, for tables and messages.
    pub fn range(&self) -> String {
        match self {
            Kind::Measure => "any measure".into(),
            Kind::Real { min, max } | Kind::Threshold { min, max } => between(*min, *max),
            Kind::Whole { min, max } => format!("{min} to {max}"),
            Kind::Auto { min, max } => format!("auto, or {}", between(*min, *max)),
            Kind::AutoWhole { min, max } => format!("auto, or a whole number from {min} to {max}"),
            Kind::Values { min, max } => {
                format!("auto, or {} (one value or a comma-separated list)", between(*min, *max))
            }
            Kind::Flag => "true, false".into(),
            Kind::Choice(words) => words.join(", "),
            Kind::Feature => "a feature's name or id, or best".into(),
            Kind::Ranker => "any ranker".into(),
            Kind::Settings => "name=value;name=value".into(),
            Kind::Words(words) => (*words).into(),
        }
    }

    fn accepts(&self, value: &str) -> bool {
        let real = |min: f64, max: f64, text: &str| {
            text.parse::<f64>().is_ok_and(|x| (min..=max).contains(&x))
        };
        let whole = |min: u64, max: u64| value.parse().is_ok_and(|x| (min..=max).contains(&x));
        match *self {
            Kind::Measure | Kind::Settings | Kind::Words(_) => true,
            Kind::Real { min, max } | Kind::Threshold { min, max } => real(min, max, value),
            Kind::Whole { min, max } => whole(min, max),
            Kind::Auto { min, max } => value == "auto" || real(min, max, value),
            Kind::AutoWhole { min, max } => value == "auto" || whole(min, max),
            Kind::Values { min, max } => {
                value == "auto" || value.split(',').all(|one| real(min, max, one.trim()))
            }
            Kind::Flag => matches!(value, "true" | "false"),
            Kind::Choice(words) => words.contains(&value),
            Kind::Feature | Kind::Ranker => !value.is_empty(),
        }
    }
}

/// A range as text; very small and very large bounds are written as powers of ten.
fn between(min: f64, max: f64) -> String {
    let bound = |x: f64| match x.abs() {
        size if size != 0.0 && !(1e-3..1e6).contains(&size) => format!("{x:e}"),
        _ => x.to_string(),
    };
    format!("{} to {}", bound(min), bound(max))
}

/// Returns an error if a parameter is set twice.
pub fn check_set_once(set: &[(String, String)]) -> Result<()> {
    let twice = (1..set.len()).find(|&i| set[..i].iter().any(|(name, _)| *name == set[i].0));
    match twice {
        Some(i) => Err(Error::settings(
            format!("parameter `{}` is set twice", set[i].0),
            "set each parameter once",
        )),
        None => Ok(()),
    }
}

/// Checked values for all parameters of one method.
#[derive(Debug, Clone)]
pub struct Params {
    values: BTreeMap<&'static str, String>,
    /// The names of those that were set; the others have their defaults.
    set: BTreeSet<&'static str>,
    /// Rankers that were passed as values: other crates may declare rankers, which have no name in
    /// the registry.
    rankers: BTreeMap<&'static str, &'static dyn RankerEntry>,
}

/// By the values as text, which documents hold: they name rankers that were passed as values.
impl PartialEq for Params {
    fn eq(&self, other: &Self) -> bool {
        (&self.values, &self.set) == (&other.values, &other.set)
    }
}

impl Params {
    /// The defaults, overridden by `set`. Fails for an unknown name or a value out of range.
    pub fn new(method: &str, declared: &'static [Param], set: &[(String, String)]) -> Result<Self> {
        let mut values: BTreeMap<_, _> =
            declared.iter().map(|p| (p.name, p.default.to_owned())).collect();
        let mut known = BTreeSet::new();
        for (name, value) in set {
            let param = declared.iter().find(|p| p.name == name).ok_or_else(|| {
                unknown(&format!("parameter of {method}"), name, declared.iter().map(|p| p.name))
            })?;
            if !param.kind.accepts(value) {
                return Err(Error::invalid(
                    format!("{name} of {method}"),
                    value,
                    param.kind.range(),
                ));
            }
            // A measure is stored under its canonical name, so that equal runs produce equal
            // documents.
            let canonical = match param.kind {
                Kind::Measure => value.parse::<Measure>()?.to_string(),
                _ => value.clone(),
            };
            values.insert(param.name, canonical);
            known.insert(param.name);
        }
        Ok(Params { values, set: known, rankers: BTreeMap::new() })
    }

    /// The same values with a declared ranker instead of a name in the registry.
    pub(crate) fn with_ranker(mut self, name: &str, ranker: &'static dyn RankerEntry) -> Self {
        if let Some(param) = self.set.get(name) {
            self.rankers.insert(param, ranker);
        }
        self
    }

    /// The declared ranker of a parameter, if it was passed as a value.
    pub fn ranker(&self, name: &str) -> Option<&'static dyn RankerEntry> {
        self.rankers.get(name).copied()
    }

    /// All values as text, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// All values as text, by name, for documents.
    pub(crate) fn to_map(&self) -> BTreeMap<String, String> {
        self.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// The values that differ from the defaults, in the order of the declarations.
    pub fn changed(&self, declared: &[Param]) -> Settings {
        let changed = declared.iter().filter(|param| self.text(param.name) != param.default);
        changed.map(|param| (param.name.to_owned(), self.text(param.name).to_owned())).collect()
    }

    /// The text of a parameter.
    pub fn text(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    /// The typed value of a parameter.
    pub fn get<T: ParamValue>(&self, name: &str) -> Result<T> {
        T::of(self, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static DECLARED: &[Param] = &[
        Param { name: "measure", kind: Kind::Measure, default: "map", meaning: "" },
        Param {
            name: "delta",
            kind: Kind::Real { min: 0.0, max: 1.0 },
            default: "0.01",
            meaning: "",
        },
        Param { name: "rounds", kind: Kind::Whole { min: 1, max: 9 }, default: "3", meaning: "" },
        Param {
            name: "cost",
            kind: Kind::Values { min: 1e-12, max: 9.0 },
            default: "auto",
            meaning: "",
        },
        Param { name: "mode", kind: Kind::Choice(&["fast", "slow"]), default: "fast", meaning: "" },
        Param { name: "warm", kind: Kind::Flag, default: "true", meaning: "" },
        Param {
            name: "steps",
            kind: Kind::AutoWhole { min: 1, max: 1_000_000 },
            default: "auto",
            meaning: "",
        },
    ];

    fn set(name: &str, value: &str) -> Result<Params> {
        Params::new("test", DECLARED, &[(name.into(), value.into())])
    }

    #[test]
    fn values_are_checked_and_canonical() {
        let params = set("measure", "NDCG[letor4]@5").unwrap();
        assert_eq!(params.text("measure"), "ndcg[letor]@5");
        assert_eq!(params.get::<f64>("delta").unwrap(), 0.01);
        assert_eq!(params.get::<u64>("rounds").unwrap(), 3);
        assert!(params.get::<bool>("warm").unwrap());
        assert_eq!(params.changed(DECLARED), [("measure".into(), "ndcg[letor]@5".into())]);
        assert_eq!(params.get::<Option<u64>>("steps").unwrap(), None);
        assert!(params.get::<Vec<f64>>("cost").unwrap().is_empty());
        assert_eq!(set("cost", "2, 0.5").unwrap().get::<Vec<f64>>("cost").unwrap(), [2.0, 0.5]);
        for (name, value, says) in [
            ("dleta", "1", "did you mean `delta`"),
            ("delta", "2", "0 to 1"),
            ("delta", "nan", "0 to 1"),
            ("rounds", "0", "1 to 9"),
            ("cost", "1,10", "1e-12 to 9 (one value or a comma"),
            ("cost", "1,,2", "auto, or 1e-12"),
            ("cost", "1,auto", "auto, or 1e-12"),
            ("mode", "quick", "fast, slow"),
            ("warm", "yes", "true, false"),
            ("steps", "1.5", "auto, or a whole number from 1 to 1000000"),
            ("measure", "x@3", "no measure called"),
        ] {
            let error = set(name, value).unwrap_err().to_string();
            assert!(error.contains(says), "{name}={value}: {error}");
        }
    }
}
