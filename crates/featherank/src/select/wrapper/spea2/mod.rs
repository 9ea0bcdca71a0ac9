//! SPEA2 selection: subsets evolve towards effectiveness, low risk, few features or low cost, and
//! significance tests decide which is better.
//!
//! Sousa, Canuto, Rosa, Martins & Gonçalves, CIKM 2016. A chromosome has a bit for each feature. A
//! subset is scored by a ranker trained on the training data with these features alone, judged
//! there: its effectiveness is the mean of the measure over queries, F_RISK its mean loss against a
//! baseline, T_RISK gains less 1 + α times the losses in standard errors. The objectives are E,
//! E-F, E-R, T-F or T as published, or one to three of them, GeoRisk and the cost of features
//! included. A subset beats another in an objective if its value is better and a paired test over
//! queries says so. The answer is the most effective subset of the last archive's front.
//!
//! The search itself is described in [`crate::evolve::spea2`]: distances between genomes, not
//! objectives; copies are removed from population and archive before anything is counted. Departs
//! from the paper or settles what it leaves open:
//!
//! * the tournament takes the lowest fitness, since fitness is minimised, and exactly as many
//!   children as wanted are born;
//! * an empty subset gets a random feature; features constant within every query are not shown to
//!   the search;
//! * the subset of all features is not among the first ones: with the full model as baseline it has
//!   no risk, and nothing would dominate it;
//! * documents that tie count by their expected value, because file order carries information in
//!   real data;
//! * tests tell values of a query apart that differ by 2⁻²⁶ or more, values above 16 by more
//!   (`PerQuery`): half the bytes.
//!
//! `folds` judges subsets on queries that the ranker was not trained on, which drops more features
//! at equal quality. With few queries almost nothing differs significantly, and the tests leave the
//! search without direction: the result says so. Chosen features are ordered by how many members of
//! the last archive have them. GeoRisk is taken among two systems, the subset and the baseline; its
//! tests compare gains and weighted losses, as those of T_RISK do.

mod baseline;
mod choice;
mod kept;
mod objectives;
mod problem;
mod tested;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use baseline::Baseline;
use choice::FrontChoice;
use kept::Kept;
use objectives::{Objective, SubsetJudge, SubsetScores};
use problem::SubsetProblem;
use tested::{Test, TestName};

use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::evolve::spea2::genotype_distance;
use crate::evolve::{self, Bits, Individual, Memo, SearchSettings, SearchState, Spea2, front};
use crate::rank::{self, RankerSpec, tune};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::subsets::{HeldOut, SubsetEvaluator, SubsetRepair, on_threads_of};
use crate::select::{Generation, Member, Searched, Selection, Selector};

/// Queries that tell rankings apart below which tests leave little to go by.
const FEW_QUERIES: u64 = 500;

/// How many evaluated subsets are remembered.
const REMEMBERED: usize = 4096;

method! {
    /// Subsets that evolve towards effectiveness, low risk, few features or low cost.
    pub struct SPEA2: Selector as "spea2" in Wrapper,
        cites ["sousa2016", "zitzler2001"], AsPublished, Passes,
        with [resumes]
    {
        /// Objectives that subsets are compared by.
        let objectives: Words(objectives::WORDS) = "e-r",
        /// Measure of effectiveness.
        measure: Measure = "ndcg[ties=expected]@10",
        /// Ranker to train on every subset.
        let ranker: Ranker = "linear-regression",
        /// Parameters of the ranker.
        let settings: Settings = "",
        /// What proves that a subset is better; means: any difference.
        let test: Choice<TestName> = "wilcoxon",
        /// The level of the test.
        let level: Real(1e-9..=0.5) = "0.05",
        /// What risk is measured against.
        let baseline: Words(baseline::WORDS) = "full",
        /// How much more a loss weighs than a gain in trisk and georisk.
        alpha: Real(0.0..=1e6) = "5",
        /// Folds of the queries, each evaluated by a ranker that is trained on the others; 0
        /// evaluates on training data.
        let folds: Whole<usize>(0..=100) = "0",
        /// Which member of the front is the answer.
        choose: Choice<FrontChoice> = "effectiveness",
        /// Subsets born in a generation.
        let population: Whole<usize>(2..=1_000_000) = "75",
        /// Subsets that survive a generation.
        archive: Whole<usize>(1..=1_000_000) = "150",
        /// Generations after the random one.
        let generations: Whole(0..=1_000_000_000) = "30",
        /// Probability that parents are crossed.
        let crossover: Real(0.0..=1.0) = "0.8",
        /// Probability that a child is changed.
        mutation: Real(0.0..=1.0) = "0.2",
        /// Probability that a bit of such a child flips.
        gene: Real(0.0..=1.0) = "0.3",
        /// Subsets that compete to become a parent.
        let tournament: Whole<usize>(1..=1000) = "2",
        derive folds: usize = more_than_one(folds)?;
        derive objectives: Vec<Objective> = Objective::parse(&objectives)?;
        derive ranker: &'static RankerSpec = rank::ranker(&ranker.0)?;
        derive settings: tune::Settings = settings.unwrap_or_default();
        derive test: Test = Test::new(test, level);
        derive baseline: Baseline = Baseline::parse(&baseline)?;
        derive evolution: SearchSettings =
            SearchSettings { population, generations, crossover, tournament };
    }
}

