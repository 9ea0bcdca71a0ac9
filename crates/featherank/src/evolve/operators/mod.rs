//! Variation operators and random genomes. All randomness comes from the generator passed in.

mod crossover;
mod mutation;

pub use crossover::{sbx, two_point};
pub use mutation::{bernoulli, flip_each, mutate_gene_wise, polynomial};
