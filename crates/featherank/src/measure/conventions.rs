//! The conventions in which definitions of a measure differ, each a named option.

use std::sync::LazyLock;

/// The gain of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gain {
    /// 2^y − 1.
    Exponential,
    /// y.
    Linear,
}

impl Gain {
    /// The gain of a label.
    #[inline]
    pub fn of(self, label: f32) -> f64 {
        match self {
            Gain::Linear => f64::from(label),
            Gain::Exponential if label == 0.0 => 0.0,
            // Labels are nearly always integers, for which a shift is enough.
            Gain::Exponential if label > 0.0 && label < 32.0 && label as u32 as f32 == label => {
                f64::from((1u32 << label as u32) - 1)
            }
            Gain::Exponential => f64::from(label).exp2() - 1.0,
        }
    }
}

/// 1 / log2(1 + position) of the first positions, the most frequent ones.
static TOP: LazyLock<[f64; 64]> =
    LazyLock::new(|| std::array::from_fn(|index| 1.0 / (index as f64 + 2.0).log2()));

/// The weight of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discount {
    /// 1 / log2(1 + position).
    Log2,
    /// As in the LETOR scripts: positions 1 and 2 have weight 1, then 1 / log2(position).
    Letor,
}

impl Discount {
    /// The weight of a position, counted from 0.
    #[inline]
    pub fn at(self, index: usize) -> f64 {
        match self {
            Discount::Letor if index < 2 => 1.0,
            Discount::Letor => Discount::Log2.at(index - 1),
            Discount::Log2 => {
                TOP.get(index).copied().unwrap_or_else(|| 1.0 / (index as f64 + 2.0).log2())
            }
        }
    }
}

/// The value of a list shorter than the cut-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortLists {
    /// Computed from the documents in the list.
    Truncate,
    /// Computed as if the list were filled up with irrelevant documents.
    Pad,
    /// 0: the rule of the LETOR scripts for NDCG.
    Zero,
}

/// The value of a query without relevant documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRelevant {
    /// 0, and it counts.
    Zero,
    /// 1, and it counts.
    One,
    /// It does not count.
    Skip,
}

/// The order of documents with equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// Input order.
    Input,
    /// The least relevant first.
    Worst,
    /// All orders: the expected value over them.
    Expected,
}

/// The conventions of a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conventions {
    /// Gain of a label.
    pub gain: Gain,
    /// Weight of a position.
    pub discount: Discount,
    /// Treatment of lists shorter than the cut-off.
    pub short_lists: ShortLists,
    /// Treatment of queries without relevant documents.
    pub no_relevant: NoRelevant,
    /// The smallest label that counts as relevant, for measures of binary relevance.
    pub relevant_from: f32,
    /// Treatment of documents with equal scores.
    pub ties: Ties,
    /// The largest label: in ERR a document satisfies with probability (2^y − 1) / 2^max.
    pub max_grade: f32,
}

impl Conventions {
    /// The conventions of most current papers and tools.
    pub const STANDARD: Conventions = Conventions {
        gain: Gain::Exponential,
        discount: Discount::Log2,
        short_lists: ShortLists::Truncate,
        no_relevant: NoRelevant::Zero,
        relevant_from: 1.0,
        ties: Ties::Input,
        max_grade: 4.0,
    };
}

/// Named sets of conventions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConventionPreset {
    /// The measure's own defaults.
    Standard,
    /// The evaluation script of LETOR 3.0.
    Letor3,
    /// The evaluation script of LETOR 4.0. It follows the rules of 3.0 and prints four decimals.
    Letor4,
}

impl ConventionPreset {
    /// All presets with their names.
    pub const NAMES: [(&'static str, ConventionPreset); 3] = [
        ("standard", ConventionPreset::Standard),
        ("letor3", ConventionPreset::Letor3),
        ("letor4", ConventionPreset::Letor4),
    ];
}

impl std::str::FromStr for ConventionPreset {
    type Err = crate::Error;
    fn from_str(name: &str) -> crate::Result<Self> {
        let found = ConventionPreset::NAMES.iter().find(|(known, _)| *known == name);
        let known = ConventionPreset::NAMES.iter().map(|(known, _)| *known);
        found.map(|(_, preset)| *preset).ok_or_else(|| crate::names::unknown("preset", name, known))
    }
}

/// The convention that an option of a measure's name sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// `gain=`
    Gain,
    /// `discount=`
    Discount,
    /// `short=`
    ShortLists,
    /// `empty=`
    NoRelevant,
    /// `rel=`
    Relevant,
    /// `ties=`
    Ties,
    /// `max=`
    MaxGrade,
}

impl Conventions {
    /// Sets the conventions that the preset fixes among `keys`.
    pub(crate) fn apply(&mut self, preset: ConventionPreset, keys: &[Key]) {
        let letor = matches!(preset, ConventionPreset::Letor3 | ConventionPreset::Letor4);
        if letor && keys.contains(&Key::Discount) {
            self.discount = Discount::Letor;
        }
        // The same scripts pad for precision, but give NDCG of a short list 0.
        if letor && keys.contains(&Key::ShortLists) && keys.contains(&Key::Gain) {
            self.short_lists = ShortLists::Zero;
        }
    }
}