/// One fold would leave nothing to train on.
fn more_than_one(folds: usize) -> Result<usize> {
    match folds {
        1 => Err(Error::invalid("folds", folds, "0, or 2 to 100")),
        _ => Ok(folds),
    }
}

impl Selector for SPEA2 {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        on_threads_of(engine, || self.search_front(run, engine))
    }
}

impl SPEA2 {
    fn search_front(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
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
        let mut selection =
            self.selection(run, engine, &candidates, &problem, &state, generations)?;
        selection.notes.extend(self.note(engine));
        Ok(selection)
    }

    fn evolve<'a>(
        &self,
        run: &Run,
        subsets: SubsetProblem<'a>,
    ) -> Result<(SearchState<Bits, SubsetScores>, SubsetProblem<'a>, Vec<Generation>)> {
        let mut problem = Memo::bounded(subsets, REMEMBERED);
        let (saved, mut generations) = match run.saved::<Kept>()? {
            Some(kept) => {
                let (state, generations) = kept.revived(&mut problem)?;
                (Some(state), generations)
            }
            None => (None, Vec::new()),
        };
        let algorithm = Spea2 {
            settings: self.evolution,
            archive: self.archive,
            dominance: self.test,
            distance: genotype_distance,
        };
        let observe = |state: &SearchState<Bits, SubsetScores>| {
            generations.push(generation(&state.archive));
            let kept = Kept::of(state, &generations);
            let done = state.generation + 1;
            run.save(&kept)?;
            run.step("evolving subsets", done, Some(self.evolution.generations + 1))?;
            let stop = run.is_out_of_time();
            Ok(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let state = evolve::run(&mut problem, &algorithm, run.seed, saved, observe)?;
        Ok((state, problem.into_problem(), generations))
    }

    fn selection(
        &self,
        run: &Run,
        engine: &dyn Engine,
        candidates: &Candidates,
        problem: &SubsetProblem<'_>,
        state: &SearchState<Bits, SubsetScores>,
        generations: Vec<Generation>,
    ) -> Result<Selection> {
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
        let selection = candidates.select(run, engine, &ordered(&features), &rest)?;
        let id = |f: FeatureId| engine.schema().features.get(f).id;
        let member = |(place, scores): (usize, &&SubsetScores)| Member {
            features: problem.features(&members[place].genome).into_iter().map(id).collect(),
            objectives: self.reported(scores),
            chosen: place == chosen,
        };
        let front = all_scores.iter().enumerate().map(member).collect();
        let unfinished = state.generation < self.evolution.generations;
        Ok(Selection { searched: Some(Searched { generations, front }), unfinished, ..selection })
    }

    /// Objectives by name; effectiveness is always of interest.
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
                "only {informative} queries have documents of different relevance: tests rarely tell subsets apart{}",
                if self.folds == 0 { "; folds=5 judges them more soundly" } else { "" }
            )
        })
    }
}

/// How those that survived do.
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
