//! Method expressions: a name such as `best-gain`, optionally with parameters in brackets, such as
//! `best-gain[delta=0.03]`.
//!
//! Parameters are separated by commas. A part without `=` continues the previous value, so that
//! lists need no quotes: `l1-svm[c=0.01,0.1,folds=5]` sets `c` to `0.01,0.1` and `folds` to `5`.
//! Nested brackets belong to values.

use crate::error::{Error, Result};
use crate::rank::tune::Settings;

/// A method name with parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodExpression {
    /// The name in the registry.
    pub name: String,
    /// Parameters, in the given order.
    pub settings: Settings,
}

impl MethodExpression {
    /// Parses an expression. The settings of `l1-svm[c=0.01,0.1,measure=ndcg[ties=expected]@5]` are
    /// `c`, with two values, and `measure`.
    pub fn parse(text: &str) -> Result<Self> {
        let refused = || {
            Error::invalid(
                "method",
                text,
                "a name, or a name with parameters such as best-gain[delta=0.03]",
            )
        };
        let (name, inside) = match text.trim().split_once('[') {
            None => (text.trim(), ""),
            Some((name, rest)) => (name.trim(), rest.strip_suffix(']').ok_or_else(refused)?),
        };
        if name.is_empty() || name.contains([']', '=']) {
            return Err(refused());
        }
        let mut settings: Settings = Vec::new();
        for part in split_outside_brackets(inside) {
            match (part.split_once('='), settings.last_mut()) {
                (Some((key, value)), _) if is_key(key.trim()) => {
                    settings.push((key.trim().to_owned(), value.trim().to_owned()));
                }
                (_, Some((_, value))) => *value += &format!(",{part}"),
                _ => return Err(refused()),
            }
        }
        let twice = (1..settings.len())
            .find(|&i| settings[..i].iter().any(|(name, _)| *name == settings[i].0));
        match twice {
            Some(i) => {
                Err(Error::plan(format!("{} of {name} is set twice", settings[i].0), "set it once"))
            }
            None => Ok(MethodExpression { name: name.to_owned(), settings }),
        }
    }
}

/// Parameter names contain no brackets; an `=` inside brackets belongs to a value.
fn is_key(text: &str) -> bool {
    !text.is_empty() && !text.contains(['[', ']'])
}

/// Splits at commas, except inside `[…]`.
///
/// ```
/// use featherank::internals::split_outside_brackets;
/// let parts: Vec<&str> = split_outside_brackets("top-k, gas[c=0.1,k=5],").collect();
/// assert_eq!(parts, ["top-k", "gas[c=0.1,k=5]"]);
/// ```
pub fn split_outside_brackets(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = text.split(move |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Formats a name and parameters so that [`MethodExpression::parse`] can parse them.
pub(super) fn format_expression<'a>(
    name: &str,
    settings: impl Iterator<Item = (&'a str, &'a str)>,
) -> String {
    let set: Vec<String> = settings.map(|(name, value)| format!("{name}={value}")).collect();
    if set.is_empty() { name.to_owned() } else { format!("{name}[{}]", set.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Vec<(String, String)> {
        MethodExpression::parse(text).unwrap().settings
    }

    #[test]
    fn parameters_and_lists_are_distinguished() {
        let pairs = |list: &[(&str, &str)]| -> Settings {
            list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        assert_eq!(settings("top-k"), []);
        assert_eq!(settings("top-k[k=5,10]"), pairs(&[("k", "5,10")]));
        assert_eq!(
            settings("l1-svm[c=0.01,0.1,measure=ndcg[ties=expected]@5]"),
            pairs(&[("c", "0.01,0.1"), ("measure", "ndcg[ties=expected]@5")])
        );
        assert_eq!(
            settings("spea2[ settings=trees=10;leaves=4 , folds = 5]"),
            pairs(&[("settings", "trees=10;leaves=4"), ("folds", "5")])
        );
        for text in ["spea2[objectives=e-f,folds=5]", "top-k", "gas[c=0,0.1,k=3]"] {
            let expression = MethodExpression::parse(text).unwrap();
            let again = format_expression(
                &expression.name,
                expression.settings.iter().map(|(n, v)| (n.as_str(), v.as_str())),
            );
            assert_eq!(again, text);
        }
    }

    #[test]
    fn invalid_expressions_are_refused() {
        for text in ["", "[k=5]", "top-k[k=5", "top-k]", "top-k[5]", "k=5", "top-k[k=1,k=2]"] {
            assert!(MethodExpression::parse(text).is_err(), "{text}");
        }
    }
}
