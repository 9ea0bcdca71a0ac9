//! Seeded randomness that keeps its meaning: one seed a run, split by purpose and index, never by
//! thread.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The generator behind everything random here: ChaCha with 8 rounds, whose output is fixed by its
/// specification.
pub type Stream = ChaCha8Rng;

/// What randomness is used for. Each purpose has its own family of streams, so that adding a draw
/// to one method never changes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Purpose {
    /// Assigning queries to folds.
    Folds = 1,
    /// Resampling queries.
    Bootstrap = 2,
    /// What a synthetic data set's features are like.
    SynthFeatures = 3,
    /// The rows of a synthetic query.
    SynthQuery = 4,
    /// Shuffles that tests and conformance checks make.
    Test = 5,
    /// Which documents each tree of a forest sees.
    Forest = 6,
    /// Which features each tree or split sees.
    TreeFeatures = 7,
    /// Shuffles of a feature within queries.
    Permutation = 8,
    /// The order in which a ranker visits queries, and where it starts.
    Descent = 9,
    /// Where clusters of features start.
    Clusters = 10,
    /// Which queries a method looks at when it is told to look at some.
    QuerySample = 11,
    /// One generation of an evolutionary search.
    Evolution = 12,
    /// Copies of features that are shuffled so that they tell nothing, and the forests that are
    /// grown on them.
    Shadows = 20,
    /// The seeds of the parts of a method that has several.
    Phases = 15,
}

/// The number after this one in SplitMix64: every bit of it depends on every bit of this one.
pub(crate) fn splitmix(state: u64) -> u64 {
    let mut x = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The generator for one purpose and index under a seed. Equal arguments give equal numbers, on any
/// machine and thread.
///
/// ```
/// use featherank::random::{Purpose, stream};
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
