//! Names of measures: `name[option,option=value]@cutoff`, printed canonically and parsed back.

use std::fmt;
use std::str::FromStr;

use super::conventions::{
    ConventionPreset, Conventions, Discount, Gain, Key, NoRelevant, ShortLists, Ties,
};
use super::{Cutoff, MEASURES, Measure, MeasureSpec};
use crate::error::{Error, Result};
use crate::measure::ParameterEntry;
use crate::names::unknown;

/// A value of an option and its effect.
type OptionValue = (&'static str, fn(&mut Conventions));

/// An option with named values.
struct Words {
    key: Key,
    word: &'static str,
    values: &'static [OptionValue],
}

/// In the order in which they are printed.
const WORDS: [Words; 5] = [
    Words {
        key: Key::Gain,
        word: "gain",
        values: &[("exp", |c| c.gain = Gain::Exponential), ("linear", |c| c.gain = Gain::Linear)],
    },
    Words {
        key: Key::Discount,
        word: "discount",
        values: &[
            ("log2", |c| c.discount = Discount::Log2),
            ("letor", |c| c.discount = Discount::Letor),
        ],
    },
    Words {
        key: Key::ShortLists,
        word: "short",
        values: &[
            ("truncate", |c| c.short_lists = ShortLists::Truncate),
            ("pad", |c| c.short_lists = ShortLists::Pad),
            ("zero", |c| c.short_lists = ShortLists::Zero),
        ],
    },
    Words {
        key: Key::NoRelevant,
        word: "empty",
        values: &[
            ("zero", |c| c.no_relevant = NoRelevant::Zero),
            ("one", |c| c.no_relevant = NoRelevant::One),
            ("skip", |c| c.no_relevant = NoRelevant::Skip),
        ],
    },
    Words {
        key: Key::Ties,
        word: "ties",
        values: &[
            ("input", |c| c.ties = Ties::Input),
            ("worst", |c| c.ties = Ties::Worst),
            ("expected", |c| c.ties = Ties::Expected),
        ],
    },
];

/// Options with numeric values.
type NumberOption = (Key, &'static str, fn(&mut Conventions) -> &mut f32);
const NUMBERS: [NumberOption; 2] = [
    (Key::Relevant, "rel", |c| &mut c.relevant_from),
    (Key::MaxGrade, "max", |c| &mut c.max_grade),
];

impl Key {
    fn meaning(self) -> &'static str {
        match self {
            Key::Gain => "gain of a label: 2^y-1 or y",
            Key::Discount => "weight of a position: 1/log2(1+i), or as in the LETOR scripts",
            Key::ShortLists => "value of lists shorter than the cut-off",
            Key::NoRelevant => "value of queries without relevant documents",
            Key::Relevant => "smallest label that is relevant",
            Key::Ties => "order of documents with equal scores",
            Key::MaxGrade => "largest label; a document satisfies with probability (2^y-1)/2^max",
        }
    }
}

/// The bracketed options that a measure takes.
pub(super) fn option_entries(spec: &MeasureSpec) -> Vec<ParameterEntry> {
    let mut defaults = spec.defaults;
    let words = WORDS.iter().filter(|w| spec.options.contains(&w.key)).map(|w| ParameterEntry {
        name: w.word.into(),
        default: w.current(&spec.defaults).map_or("", |(value, _)| *value).into(),
        range: w.values.iter().map(|(value, _)| *value).collect::<Vec<_>>().join(", "),
        meaning: w.key.meaning().into(),
    });
    let mut entries: Vec<ParameterEntry> = words.collect();
    for (key, word, field) in NUMBERS.iter().filter(|(key, ..)| spec.options.contains(key)) {
        entries.push(ParameterEntry {
            name: (*word).into(),
            default: field(&mut defaults).to_string(),
            range: "a number above 0".into(),
            meaning: key.meaning().into(),
        });
    }
    entries
}

impl Words {
    /// The value that the conventions have for this option.
    fn current(&self, conventions: &Conventions) -> Option<&OptionValue> {
        self.values.iter().find(|(_, set)| {
            let mut changed = *conventions;
            set(&mut changed);
            changed == *conventions
        })
    }
}

/// Other names of measures, as people and other tools write them.
const ALIASES: [(&str, &str); 10] = [
    ("precision", "p"),
    ("prec", "p"),
    ("r", "recall"),
    ("ap", "map"),
    ("average-precision", "map"),
    ("average_precision", "map"),
    ("mean-average-precision", "map"),
    ("rr", "mrr"),
    ("recip_rank", "mrr"),
    ("reciprocal-rank", "mrr"),
];

impl FromStr for Measure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let (head, cutoff) = match text.rsplit_once('@') {
            Some((head, k)) if !k.contains(']') => (head, Some(k)),
            _ => (text, None),
        };
        let (name, options) = match head.split_once('[') {
            None => (head, ""),
            Some((name, rest)) => {
                (name, rest.strip_suffix(']').ok_or_else(|| bad(text, "a closing bracket"))?)
            }
        };
        let lower = name.to_ascii_lowercase();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == lower);
        let known = alias.map_or(lower.as_str(), |(_, known)| *known);
        let spec = MEASURES
            .iter()
            .find(|spec| spec.name == known)
            .ok_or_else(|| unknown("measure", name, MEASURES.iter().map(|spec| spec.name)))?;
        let cutoff = match (spec.cutoff, cutoff) {
            (Cutoff::Required, None) => {
                return Err(bad(text, &format!("a cut-off, as in {name}@10")));
            }
            (Cutoff::None, Some(_)) => return Err(bad(text, "no cut-off")),
            (_, None) => None,
            (_, Some(k)) => match k.parse::<usize>() {
                Ok(k) if k > 0 => Some(k),
                _ => return Err(bad(text, "a cut-off of 1 or more")),
            },
        };
        let mut conventions = spec.defaults;
        for option in options.split(',').map(str::trim).filter(|option| !option.is_empty()) {
            set_option(&mut conventions, option, spec.options)
                .map_err(|expected| bad(text, &expected))?;
        }
        Ok(Measure { spec, cutoff, conventions })
    }
}

