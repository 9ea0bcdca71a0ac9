//! SPEA2 selection: subsets evolve towards effectiveness, low risk, few features or low cost, and
//! significance decides who is better.
//!
//! Sousa, Canuto, Rosa, Martins & Gonçalves, CIKM 2016. A chromosome has a bit for each feature. A
//! subset is worth what a ranker, trained on the training data with these features alone, reaches
//! there: its effectiveness is the mean of the measure over queries, F_RISK its mean loss against a
//! baseline, T_RISK gains less 1 + α times the losses in standard errors. The objectives are E,
//! E-F, E-R, T-F or T as published, or one to three of them, GeoRisk and the cost of features
//! included. A subset beats another in an objective if its value is better and a paired test over
//! queries says so. The answer is the most effective subset of the last archive's front.
//!
//! The search itself is told in [`crate::evolve::spea2`]: distances between genomes, not
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
mod black_box;
mod choice;
mod kept;
mod objectives;
mod subsets;
mod tested;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use baseline::Baseline;
use black_box::BlackBox;
use choice::Choice;
use kept::Kept;
use objectives::{Judge, Objective, Worth};
use subsets::Subsets;
use tested::Test;

use crate::data::FeatureId;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::evolve::spea2::genotype_distance;
use crate::evolve::{self, Bits, Individual, Memo, SearchSettings, SearchState, Spea2, front};
use crate::measure::Measure;
use crate::params::{Kind, Param};
use crate::rank::{RankerSpec, tune};
use crate::registry::{self, Category, Status};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::wrapper::training::on_threads_of;
use crate::select::{Generation, Member, Searched, Selection, Selector, SelectorSpec};

/// Queries that tell rankings apart below which tests leave little to go by.
const FEW_QUERIES: u64 = 500;

/// How many evaluated subsets are remembered.
const REMEMBERED: usize = 4096;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `objectives` | `e-r` | e, e-f, e-r, t-f, t, or names joined by + | what subsets are judged by |
/// | `measure` | `ndcg[ties=expected]@10` | any measure | what effectiveness is |
/// | `ranker`, `settings` | `linear-regression` | any ranker | what is trained on every subset |
/// | `test`, `level` | `wilcoxon`, `0.05` | wilcoxon, t-test, means | what proves a difference |
/// | `baseline`, `alpha` | `full`, `5` | full, mean, max, feature:NAME, scores:FILE | what risk is measured against, and how much more a loss weighs |
/// | `folds` | `0` | 0, or 2 to 100 | parts of the queries on which subsets are judged; 0 is where they were trained |
/// | `choose` | `effectiveness` | effectiveness, knee, cheapest | which member of the front is the answer |
/// | `population`, `archive`, `generations` | 75, 150, 30 | | how much is searched |
/// | `crossover`, `mutation`, `gene`, `tournament` | .8, .2, .3, 2 | | how children come about |
pub struct Spea2Selection {
    objectives: Vec<Objective>,
    measure: Measure,
    ranker: &'static RankerSpec,
    settings: tune::Settings,
    test: Test,
    baseline: Baseline,
    alpha: f64,
    folds: usize,
    choose: Choice,
    evolution: SearchSettings,
    archive: usize,
    mutation: f64,
    gene: f64,
}

const SHARE: Kind = Kind::Real { min: 0.0, max: 1.0 };

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "spea2",
    summary: "subsets that evolve towards effectiveness, low risk, few features or low cost",
    category: Category::Wrapper,
    cites: &["sousa2016", "zitzler2001"],
    status: Status::AsPublished,
    scales_out: true,
    resumes: true,
    uses_valid: false,
    leaves_model: false,
    params: &[
        Param {
            name: "objectives",
            kind: Kind::Words(objectives::WORDS),
            default: "e-r",
            meaning: "what subsets are judged by",
        },
        Param {
            name: "measure",
            kind: Kind::Measure,
            default: "ndcg[ties=expected]@10",
            meaning: "what effectiveness is",
        },
        Param {
            name: "ranker",
            kind: Kind::Ranker,
            default: "linear-regression",
            meaning: "what is trained on every subset",
        },
        Param {
            name: "settings",
            kind: Kind::Settings,
            default: "",
            meaning: "parameters of the ranker",
        },
        Param {
            name: "test",
            kind: Kind::Choice(Test::NAMES),
            default: "wilcoxon",
            meaning: "what proves that a subset is better; means: any difference",
        },
        Param {
            name: "level",
            kind: Kind::Real { min: 1e-9, max: 0.5 },
            default: "0.05",
            meaning: "the level of the test",
        },
        Param {
            name: "baseline",
            kind: Kind::Words(baseline::WORDS),
            default: "full",
            meaning: "what risk is measured against",
        },
        Param {
            name: "alpha",
            kind: Kind::Real { min: 0.0, max: 1e6 },
            default: "5",
            meaning: "how much more a loss weighs than a gain in trisk and georisk",
        },
        Param {
            name: "folds",
            kind: Kind::Whole { min: 0, max: 100 },
            default: "0",
            meaning: "parts of the queries, each judged by what the others teach; 0: judged where it was trained",
        },
        Param {
            name: "choose",
            kind: Kind::Choice(Choice::NAMES),
            default: "effectiveness",
            meaning: "which member of the front is the answer",
        },
        Param {
            name: "population",
            kind: Kind::Whole { min: 2, max: 1_000_000 },
            default: "75",
            meaning: "subsets born in a generation",
        },
        Param {
            name: "archive",
            kind: Kind::Whole { min: 1, max: 1_000_000 },
            default: "150",
            meaning: "subsets that survive a generation",
        },
        Param {
            name: "generations",
            kind: Kind::Whole { min: 0, max: 1_000_000_000 },
            default: "30",
            meaning: "generations after the random one",
        },
        Param {
            name: "crossover",
            kind: SHARE,
            default: "0.8",
            meaning: "probability that parents are crossed",
        },
        Param {
            name: "mutation",
            kind: SHARE,
            default: "0.2",
            meaning: "probability that a child is changed",
        },
        Param {
            name: "gene",
            kind: SHARE,
            default: "0.3",
            meaning: "probability that a bit of such a child flips",
        },
        Param {
            name: "tournament",
            kind: Kind::Whole { min: 1, max: 1000 },
            default: "2",
            meaning: "subsets that compete to become a parent",
        },
    ],
    build: |params| {
        let folds = params.whole("folds")? as usize;
        if folds == 1 {
            return Err(Error::invalid("folds", folds, "0, or 2 to 100"));
        }
        Ok(Box::new(Spea2Selection {
            objectives: Objective::parse(params.text("objectives"))?,
            measure: params.measure("measure")?,
            ranker: registry::ranker(params.text("ranker"))?,
            settings: params.settings("settings")?,
            test: Test::named(params.text("test"), params.real("level")?),
            baseline: Baseline::parse(params.text("baseline"))?,
            alpha: params.real("alpha")?,
            folds,
            choose: Choice::named(params.text("choose")),
            evolution: SearchSettings {
                population: params.whole("population")? as usize,
                generations: params.whole("generations")?,
                crossover: params.real("crossover")?,
                tournament: params.whole("tournament")? as usize,
            },
            archive: params.whole("archive")? as usize,
            mutation: params.real("mutation")?,
            gene: params.real("gene")?,
        }))
    },
};

