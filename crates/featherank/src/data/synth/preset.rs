//! Presets: synthetic data with the shapes of well-known data sets.

use std::fmt;
use std::str::FromStr;

use super::config::SynthConfig;
use crate::error::{Error, Result};
use crate::names::unknown;

/// A predefined set of settings.
///
/// ```
/// use featherank::data::synth::Preset;
/// let preset: Preset = "web10k".parse()?;
/// assert_eq!(preset.config().documents, 1_200_000);
/// # Ok::<(), featherank::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// 60 queries, 1,500 documents, 20 features, grades 0–2: for tests and first steps.
    Tiny,
    /// 50 queries, 50,000 documents, 64 features, one document in a hundred relevant: LETOR's topic
    /// distillation.
    Letor,
    /// 10,000 queries, 1.2 million documents, 136 features, grades 0–4: MSLR-WEB10K.
    Web10k,
}

impl Preset {
    /// All presets, smallest first.
    pub const ALL: [Preset; 3] = [Preset::Tiny, Preset::Letor, Preset::Web10k];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Tiny => "tiny",
            Preset::Letor => "letor",
            Preset::Web10k => "web10k",
        }
    }

    /// The settings of the preset.
    pub fn config(self) -> SynthConfig {
        let tiny = SynthConfig {
            queries: 60,
            documents: 1_500,
            min_documents: 5,
            max_documents: 80,
            size_spread: 0.5,
            useful: 5,
            redundant: 5,
            noisy: 4,
            query_dependent: 2,
            risky: 2,
            constant: 2,
            switches: 0,
            correlation: 0.9,
            labels: vec![0.70, 0.20, 0.10],
            no_relevant: 0.05,
            signal: 0.7,
            difficulty: 0.5,
            active_share: 0.4,
            risky_share: 0.15,
            heavy_tails: true,
            names: false,
            seed: 1,
        };
        match self {
            Preset::Tiny => tiny,
            Preset::Letor => SynthConfig {
                queries: 50,
                documents: 50_000,
                min_documents: 400,
                max_documents: 2_000,
                size_spread: 0.2,
                useful: 12,
                redundant: 20,
                noisy: 18,
                query_dependent: 6,
                risky: 5,
                constant: 3,
                labels: vec![0.99, 0.01],
                no_relevant: 0.0,
                ..tiny
            },
            Preset::Web10k => SynthConfig {
                queries: 10_000,
                documents: 1_200_000,
                min_documents: 1,
                max_documents: 900,
                size_spread: 0.6,
                useful: 24,
                redundant: 40,
                noisy: 40,
                query_dependent: 14,
                risky: 10,
                constant: 8,
                labels: vec![0.52, 0.32, 0.13, 0.02, 0.01],
                no_relevant: 0.03,
                ..tiny
            },
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Preset::ALL.into_iter().find(|preset| preset.name() == text);
        found.ok_or_else(|| unknown("preset", text, Preset::ALL.into_iter().map(Preset::name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_have_the_expected_shapes() {
        let shapes = Preset::ALL.map(|preset| {
            let config = preset.config();
            config.check().unwrap();
            (config.queries, config.documents, config.features())
        });
        assert_eq!(shapes, [(60, 1_500, 20), (50, 50_000, 64), (10_000, 1_200_000, 136)]);
    }

    #[test]
    fn names_parse_back_and_typos_get_a_hint() {
        for preset in Preset::ALL {
            assert_eq!(preset.to_string().parse::<Preset>().unwrap(), preset);
        }
        assert!("web10".parse::<Preset>().unwrap_err().to_string().contains("`web10k`"));
    }
}
