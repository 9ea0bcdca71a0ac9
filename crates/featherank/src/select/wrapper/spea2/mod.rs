//! SPEA2 selection: subsets evolve towards effectiveness, low risk, few features or low cost, and
//! significance tests decide which is better.
//!
//! Sousa, Canuto, Rosa, Martins & Gonçalves, CIKM 2016. A chromosome has a bit for each feature. A
//! subset is scored by a ranker trained and evaluated on the training data with these features
//! alone: its effectiveness is the mean of the measure over queries, F_RISK its mean loss against a
//! baseline, T_RISK gains minus 1 + α times the losses in standard errors. The objectives are E,
//! E-F, E-R, T-F or T as published, or one to three of them, including GeoRisk and the cost of
//! features. A subset beats another in an objective if its value is better and a paired test over
//! queries is significant. The answer is the most effective subset of the last archive's front.
//!
//! The search itself is described in `evolve/spea2.rs`: it uses distances between genomes,
//! not objectives; copies are removed from population and archive before anything is counted.
//! Departures from the paper, and choices that it leaves open:
//!
//! * the tournament selects the lowest fitness, since fitness is minimised, and each generation
//!   creates exactly the wanted number of children;
//! * an empty subset gets a random feature; features that the ranker cannot use are excluded from
//!   the search: constant ones, and for linear rankers those that are constant within queries;
//! * the subset of all features is not in the initial population: with the full model as baseline
//!   it has no risk, and nothing would dominate it;
//! * tied documents contribute their expected value, because file order carries information in real
//!   data;
//! * tests distinguish values of a query that differ by 2⁻²⁶ or more; values above 16 must differ
//!   by more (`PerQuery`): this halves the memory.
//!
//! `folds` evaluates subsets on queries that the ranker was not trained on, which drops more
//! features at equal quality. With few queries almost no difference is significant, and the tests
//! give the search no direction: the result contains a note. Chosen features are ordered by the
//! number of members of the last archive that contain them. GeoRisk is computed over two systems,
//! the subset and the baseline; its tests compare gains and weighted losses, as those of T_RISK do.

mod baseline;
mod choice;
mod kept;
mod objectives;
mod problem;
mod tested;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use baseline::Baseline;
pub use choice::FrontChoice;
use kept::SavedSearch;
use objectives::{Objective, SubsetJudge, SubsetScores};
use problem::SubsetProblem;
pub use tested::SPEA2Test;
use tested::Test;

use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::evolve::spea2::genotype_distance;
use crate::evolve::{
    self, Bits, Individual, Memo, SearchSettings, SearchState, Spea2Survival, front,
};
use crate::rank::{RankerSpec, tune};
use crate::remedy;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::subsets::{HeldOut, SubsetEvaluator, SubsetRepair, on_threads_of};
use crate::select::{Findings, FrontSubset, Generation, Searched, Selector};

/// The number of informative queries below which tests have little power.
const FEW_QUERIES: u64 = 500;

/// The number of evaluated subsets in the cache.
const CACHE_CAPACITY: usize = 4096;

/// The memory for a pair of subsets, in bytes: its distance, and its place in the sorted lists of
/// the truncation, which have up to twice the capacity that they need.
const PAIR: u64 = 24;

method! {
    /// Multi-objective evolutionary search for effectiveness, low risk, few features or low cost.
    pub struct SPEA2: Selector as "spea2" in Wrapper,
        cites ["sousa2016", "zitzler2001"], AsPublished, Passes,
        with [resumes]
    {
        /// Objectives of the search.
        let objectives: Words(objectives::WORDS) = "e-r",
        /// Measure of effectiveness.
        measure: Measure = "ndcg[ties=expected]@10",
        /// Ranker to train on every subset.
        let ranker: Ranker = "linear-regression",
        /// Parameters of the ranker.
        let settings: Settings = "",
        /// Test that decides whether a subset is better; means: any difference.
        let test: Choice<SPEA2Test> = "wilcoxon",
        /// Significance level of the test.
        let level: Real(1e-9..=0.5) = "0.05",
        /// Baseline of the risk.
        let baseline: Words(baseline::WORDS) = "full",
        /// Risk aversion: additional weight of losses in trisk and georisk.
        alpha: Real(0.0..=1e6) = "5",
        /// Number of cross-validation folds over the queries; 0 evaluates on training data.
        let folds: Whole<usize>(0..=100) = "0",
        /// Which subset of the Pareto front is selected.
        choose: Choice<FrontChoice> = "effectiveness",
        /// Number of subsets in each generation.
        let population: Whole<usize>(2..=1_000_000) = "75",
        /// Maximum number of subsets in the archive.
        archive: Whole<usize>(1..=1_000_000) = "150",
        /// Number of generations after the random initial one.
        let generations: Whole(0..=1_000_000_000) = "30",
        /// Probability of crossover.
        let crossover: Real(0.0..=1.0) = "0.8",
        /// Probability that a child is mutated.
        mutation: Real(0.0..=1.0) = "0.2",
        /// Probability that each bit of a mutated child flips.
        gene: Real(0.0..=1.0) = "0.3",
        /// Tournament size.
        let tournament: Whole<usize>(1..=1000) = "2",
        derive folds: usize = more_than_one(folds)?;
        derive objectives: Vec<Objective> = Objective::parse(&objectives)?;
        derive ranker: &'static RankerSpec = ranker.0;
        derive settings: tune::Settings = settings.unwrap_or_default();
        derive test: Test = Test::new(test, level);
        derive baseline: Baseline = Baseline::parse(&baseline)?;
        derive evolution: SearchSettings =
            SearchSettings { population, generations, crossover, tournament };
    }
}

