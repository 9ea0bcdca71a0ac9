//! Evolutionary search over subsets: genomes, operators, dominance, SPEA2 and NSGA-II.
//!
//! A [`SearchProblem`] evaluates and varies genomes. An [`Algorithm`], [`Spea2Survival`] or
//! [`Nsga2Survival`], decides which survive. [`run`] combines the two, one generation at a time.
//! Fitness is minimised, and below 1 if and only if no other individual dominates.
//!
//! Dominance may be any relation, even a cyclic one: significance tests are not transitive.
//!
//! ```
//! use featherank::internals::evolve::{
//!     Bits, Nsga2Survival, Pareto, SearchProblem, SearchSettings, bernoulli, front,
//!     mutate_gene_wise, run, two_point,
//! };
//! use featherank::internals::random::Stream;
//! use std::ops::ControlFlow;
//!
//! /// Few genes, but as many of the first four as possible.
//! struct FirstFour;
//! impl SearchProblem for FirstFour {
//!     type Genome = Bits;
//!     type Evaluation = [f64; 2];
//!     type Error = std::convert::Infallible;
//!     fn initial(&self, _: usize, rng: &mut Stream) -> Bits {
//!         bernoulli(20, 0.5, rng)
//!     }
//!     fn cross(&self, a: &Bits, b: &Bits, rng: &mut Stream) -> (Bits, Bits) {
//!         two_point(a, b, rng)
//!     }
//!     fn mutate(&self, mut genome: Bits, _: u64, rng: &mut Stream) -> Bits {
//!         mutate_gene_wise(&mut genome, 1.0, 0.05, rng);
//!         genome
//!     }
//!     fn evaluate(&mut self, genomes: &[Bits]) -> Result<Vec<[f64; 2]>, Self::Error> {
//!         let useful = |genome: &Bits| genome.ones().filter(|&gene| gene < 4).count();
//!         let values = |genome: &Bits| [genome.count() as f64, -(useful(genome) as f64)];
//!         Ok(genomes.iter().map(values).collect())
//!     }
//! }
//!
//! let settings =
//!     SearchSettings { population: 30, generations: 60, crossover: 0.9, tournament: 2 };
//! let nsga2 = Nsga2Survival { settings, dominance: Pareto };
//! let state = run(&mut FirstFour, &nsga2, 1, None, |_| Ok(ControlFlow::Continue(())))?;
//! assert!(front(&state.population).any(|best| best.evaluation == [4.0, -4.0]));
//! # Ok::<(), std::convert::Infallible>(())
//! ```

mod dominance;
mod genome;
pub mod hypervolume;
mod memo;
pub mod nsga2;
mod operators;
mod problem;
mod search;
pub mod spea2;
mod state;
#[cfg(test)]
mod tests;
mod tournament;
mod truncation;

pub use dominance::{Dominance, Pareto, pareto_dominates};
pub use genome::{Bits, GeneBounds, Mixed};
pub(crate) use memo::Memo;
pub use nsga2::Nsga2Survival;
pub(crate) use operators::flip_each;
pub use operators::{bernoulli, mutate_gene_wise, polynomial, sbx, two_point};
pub use problem::SearchProblem;
pub use search::{Algorithm, SearchSettings, run};
pub use spea2::Spea2Survival;
pub use state::{Individual, SearchState, front};
