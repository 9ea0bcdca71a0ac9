//! The populations of queries that calibration samples from: synthetic data with a known ground
//! truth, and real data sets, of which some queries are given to `auto` and the rest are the truth.

use std::path::PathBuf;

use featherank::data::synth::{Preset, Role, SynthConfig, generate};
use featherank::data::{Dataset, ReadOptions, read};
use featherank_lab::AnyError;
use rand::SeedableRng;
use rand::seq::SliceRandom;

/// Number of test queries of synthetic populations.
const TEST: usize = 3000;

/// A population of queries.
pub struct Population {
    pub name: &'static str,
    source: QuerySource,
}

enum QuerySource {
    /// The settings, and the mean number of documents per query.
    Synthetic(fn() -> SynthConfig, usize),
    /// A folder with the parts S1.txt … S5.txt of a LETOR data set, below the folder of real data.
    Real(&'static str),
}

/// Queries for `auto`, queries that it does not see, and the features known to be noise.
pub struct Sampled {
    pub known: Dataset,
    pub test: Dataset,
    pub noise: Vec<u32>,
}

fn few_useful() -> SynthConfig {
    SynthConfig { noisy: 10, ..Preset::Tiny.config() }
}

/// All populations.
pub const ALL: &[Population] = &[
    Population { name: "few-useful", source: QuerySource::Synthetic(few_useful, 25) },
    Population {
        name: "most-useful",
        source: QuerySource::Synthetic(
            || SynthConfig {
                useful: 14,
                redundant: 2,
                noisy: 2,
                query_dependent: 1,
                risky: 1,
                constant: 0,
                ..Preset::Tiny.config()
            },
            25,
        ),
    },
    Population {
        name: "correlated",
        source: QuerySource::Synthetic(
            || SynthConfig { redundant: 15, correlation: 0.97, ..Preset::Tiny.config() },
            25,
        ),
    },
    Population {
        name: "short-lists",
        source: QuerySource::Synthetic(|| SynthConfig { max_documents: 20, ..few_useful() }, 8),
    },
    Population {
        name: "long-lists",
        source: QuerySource::Synthetic(|| SynthConfig { max_documents: 300, ..few_useful() }, 80),
    },
    Population {
        name: "near-normal",
        source: QuerySource::Synthetic(|| SynthConfig { heavy_tails: false, ..few_useful() }, 25),
    },
    Population { name: "ohsumed", source: QuerySource::Real("OHSUMED/QueryLevelNorm") },
    Population { name: "mq2008", source: QuerySource::Real("MQ2008") },
];

impl Population {
    /// The population with this name.
    pub fn named(name: &str) -> Result<&'static Population, AnyError> {
        let found = ALL.iter().find(|one| one.name == name);
        found.ok_or_else(|| format!("no population `{name}`").into())
    }

    /// A sample of queries; none if the data is not here, or if less than half of it would be left
    /// for the truth.
    pub fn sample(&self, queries: usize, seed: u64) -> Result<Option<Sampled>, AnyError> {
        match &self.source {
            QuerySource::Synthetic(config, list) => {
                let all = queries + TEST;
                let sizes = SynthConfig { seed, queries: all, documents: all * list, ..config() };
                let (data, truth) = generate(&sizes)?;
                let noise = truth.with_role(Role::Noisy).map(|feature| feature.id).collect();
                let places: Vec<usize> = (0..all).collect();
                Ok(Some(Sampled::of(&data, &places, queries, noise)))
            }
            QuerySource::Real(folder) => {
                let folder = data_folder().join(folder);
                let parts: Vec<PathBuf> =
                    (1..=5).map(|part| folder.join(format!("S{part}.txt"))).collect();
                if !parts[0].exists() {
                    return Ok(None);
                }
                let data = read(&parts, &ReadOptions::default())?;
                if 2 * queries > data.queries().len() {
                    return Ok(None);
                }
                let mut places: Vec<usize> = (0..data.queries().len()).collect();
                places.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
                Ok(Some(Sampled::of(&data, &places, queries, Vec::new())))
            }
        }
    }
}

impl Sampled {
    fn of(data: &Dataset, places: &[usize], queries: usize, noise: Vec<u32>) -> Self {
        let (known, test) = places.split_at(queries);
        let part = |places: &[usize]| {
            let mut places = places.to_vec();
            places.sort_unstable();
            data.subset(&places)
        };
        Sampled { known: part(known), test: part(test), noise }
    }
}

/// The folder of real data: `$FEATHERANK_DATA`, or the one beside the project.
fn data_folder() -> PathBuf {
    std::env::var_os("FEATHERANK_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from)
}