/// Rejects one fold, which would leave no queries for training.
fn more_than_one(folds: usize) -> Result<usize> {
    match folds {
        1 => Err(Error::invalid("folds", folds, "0, or 2 to 100")),
        _ => Ok(folds),
    }
}

impl Selector for SPEA2 {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        on_threads_of(engine, || self.search_front(run, engine))
    }
}

impl SPEA2 {
    /// Rejects a population and an archive whose pairwise distances do not fit. A genome counts
    /// once, and the archive holds only what was born before.
    fn check_memory(&self, free: usize, limit: u64) -> Result<()> {
        let SearchSettings { population, generations, .. } = self.evolution;
        let born = (population as u64).saturating_mul(generations);
        let distinct =
            u32::try_from(free).ok().and_then(|free| 1u64.checked_shl(free)).unwrap_or(u64::MAX);
        let subsets = (population as u64 + born.min(self.archive as u64)).min(distinct);
        let need = subsets.saturating_mul(subsets).saturating_mul(PAIR);
        if need <= limit {
            return Ok(());
        }
        let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
        Err(Error::unsupported(
            format!(
                "population {population} and archive {}: spea2 compares all pairs of {subsets} \
                 subsets, which takes {:.1} GiB of memory; at most {} subsets fit into {:.1} GiB",
                self.archive,
                gib(need),
                (limit / PAIR).isqrt(),
                gib(limit)
            ),
            remedy!["lower population or archive, or raise ", MaxMemory],
        ))
    }

    fn search_front(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let candidates = Candidates::for_ranker(run, engine, self.ranker)?;
        self.check_memory(candidates.free.len(), engine.memory_limit())?;
        let mut all = [&candidates.keep[..], &candidates.free].concat();
        all.sort_unstable();
        let SPEA2 { measure, ranker: spec, folds, .. } = self;
        let ranker = spec.with(&self.settings)?;
        let ranker = (*spec, ranker.as_ref());
        let evaluator = SubsetEvaluator::new("spea2", ranker, measure, run, engine)?;
        let queries = engine.schema().queries();
        if queries < *folds {
            let expected = format!("at most {queries}, the number of queries");
            return Err(Error::invalid("folds", folds, expected));
        }
        let held_out = match folds {
            0 => HeldOut::Nothing,
            _ => HeldOut::folds(run, engine.schema(), *folds),
        };
        let splits = evaluator.splits(&held_out, &all)?;
        let trainers = evaluator.trainers(&splits)?;
        let needs_baseline = |objective: &Objective| {
            matches!(objective, Objective::FRisk | Objective::TRisk | Objective::GeoRisk)
        };
        let full = || Ok(evaluator.per_query(&trainers, &[all.clone()])?.swap_remove(0));
        let baseline = match self.objectives.iter().any(needs_baseline) && !all.is_empty() {
            true => self.baseline.per_query(engine, measure, full)?,
            false => Vec::new(),
        };
        let least = usize::from(candidates.keep.is_empty());
        let problem = SubsetProblem {
            repair: SubsetRepair::new(&run.constraints, &candidates.free, least),
            free: candidates.free.clone(),
            keep: candidates.keep.clone(),
            constraints: &run.constraints,
            mutation: self.mutation,
            gene: self.gene,
            evaluator: &evaluator,
            trainers: &trainers,
            run,
            judge: SubsetJudge {
                objectives: self.objectives.clone(),
                measure: measure.clone(),
                baseline,
                alpha: self.alpha,
            },
        };
        if problem.free.is_empty() {
            return candidates.select(run, engine, &[], &[]);
        }
        let (state, problem, generations) = self.evolve(run, problem)?;
        let found = self.findings(run, engine, &candidates, &problem, &state, generations)?;
        Ok(Findings { notes: self.note(engine).into_iter().collect(), ..found })
    }