fn bad(text: &str, expected: &str) -> Error {
    Error::invalid("measure", text, expected)
}

fn set_option(conventions: &mut Conventions, option: &str, keys: &[Key]) -> Result<(), String> {
    if option == "letor" {
        conventions.apply(ConventionPreset::Letor4, keys);
        return Ok(());
    }
    if let Ok(preset) = option.parse::<ConventionPreset>() {
        conventions.apply(preset, keys);
        return Ok(());
    }
    let known = || {
        let words = WORDS.iter().filter(|w| keys.contains(&w.key)).map(|w| {
            format!(
                "{}={}",
                w.word,
                w.values.iter().map(|(value, _)| *value).collect::<Vec<_>>().join("|")
            )
        });
        let numbers = NUMBERS
            .iter()
            .filter(|(key, ..)| keys.contains(key))
            .map(|(_, word, _)| format!("{word}=NUMBER"));
        let all: Vec<String> =
            ["letor3|letor4|standard".to_owned()].into_iter().chain(words).chain(numbers).collect();
        format!("one of the options {} instead of `{option}`", all.join(", "))
    };
    let (word, value) = option.split_once('=').ok_or_else(known)?;
    if let Some(words) = WORDS.iter().find(|w| w.word == word && keys.contains(&w.key)) {
        let (_, set) = words.values.iter().find(|(known, _)| *known == value).ok_or_else(known)?;
        set(conventions);
        return Ok(());
    }
    let (.., field) = NUMBERS
        .iter()
        .find(|(key, known, _)| *known == word && keys.contains(key))
        .ok_or_else(known)?;
    let number: f32 =
        value.parse().ok().filter(|n: &f32| n.is_finite() && *n > 0.0).ok_or_else(known)?;
    *field(conventions) = number;
    Ok(())
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.spec.options;
        let (mut now, mut printed) = (self.conventions, Vec::new());
        let mut base = self.spec.defaults;
        let mut letor = base;
        letor.apply(ConventionPreset::Letor4, keys);
        // The preset's name replaces its options if all of them are set.
        if letor != base && (now.discount, now.short_lists) == (letor.discount, letor.short_lists) {
            printed.push("letor".to_owned());
            base = letor;
        }
        for words in WORDS.iter().filter(|w| keys.contains(&w.key)) {
            if let Some((value, set)) = words.current(&now) {
                let mut default = base;
                set(&mut default);
                if default != base {
                    printed.push(format!("{}={value}", words.word));
                }
            }
        }
        for (key, word, field) in NUMBERS {
            let number = *field(&mut now);
            if keys.contains(&key) && number != *field(&mut base) {
                printed.push(format!("{word}={number}"));
            }
        }
        f.write_str(self.spec.name)?;
        if !printed.is_empty() {
            write!(f, "[{}]", printed.join(","))?;
        }
        self.cutoff.map_or(Ok(()), |k| write!(f, "@{k}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_to_themselves() {
        for name in [
            "ndcg@10",
            "ndcg",
            "ndcg[letor]@10",
            "ndcg[discount=letor]@3",
            "ndcg[letor,ties=expected]@1",
            "ndcg[gain=linear,empty=skip,ties=worst]@5",
            "dcg@10",
            "mean-ndcg[letor]",
            "map",
            "map[ties=expected,rel=2]",
            "gmap",
            "p@10",
            "p[short=truncate]@3",
            "recall@10",
            "recall[ties=expected,rel=2]@3",
            "wta",
            "mrr",
            "mrr@10",
            "err@20",
            "err[max=2]",
        ] {
            let measure: Measure = name.parse().unwrap();
            assert_eq!(measure.to_string(), name);
            assert_eq!(
                measure.to_string().parse::<Measure>().unwrap().conventions(),
                measure.conventions()
            );
        }
    }

    #[test]
    fn other_spellings_print_canonically() {
        for (written, printed) in [
            ("NDCG@10", "ndcg@10"),
            ("ndcg[standard]@10", "ndcg@10"),
            ("ndcg[letor3]@10", "ndcg[letor]@10"),
            ("ndcg[letor4]@10", "ndcg[letor]@10"),
            ("ndcg[short=zero,discount=letor]@10", "ndcg[letor]@10"),
            ("map[letor4]", "map"),
            ("p[letor4]@5", "p@5"),
            (" map ", "map"),
            ("Precision@5", "p@5"),
            ("precision[rel=2]@5", "p[rel=2]@5"),
            ("r@20", "recall@20"),
            ("average-precision", "map"),
            ("recip_rank@10", "mrr@10"),
        ] {
            assert_eq!(written.parse::<Measure>().unwrap().to_string(), printed, "{written}");
        }
    }

    #[test]
    fn errors_name_the_valid_alternatives() {
        for (name, says) in [
            ("ncdg@10", "did you mean `ndcg` or `dcg`?"),
            ("ncdg@10", "there are: ndcg, dcg, "),
            ("recall", "expected a cut-off, as in recall@10"),
            ("p", "expected a cut-off, as in p@10"),
            ("wta@3", "expected no cut-off"),
            ("ndcg@0", "of 1 or more"),
            ("ndcg@ten", "of 1 or more"),
            ("ndcg[letor@10", "closing bracket"),
            ("map[gain=linear]", "instead of `gain=linear`"),
            ("ndcg[ties=best]@3", "ties=input|worst|expected"),
            ("p[rel=0]@3", "rel=NUMBER"),
        ] {
            let error = name.parse::<Measure>().unwrap_err().to_string();
            assert!(error.contains(says), "{name}: {error}");
        }
    }
}