impl Selector for Spea2Selection {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        on_threads_of(engine, || self.search(run, engine))
    }
}

impl Spea2Selection {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let mut all = [&candidates.keep[..], &candidates.free].concat();
        all.sort_unstable();
        let ranker = (self.ranker, &self.settings);
        let black_box = BlackBox::new(run, engine, ranker, &all, &self.measure, self.folds)?;
        let needs_baseline = |objective: &Objective| {
            matches!(objective, Objective::FRisk | Objective::TRisk | Objective::GeoRisk)
        };
        let baseline = match self.objectives.iter().any(needs_baseline) && !all.is_empty() {
            true => self.baseline.per_query(engine, &black_box, &all, &self.measure)?,
            false => Vec::new(),
        };
        let subsets = Subsets {
            free: candidates.free.clone(),
            keep: candidates.keep.clone(),
            constraints: &run.constraints,
            mutation: self.mutation,
            gene: self.gene,
            black_box,
            judge: Judge {
                objectives: self.objectives.clone(),
                measure: self.measure.clone(),
                baseline,
                alpha: self.alpha,
            },
        };
        if subsets.free.is_empty() {
            return candidates.select(run, engine, &[], &[]);
        }
        let (state, subsets, generations) = self.evolve(run, subsets)?;
        let mut selection =
            self.selection(run, engine, &candidates, &subsets, &state, generations)?;
        selection.notes.extend(self.note(engine));
        Ok(selection)
    }

    fn evolve<'a>(
        &self,
        run: &Run,
        subsets: Subsets<'a>,
    ) -> Result<(SearchState<Bits, Worth>, Subsets<'a>, Vec<Generation>)> {
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
        let observe = |state: &SearchState<Bits, Worth>| {
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
        subsets: &Subsets<'_>,
        state: &SearchState<Bits, Worth>,
        generations: Vec<Generation>,
    ) -> Result<Selection> {
        let members: Vec<&Individual<Bits, Worth>> = front(&state.archive).collect();
        let worths: Vec<&Worth> = members.iter().map(|member| &member.evaluation).collect();
        let chosen = self.choose.of(&worths, self.test);
        let features = subsets.features(&members[chosen].genome);
        let share = |f: &FeatureId| {
            let place = subsets.free.binary_search(f).ok();
            let has =
                |one: &&Individual<Bits, Worth>| place.is_none_or(|place| one.genome.get(place));
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
            .filter(|(f, _)| candidates.dear.contains(f))
            .for_each(|(_, share)| *share = 0.0);
        let selection = candidates.select(run, engine, &ordered(&features), &rest)?;
        let id = |f: FeatureId| engine.schema().features.get(f).id;
        let member = |(place, worth): (usize, &&Worth)| Member {
            features: subsets.features(&members[place].genome).into_iter().map(id).collect(),
            objectives: self.reported(worth),
            chosen: place == chosen,
        };
        let front = worths.iter().enumerate().map(member).collect();
        let unfinished = state.generation < self.evolution.generations;
        Ok(Selection { searched: Some(Searched { generations, front }), unfinished, ..selection })
    }

    /// Objectives by name; effectiveness is always of interest.
    fn reported(&self, worth: &Worth) -> BTreeMap<String, f64> {
        let own = self.objectives.iter().zip(&worth.objectives);
        own.map(|(objective, judged)| {
            (objective.name().to_owned(), objective.sign() * judged.value)
        })
        .chain([(Objective::Effectiveness.name().to_owned(), worth.effectiveness)])
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
fn generation(archive: &[Individual<Bits, Worth>]) -> Generation {
    let count = archive.len() as f64;
    let effectiveness = || archive.iter().map(|one| one.evaluation.effectiveness);
    Generation {
        best: effectiveness().fold(f64::NEG_INFINITY, f64::max),
        mean: effectiveness().sum::<f64>() / count,
        features: archive.iter().map(|one| one.evaluation.features as f64).sum::<f64>() / count,
        front: front(archive).count(),
    }
}
