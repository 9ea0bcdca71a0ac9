//! Reproducible random numbers: one seed for each run, split by purpose and index, never by thread.

use std::ops::Range;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The generator of all random numbers: ChaCha with 8 rounds, whose output is fixed by its
/// specification.
pub type Stream = ChaCha8Rng;

/// What random numbers are used for. Each purpose has streams of its own, so that adding a draw to
/// one method never changes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Purpose {
    /// Assigning queries to folds.
    Folds = 1,
    /// Resampling queries.
    Bootstrap = 2,
    /// The properties of a synthetic data set's features.
    SynthFeatures = 3,
    /// The rows of a synthetic query.
    SynthQuery = 4,
    /// Shuffles in tests and conformance checks.
    Test = 5,
    /// The documents on which each tree of a forest is grown.
    Forest = 6,
    /// The features available to each tree or split.
    TreeFeatures = 7,
    /// Shuffles of a feature within queries.
    Permutation = 8,
    /// The order in which a ranker visits queries, and its initial weights.
    Descent = 9,
    /// Initial clusters of features.
    Clusters = 10,
    /// One generation of an evolutionary search.
    Evolution = 12,
    /// Shadow features: shuffled copies of features, and the forests grown on them.
    Shadows = 20,
    /// The seeds of the phases of a method.
    Phases = 15,
}

/// The next number of SplitMix64; every bit of it depends on every bit of `state`.
pub(crate) fn splitmix(state: u64) -> u64 {
    let mut x = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The generator for a purpose and index under a seed. Equal arguments give equal numbers on every
/// machine and thread.
///
/// ```
/// use featherank::internals::random::{Purpose, stream};
/// use rand::Rng;
/// assert_eq!(stream(7, Purpose::Folds, 0).next_u64(), stream(7, Purpose::Folds, 0).next_u64());
/// assert_ne!(stream(7, Purpose::Folds, 0).next_u64(), stream(7, Purpose::Folds, 1).next_u64());
/// ```
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Stream {
    debug_assert!(index < 1 << 48, "the stream number holds 48 bits of index");
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream((purpose as u64) << 48 | index);
    generator
}
/// Shuffles a column within queries, given by their rows; among queries, if the column is constant
/// within each of them.
pub(crate) fn shuffle_column(column: &mut [f32], queries: &[Range<usize>], random: &mut Stream) {
    let is_query_level =
        queries.iter().all(|rows| column[rows.clone()].iter().all(|x| *x == column[rows.start]));
    if !is_query_level {
        queries.iter().for_each(|rows| column[rows.clone()].shuffle(random));
        return;
    }
    let filled: Vec<&Range<usize>> = queries.iter().filter(|rows| !rows.is_empty()).collect();
    let mut levels: Vec<f32> = filled.iter().map(|rows| column[rows.start]).collect();
    levels.shuffle(random);
    filled.into_iter().zip(levels).for_each(|(rows, level)| column[rows.clone()].fill(level));
}
