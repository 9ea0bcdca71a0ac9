//! Parameters of methods: declared once in the registry, checked before a method is built.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::registry::near_names;

/// A parameter as the registry declares it.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name on the command line, in Python and in files.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is unless set, written as a user would.
    pub default: &'static str,
    /// One line for people.
    pub meaning: &'static str,
}

/// What a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Any measure's name.
    Measure,
    /// A number in a range, borders included.
    Real {
        /// Least.
        min: f64,
        /// Most.
        max: f64,
    },
    /// A whole number in a range, borders included.
    Whole {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
    },
    /// A number in a range, borders included, or `auto`: the method finds it.
    Auto {
        /// Least.
        min: f64,
        /// Most.
        max: f64,
    },
    /// One or more numbers in a range, with commas between them, or `auto`: the method finds them.
    Values {
        /// Least.
        min: f64,
        /// Most.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A feature's name or id, or `best`.
    Feature,
    /// The name of a ranker.
    Ranker,
    /// Parameters of another method: `name=value;name=value`.
    Settings,
    /// Words that the method itself reads; what they may be.
    Words(&'static str),
}

impl Kind {
    /// The range in words, for tables and messages.
    pub fn range(&self) -> String {
        match self {
            Kind::Measure => "any measure".into(),
            Kind::Real { min, max } => between(*min, *max),
            Kind::Whole { min, max } => format!("{min} to {max}"),
            Kind::Auto { min, max } => format!("auto, or {}", between(*min, *max)),
            Kind::Values { min, max } => {
                format!("auto, or {}; several with commas between", between(*min, *max))
            }
            Kind::Choice(words) => words.join(", "),
            Kind::Feature => "a feature's name or id, or best".into(),
            Kind::Ranker => "any ranker".into(),
            Kind::Settings => "name=value;name=value".into(),
            Kind::Words(words) => (*words).into(),
        }
    }

    fn accepts(&self, value: &str) -> bool {
        match self {
            Kind::Measure | Kind::Settings | Kind::Words(_) => true,
            Kind::Real { min, max } => {
                value.parse::<f64>().is_ok_and(|x| (*min..=*max).contains(&x))
            }
            Kind::Whole { min, max } => {
                value.parse::<u64>().is_ok_and(|x| (*min..=*max).contains(&x))
            }
            Kind::Auto { min, max } => {
                value == "auto" || Kind::Real { min: *min, max: *max }.accepts(value)
            }
            Kind::Values { min, max } => {
                let number = Kind::Real { min: *min, max: *max };
                value == "auto" || value.split(',').all(|one| number.accepts(one.trim()))
            }
            Kind::Choice(words) => words.contains(&value),
            Kind::Feature | Kind::Ranker => !value.is_empty(),
        }
    }
}

/// A range in words; very small and very large borders as powers of ten.
fn between(min: f64, max: f64) -> String {
    let border = |x: f64| match x.abs() {
        size if size != 0.0 && !(1e-3..1e6).contains(&size) => format!("{x:e}"),
        _ => x.to_string(),
    };
    format!("{} to {}", border(min), border(max))
}

/// Checked values for all parameters of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    values: BTreeMap<&'static str, String>,
}

impl Params {
    /// Defaults, overridden by what the user set.
    pub fn new(method: &str, declared: &'static [Param], set: &[(String, String)]) -> Result<Self> {
        let mut values: BTreeMap<_, _> =
            declared.iter().map(|p| (p.name, p.default.to_owned())).collect();
        for (name, value) in set {
            let param = declared.iter().find(|p| p.name == name).ok_or_else(|| Error::Unknown {
                kind: format!("parameter of {method}"),
                name: name.clone(),
                near: near_names(name, declared.iter().map(|p| p.name)),
            })?;
            if !param.kind.accepts(value) {
                return Err(Error::invalid(
                    format!("{name} of {method}"),
                    value,
                    param.kind.range(),
                ));
            }
            // A measure is stored under its canonical name, so that equal runs are written equally.
            let canonical = match param.kind {
                Kind::Measure => value.parse::<Measure>()?.to_string(),
                _ => value.clone(),
            };
            values.insert(param.name, canonical);
        }
        Ok(Params { values })
    }

    /// All values as text, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// A parameter's text.
    pub fn text(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    /// A measure.
    pub fn measure(&self, name: &str) -> Result<Measure> {
        self.text(name).parse()
    }

    /// A number.
    pub fn real(&self, name: &str) -> Result<f64> {
        self.text(name).parse().map_err(|_| Error::invalid(name, self.text(name), "a number"))
    }

    /// A number, or `None` where the method is to find it.
    pub fn auto(&self, name: &str) -> Result<Option<f64>> {
        if self.text(name) == "auto" { Ok(None) } else { self.real(name).map(Some) }
    }

    /// Numbers to choose from; none where the method is to find them.
    pub fn values(&self, name: &str) -> Result<Vec<f64>> {
        let given = self.text(name).split(',').map(str::trim).filter(|one| *one != "auto");
        given.map(|one| one.parse().map_err(|_| Error::invalid(name, one, "a number"))).collect()
    }

    /// A whole number.
    pub fn whole(&self, name: &str) -> Result<u64> {
        self.text(name).parse().map_err(|_| Error::invalid(name, self.text(name), "a whole number"))
    }

    /// Parameters of another method.
    pub fn settings(&self, name: &str) -> Result<Vec<(String, String)>> {
        let pair = |part: &str| match part.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(Error::invalid(name, part, Kind::Settings.range())),
        };
        self.text(name).split(';').filter(|part| !part.trim().is_empty()).map(pair).collect()
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
    ];

    fn set(name: &str, value: &str) -> Result<Params> {
        Params::new("test", DECLARED, &[(name.into(), value.into())])
    }

    #[test]
    fn values_are_checked_and_canonical() {
        let params = set("measure", "NDCG[letor4]@5").unwrap();
        assert_eq!(params.text("measure"), "ndcg[letor]@5");
        assert_eq!((params.real("delta").unwrap(), params.whole("rounds").unwrap()), (0.01, 3));
        assert!(params.values("cost").unwrap().is_empty());
        assert_eq!(set("cost", "2, 0.5").unwrap().values("cost").unwrap(), [2.0, 0.5]);
        for (name, value, says) in [
            ("dleta", "1", "did you mean `delta`"),
            ("delta", "2", "0 to 1"),
            ("delta", "nan", "0 to 1"),
            ("rounds", "0", "1 to 9"),
            ("cost", "1,10", "1e-12 to 9; several with commas"),
            ("cost", "1,,2", "auto, or 1e-12"),
            ("cost", "1,auto", "auto, or 1e-12"),
            ("mode", "quick", "fast, slow"),
            ("measure", "x@3", "no measure called"),
        ] {
            let error = set(name, value).unwrap_err().to_string();
            assert!(error.contains(says), "{name}={value}: {error}");
        }
    }
}
