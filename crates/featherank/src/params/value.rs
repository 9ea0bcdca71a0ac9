//! Typed values of parameters and their text representation.

use std::any::Any;
use std::fmt::{self, Display};

use super::{Kind, Params};
use crate::error::{Error, Result};
use crate::measure::Measure;

/// A value that can be written as the text of a parameter.
pub trait ParamText {
    /// The text, which parses back to the same value.
    fn to_text(&self) -> String;
}

/// A value that can be parsed from the checked text of a parameter.
pub trait ParamValue: Sized {
    /// Parses the text of the parameter `name`.
    fn parse(name: &str, text: &str) -> Result<Self>;

    /// The value of the parameter `name` among all parameters of a method.
    fn of(params: &Params, name: &str) -> Result<Self> {
        Self::parse(name, params.text(name))
    }
}

/// An enum whose variants are the words of a parameter; declared with `choice!`.
pub trait Choice: ParamValue + ParamText + 'static {
    /// The words, in order.
    const WORDS: &'static [&'static str];
}

/// Parameters and their values, as a user would write them.
pub type Settings = Vec<(String, String)>;

/// The declaration of a ranker as the value of a parameter; layers above know its type.
pub trait RankerEntry: Any + Send + Sync {
    /// The name of the ranker.
    fn name(&self) -> &'static str;
}

impl fmt::Debug for dyn RankerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! numbers {
    ($($type:ty, $expected:literal);+ $(;)?) => { $(
        impl ParamText for $type {
            fn to_text(&self) -> String {
                self.to_string()
            }
        }

        impl ParamValue for $type {
            fn parse(name: &str, text: &str) -> Result<Self> {
                text.parse().map_err(|_| Error::invalid(name, text, $expected))
            }
        }
    )+ };
}

numbers! {
    f64, "a number";
    u64, "a whole number";
    usize, "a whole number";
    bool, "true or false";
}

impl ParamText for f32 {
    fn to_text(&self) -> String {
        self.to_string()
    }
}

/// Parsed as `f64` and rounded, like all numbers from users.
impl ParamValue for f32 {
    fn parse(name: &str, text: &str) -> Result<Self> {
        f64::parse(name, text).map(|value| value as f32)
    }
}

/// `auto` is `None`.
impl<T: ParamValue> ParamValue for Option<T> {
    fn parse(name: &str, text: &str) -> Result<Self> {
        if text == "auto" { Ok(None) } else { T::parse(name, text).map(Some) }
    }
}

impl ParamText for [f64] {
    fn to_text(&self) -> String {
        if self.is_empty() {
            return "auto".into();
        }
        self.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
    }
}

/// `auto` is empty.
impl ParamValue for Vec<f64> {
    fn parse(name: &str, text: &str) -> Result<Self> {
        let given = text.split(',').map(str::trim).filter(|one| *one != "auto");
        given.map(|one| f64::parse(name, one)).collect()
    }
}

impl ParamText for Measure {
    fn to_text(&self) -> String {
        self.to_string()
    }
}

impl ParamValue for Measure {
    fn parse(_: &str, text: &str) -> Result<Self> {
        text.parse()
    }
}

impl ParamText for str {
    fn to_text(&self) -> String {
        self.to_owned()
    }
}

impl ParamValue for String {
    fn parse(_: &str, text: &str) -> Result<Self> {
        Ok(text.to_owned())
    }
}

impl<N: Display, V: Display> ParamText for [(N, V)] {
    fn to_text(&self) -> String {
        let pairs = self.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join(";")
    }
}

impl ParamValue for Settings {
    fn parse(name: &str, text: &str) -> Result<Self> {
        let pair = |part: &str| match part.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(Error::invalid(name, part, Kind::Settings.range())),
        };
        text.split(';').filter(|part| !part.trim().is_empty()).map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_parses_back() {
        for value in [0.1, 1e-300, 123_456_789.123, 5e-324, 1e22, 2.0 / 3.0] {
            assert_eq!(f64::parse("x", &value.to_text()).unwrap(), value);
        }
        assert_eq!(Vec::<f64>::parse("x", &[0.5, 1e-9][..].to_text()).unwrap(), [0.5, 1e-9]);
        assert!(Vec::<f64>::parse("x", &[0.0; 0][..].to_text()).unwrap().is_empty());
        let settings = [("trees", "50"), ("leaves", "8")];
        assert_eq!(settings[..].to_text(), "trees=50;leaves=8");
        let parsed = Settings::parse("x", "trees=50; leaves = 8;").unwrap();
        assert_eq!(parsed[1], ("leaves".to_owned(), "8".to_owned()));
        assert!(Settings::parse("x", "trees").is_err());
    }
}
