//! The choices behind a measure that people fight about, each a named option.

use std::sync::LazyLock;

/// How much a label is worth.
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
            // Labels are whole nearly always, and powers of two need no function then.
            Gain::Exponential if label > 0.0 && label < 32.0 && label as u32 as f32 == label => {
                f64::from((1u32 << label as u32) - 1)
            }
            Gain::Exponential => f64::from(label).exp2() - 1.0,
        }
    }
}

/// 1 / log2(1 + position) of the first positions, which are asked for most.
static TOP: LazyLock<[f64; 64]> =
    LazyLock::new(|| std::array::from_fn(|index| 1.0 / (index as f64 + 2.0).log2()));

/// How much a position is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discount {
    /// 1 / log2(1 + position).
    Log2,
    /// The LETOR scripts': positions 1 and 2 count in full, then 1 / log2(position).
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

/// What a list shorter than the cut-off gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortLists {
    /// The list counts as far as it goes.
    Truncate,
    /// The list is filled up with documents that are not relevant.
    Pad,
    /// Nothing: the rule of the LETOR scripts for NDCG.
    Zero,
}

/// What a query without a relevant document gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRelevant {
    /// 0, and it counts.
    Zero,
    /// 1, and it counts.
    One,
    /// It does not count.
    Skip,
}

/// In which order documents of equal score stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// As in the input.
    Input,
    /// The worst first.
    Worst,
    /// In every order: the expected value over all of them.
    Expected,
}

/// Everything a measure can be told besides its cut-off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conventions {
    /// Gain of a label.
    pub gain: Gain,
    /// Weight of a position.
    pub discount: Discount,
    /// Lists shorter than the cut-off.
    pub short_lists: ShortLists,
    /// Queries without relevant documents.
    pub no_relevant: NoRelevant,
    /// The smallest label that counts as relevant, where a measure knows only relevant or not.
    pub relevant_from: f32,
    /// Documents of equal score.
    pub ties: Ties,
    /// The largest grade: in ERR a document satisfies with probability (2^y − 1) / 2^max.
    pub max_grade: f32,
}

impl Conventions {
    /// What today's papers and tools mostly mean.
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
pub enum Preset {
    /// The measure's own defaults.
    Standard,
    /// The evaluation script of LETOR 3.0.
    Letor3,
    /// The evaluation script of LETOR 4.0. It follows the same rules as 3.0's and prints four
    /// decimals.
    Letor4,
}

impl Preset {
    /// All presets with their names.
    pub const NAMES: [(&'static str, Preset); 3] =
        [("standard", Preset::Standard), ("letor3", Preset::Letor3), ("letor4", Preset::Letor4)];
}

impl std::str::FromStr for Preset {
    type Err = crate::Error;
    fn from_str(name: &str) -> crate::Result<Self> {
        let found = Preset::NAMES.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, preset)| *preset)
            .ok_or_else(|| crate::Error::invalid("preset", name, "one of standard, letor3, letor4"))
    }
}

/// Which convention an option of a measure's name sets.
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
    /// Sets what the preset fixes among `keys`.
    pub(crate) fn apply(&mut self, preset: Preset, keys: &[Key]) {
        let letor = matches!(preset, Preset::Letor3 | Preset::Letor4);
        if letor && keys.contains(&Key::Discount) {
            self.discount = Discount::Letor;
        }
        // Precision pads in the same scripts that give NDCG of a short list nothing.
        if letor && keys.contains(&Key::ShortLists) && keys.contains(&Key::Gain) {
            self.short_lists = ShortLists::Zero;
        }
    }
}
