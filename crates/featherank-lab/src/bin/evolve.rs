//! Evolutionary searches on problems with known fronts: the hypervolume they reach and the time
//! they take, as JSON.
//!
//! `evolve PROBLEM ALGORITHM POPULATION GENERATIONS SEED`: the problem is `zdt1` (30 numbers,
//! hypervolume to (1.1, 1.1)) or `lotz` (leading ones and trailing zeros of 40 bits, hypervolume to
//! (41, 41)), the algorithm `nsga2` or `spea2`.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::Instant;

use featherank::internals::evolve::spea2::{genotype_distance, objective_distance};
use featherank::internals::evolve::{
    Bits, GeneBounds, Individual, Mixed, Nsga2Survival, Pareto, SearchProblem, SearchSettings,
    SearchState, Spea2Survival, bernoulli, front, hypervolume, mutate_gene_wise, polynomial, run,
    sbx, two_point,
};
use featherank::internals::random::Stream;
use rand::RngExt;

const NUMBERS: usize = 30;
const BITS: usize = 40;
const UNIT: GeneBounds = GeneBounds { low: 0.0, high: 1.0 };

/// Zitzler, Deb & Thiele 2000; the front is f2 = 1 − √f1.
struct Zdt1;

impl SearchProblem for Zdt1 {
    type Genome = Mixed;
    type Evaluation = [f64; 2];
    type Error = Infallible;

    fn initial(&self, _: usize, rng: &mut Stream) -> Mixed {
        Mixed { bits: Bits::new(0), reals: (0..NUMBERS).map(|_| rng.random()).collect() }
    }

    fn cross(&self, a: &Mixed, b: &Mixed, rng: &mut Stream) -> (Mixed, Mixed) {
        let (first, second) = sbx(&a.reals, &b.reals, 15.0, UNIT, rng);
        (Mixed { reals: first, ..a.clone() }, Mixed { reals: second, ..b.clone() })
    }

    fn mutate(&self, mut genome: Mixed, _: u64, rng: &mut Stream) -> Mixed {
        polynomial(&mut genome.reals, 20.0, UNIT, 1.0 / NUMBERS as f64, rng);
        genome
    }

    fn evaluate(&mut self, genomes: &[Mixed]) -> Result<Vec<[f64; 2]>, Infallible> {
        let objectives = |genome: &Mixed| {
            let first = genome.reals[0];
            let scale = 1.0 + 9.0 * genome.reals[1..].iter().sum::<f64>() / (NUMBERS - 1) as f64;
            [first, scale * (1.0 - (first / scale).sqrt())]
        };
        Ok(genomes.iter().map(objectives).collect())
    }
}

/// Number of ones missing at the start and of zeros missing at the end.
struct Lotz;

impl SearchProblem for Lotz {
    type Genome = Bits;
    type Evaluation = [f64; 2];
    type Error = Infallible;

    fn initial(&self, _: usize, rng: &mut Stream) -> Bits {
        bernoulli(BITS, 0.5, rng)
    }

    fn cross(&self, a: &Bits, b: &Bits, rng: &mut Stream) -> (Bits, Bits) {
        two_point(a, b, rng)
    }

    fn mutate(&self, mut genome: Bits, _: u64, rng: &mut Stream) -> Bits {
        mutate_gene_wise(&mut genome, 1.0, 1.0 / BITS as f64, rng);
        genome
    }

    fn evaluate(&mut self, genomes: &[Bits]) -> Result<Vec<[f64; 2]>, Infallible> {
        let missing = |genome: &Bits| {
            let ones = (0..BITS).take_while(|&gene| genome.get(gene)).count();
            let zeros = (0..BITS).rev().take_while(|&gene| !genome.get(gene)).count();
            [(BITS - ones) as f64, (BITS - zeros) as f64]
        };
        Ok(genomes.iter().map(missing).collect())
    }
}

fn area<G>(survivors: &[Individual<G, [f64; 2]>], reference: f64) -> f64 {
    let points: Vec<[f64; 2]> = front(survivors).map(|one| one.evaluation).collect();
    hypervolume::area(&points, [reference; 2])
}

fn never<G, E>(_: &SearchState<G, E>) -> Result<ControlFlow<()>, Infallible> {
    Ok(ControlFlow::Continue(()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [problem, algorithm, population, generations, seed] = &args[..] else {
        return Err("usage: evolve PROBLEM ALGORITHM POPULATION GENERATIONS SEED".into());
    };
    let (population, generations, seed) =
        (population.parse()?, generations.parse()?, seed.parse()?);
    let settings = SearchSettings { population, generations, crossover: 0.9, tournament: 2 };
    let nsga2 = Nsga2Survival { settings, dominance: Pareto };
    let start = Instant::now();
    let reached = match (&problem[..], &algorithm[..]) {
        ("zdt1", "nsga2") => area(&run(&mut Zdt1, &nsga2, seed, None, never)?.population, 1.1),
        ("lotz", "nsga2") => {
            area(&run(&mut Lotz, &nsga2, seed, None, never)?.population, 1.0 + BITS as f64)
        }
        ("zdt1", "spea2") => {
            let distance = objective_distance;
            let spea2 =
                Spea2Survival { settings, archive: population, dominance: Pareto, distance };
            area(&run(&mut Zdt1, &spea2, seed, None, never)?.archive, 1.1)
        }
        ("lotz", "spea2") => {
            let distance = genotype_distance;
            let spea2 =
                Spea2Survival { settings, archive: population, dominance: Pareto, distance };
            area(&run(&mut Lotz, &spea2, seed, None, never)?.archive, 1.0 + BITS as f64)
        }
        _ => return Err("the problem is zdt1 or lotz, the algorithm nsga2 or spea2".into()),
    };
    println!("{{\"hypervolume\":{reached},\"seconds\":{}}}", start.elapsed().as_secs_f64());
    Ok(())
}
