//! The timed work: passes, solvers and rankers on one data set.

use featherank::data::synth::{Preset, SynthConfig, generate};
use featherank::data::{FeatureId, View};
use featherank::engine::passes::{Centring, Gram, LinearMeasures};
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::internals::design::Design;
use featherank::internals::gram_solver::GramSolver;
use featherank::internals::newton::SquaredHingeProblem;
use featherank::internals::random::{Purpose, stream};
use featherank::registry::{ranker, selector};
use featherank::run::{Constraints, Observer, Run, Step};
use featherank::{Error, Result, Stop};
use rand::seq::SliceRandom;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Number of models in a population, and of least-squares problems.
const MODELS: usize = 75;

/// Size of the data.
#[derive(Debug, Clone, Copy)]
pub struct DataSize {
    pub documents: usize,
    pub features: usize,
    pub list: usize,
}

/// One data set, ready for every kind of work.
pub struct Bench {
    engine: LocalEngine,
    solver: GramSolver,
    subsets: Vec<Vec<usize>>,
}

impl Bench {
    pub fn new(size: DataSize) -> Result<Self> {
        let DataSize { documents, features, list } = size;
        let config = SynthConfig {
            queries: documents / list,
            documents,
            min_documents: list,
            max_documents: list,
            useful: features / 4,
            redundant: features / 4,
            noisy: features / 4,
            query_dependent: features / 8,
            risky: features / 16,
            constant: features / 16,
            heavy_tails: false,
            ..Preset::Web10k.config()
        };
        let (data, _) = generate(&config)?;
        let engine = LocalEngine::new(data, 1)?;
        let half = |index: usize| {
            let mut all: Vec<usize> = (0..features).collect();
            all.shuffle(&mut stream(0, Purpose::Test, index as u64));
            all.truncate(features / 2);
            all
        };
        let solver = GramSolver::new(engine.ask(&products(features))?, 0.0);
        Ok(Bench { solver, subsets: (0..MODELS).map(half).collect(), engine })
    }

    fn engine(&self) -> &dyn Engine {
        &self.engine
    }

    fn view(&self) -> Result<View<'_>> {
        let nowhere = || Error::invalid("rows", "elsewhere", "rows in this process");
        Ok(self.engine.local().ok_or_else(nowhere)?.view())
    }

    pub fn pairs(&self) -> Result<u64> {
        Ok(SquaredHingeProblem::new(&Design::new(&self.view()?)?)?.pairs())
    }

    pub fn gram(&self) -> Result<f64> {
        let start = Instant::now();
        self.engine().ask(&products(self.solver.width()))?;
        Ok(start.elapsed().as_secs_f64())
    }

    pub fn solve(&self) -> Result<f64> {
        let start = Instant::now();
        let errors: f64 = self.subsets.iter().map(|subset| self.solver.solve(subset).rss).sum();
        std::hint::black_box(errors);
        Ok(start.elapsed().as_secs_f64() / MODELS as f64)
    }

    pub fn population(&self) -> Result<f64> {
        let spread = |subset: &Vec<usize>| {
            let mut weights = vec![0.0; self.solver.width()];
            subset
                .iter()
                .zip(self.solver.solve(subset).weights)
                .for_each(|(&f, w)| weights[f] = w as f32);
            weights
        };
        let weights: Vec<Vec<f32>> = self.subsets.iter().map(spread).collect();
        let features = products(self.solver.width()).features;
        let pass = LinearMeasures { measure: "ndcg@10".parse()?, features, weights };
        let start = Instant::now();
        self.engine().ask(&pass)?;
        Ok(start.elapsed().as_secs_f64())
    }

    pub fn ranksvm(&self) -> Result<f64> {
        let start = Instant::now();
        self.minimise(&Run::new(0, Constraints::default()))?;
        Ok(start.elapsed().as_secs_f64())
    }

    pub fn newton_step(&self) -> Result<f64> {
        Clock::time(|run| self.minimise(run))
    }

    /// With the defaults of `ranksvm-primal`.
    fn minimise(&self, run: &Run) -> Result<()> {
        let design = Design::new(&self.view()?)?;
        let problem = SquaredHingeProblem::new(&design)?;
        let (penalties, zero) = (vec![1.0; design.width()], vec![0.0; design.width()]);
        problem.solve(run, 100.0 / problem.pairs() as f64, &penalties, &zero, 1e-9).map(drop)
    }

    pub fn listnet(&self) -> Result<f64> {
        self.fit("listnet", &[("epochs", "6")])
    }

    pub fn lambdamart(&self) -> Result<f64> {
        self.fit("lambdamart", &[("trees", "11"), ("leaves", "31"), ("min-leaf", "20")])
    }

    pub fn tied_lambdamart(&self) -> Result<f64> {
        self.fit("lambdamart", &[("trees", "4"), ("leaves", "4"), ("min-leaf", "20")])
    }

    pub fn four_features(&self) -> Result<f64> {
        self.greedy(4)
    }

    pub fn sixteen_features(&self) -> Result<f64> {
        self.greedy(16)
    }

    /// Seconds of GreedyRankRLS for one penalty.
    fn greedy(&self, k: usize) -> Result<f64> {
        let run = Run::new(1, Constraints { k: Some(k), ..Constraints::default() });
        let lambda = [("lambda".to_owned(), "1".to_owned())];
        let start = Instant::now();
        selector("greedy-rankrls")?.run(&lambda, &run, &self.engine)?;
        Ok(start.elapsed().as_secs_f64())
    }

    pub fn forest(&self) -> Result<f64> {
        self.fit("random-forest", &[("trees", "2")])
    }

    /// Seconds per step of a ranker.
    fn fit(&self, name: &str, settings: &[(&str, &str)]) -> Result<f64> {
        let settings: Vec<(String, String)> =
            settings.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let view = self.view()?;
        Clock::time(|run| ranker(name)?.fit(&settings, run, &view, None).map(drop))
    }
}

fn products(features: usize) -> Gram {
    Gram::new((0..features).map(FeatureId::from).collect(), Centring::Overall)
}

/// Records the time of every reported step. Work before the first report, such as binning, is not
/// counted.
#[derive(Default)]
struct Clock(Mutex<Vec<Instant>>);

impl Clock {
    /// Mean seconds between two reports of a run.
    fn time(work: impl FnOnce(&Run) -> Result<()>) -> Result<f64> {
        let clock = Arc::new(Clock::default());
        work(&Run { observer: clock.clone(), ..Run::new(1, Constraints::default()) })?;
        let reports = clock.0.lock().unwrap_or_else(PoisonError::into_inner);
        match reports[..] {
            [first, .., last] => Ok((last - first).as_secs_f64() / (reports.len() - 1) as f64),
            _ => Err(Error::invalid(
                "reports",
                reports.len(),
                "at least two to take the time between",
            )),
        }
    }
}

impl Observer for Clock {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        ControlFlow::Continue(())
    }
}
