//! Operators: how new genomes come from old ones, and the first from nothing. All draw from the
//! generator they are given and from nothing else.

mod crossover;
mod mutation;

pub use crossover::{sbx, two_point, uniform};
pub use mutation::{bernoulli, flip_each, mutate_gene_wise, polynomial};