    fn evolve<'a>(
        &self,
        run: &Run,
        subsets: SubsetProblem<'a>,
    ) -> Result<(SearchState<Bits, SubsetScores>, SubsetProblem<'a>, Vec<Generation>)> {
        let free = subsets.free.len();
        let mut problem = Memo::bounded(subsets, CACHE_CAPACITY);
        let (saved, mut generations) = match run.saved::<SavedSearch>()? {
            Some(kept) if !kept.fits(free) => return Err(run.misfit()),
            Some(kept) => {
                let (state, generations) = kept.revived(&mut problem)?;
                (Some(state), generations)
            }
            None => (None, Vec::new()),
        };
        let algorithm = Spea2Survival {
            settings: self.evolution,
            archive: self.archive,
            dominance: self.test,
            distance: genotype_distance,
        };
        let observe = |state: &SearchState<Bits, SubsetScores>| {
            generations.push(generation(&state.archive));
            let kept = SavedSearch::of(state, &generations);
            let done = state.generation + 1;
            run.save(&kept)?;
            let step = run.step("evolving subsets", done, Some(self.evolution.generations + 1));
            let continues =
                run.unless_stopped(step)?.is_some() && run.stop().ended_early().is_none();
            Ok(if continues { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        };
        let state = evolve::run(&mut problem, &algorithm, run.seed, saved, observe)?;
        Ok((state, problem.into_problem(), generations))
    }

    fn findings(
        &self,
        run: &Run,
        engine: &dyn Engine,
        candidates: &Candidates,
        problem: &SubsetProblem<'_>,
        state: &SearchState<Bits, SubsetScores>,
        generations: Vec<Generation>,
    ) -> Result<Findings> {
        let members: Vec<&Individual<Bits, SubsetScores>> = front(&state.archive).collect();
        let all_scores: Vec<&SubsetScores> =
            members.iter().map(|member| &member.evaluation).collect();
        let chosen = self.choose.of(&all_scores, self.test);
        let features = problem.features(&members[chosen].genome);
        let share = |f: &FeatureId| {
            let place = problem.free.binary_search(f).ok();
            let has = |one: &&Individual<Bits, SubsetScores>| {
                place.is_none_or(|place| one.genome.get(place))
            };
            state.archive.iter().filter(has).count() as f64 / state.archive.len() as f64
        };
        let ordered = |features: &[FeatureId]| {
            let mut scored: Vec<(FeatureId, f64)> =
                features.iter().map(|f| (*f, share(f))).collect();
            scored.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
            scored
        };
        let mut rest = ordered(&candidates.without(&features));
        rest.iter_mut()
            .filter(|(f, _)| candidates.unaffordable.contains(f))
            .for_each(|(_, share)| *share = 0.0);
        let found = candidates.select(run, engine, &ordered(&features), &rest)?;
        let id = |f: FeatureId| engine.schema().features.get(f).id;
        let member = |(place, scores): (usize, &&SubsetScores)| FrontSubset {
            features: problem.features(&members[place].genome).into_iter().map(id).collect(),
            objectives: self.reported(scores),
            chosen: place == chosen,
        };
        let front = all_scores.iter().enumerate().map(member).collect();
        let unfinished = state.generation < self.evolution.generations;
        Ok(Findings { searched: Some(Searched { generations, front }), unfinished, ..found })
    }

    /// Objectives by name; effectiveness is always included.
    fn reported(&self, scores: &SubsetScores) -> BTreeMap<String, f64> {
        let own = self.objectives.iter().zip(&scores.objectives);
        own.map(|(objective, judged)| {
            (objective.name().to_owned(), objective.sign() * judged.value)
        })
        .chain([(Objective::Effectiveness.name().to_owned(), scores.effectiveness)])
        .collect()
    }

    fn note(&self, engine: &dyn Engine) -> Option<String> {
        let schema = engine.schema();
        let informative = schema.queries() as u64 - schema.all_equal;
        let tested = !matches!(self.test, Test::Means);
        let few = tested && informative < FEW_QUERIES;
        few.then(|| {
            format!(
                "only {informative} queries have documents of different relevance: tests have little power{}",
                if self.folds == 0 { "; folds=5 evaluates on held-out queries" } else { "" }
            )
        })
    }
}

/// Statistics of the survivors.
fn generation(archive: &[Individual<Bits, SubsetScores>]) -> Generation {
    let count = archive.len() as f64;
    let effectiveness = || archive.iter().map(|one| one.evaluation.effectiveness);
    Generation {
        best: effectiveness().fold(f64::NEG_INFINITY, f64::max),
        mean: effectiveness().sum::<f64>() / count,
        features: archive.iter().map(|one| one.evaluation.features as f64).sum::<f64>() / count,
        front: front(archive).count(),
    }
}
