//! A comparison: every row of a plan on every fold with every seed, side by side as memory allows, kept cell by cell.
//!
//! Cells of one selector, fold and seed run one after the other, so that their rankers share the selection; such groups run side by side,
//! each on a thread of its own. Those threads are not the workers of the pool that does the arithmetic: a worker that waits takes up other work,
//! and with it more cells than memory was counted for. A cell that fails is reported and does not stop the others. One that cannot be
//! written stops everything: the next ones could not be kept either.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::folder::{Purpose, ResultsFolder, file_name, slug};
use super::method::Selections;
use super::plan::{Plan, RowPlan};
use super::source::{FoldSource, all_queries, bytes};
use super::{Cell, CellOutcome, FoldData, Method, Protocol, Resample, Results};
use super::{alike, cell, draws, fold_data, memory};
use crate::data::{Dataset, FeatureTable};
use crate::engine::LocalEngine;
use crate::error::{Error, Result};
use crate::registry;
use crate::run::{Constraints, Run};
use crate::select::{Selection, auto};

/// What to compare, on which folds.
pub struct Comparison {
    title: String,
    command: Vec<String>,
    plan: Plan,
    rows: Vec<(RowPlan, Method)>,
    protocol: Protocol,
    source: FoldSource,
    costs: Vec<f64>,
}

/// What is told while cells run.
#[derive(Debug)]
pub enum News<'a> {
    /// So many of so many cells were there already.
    Found(usize, usize),
    /// A cell has come to its end, the first number of the second.
    Ended(&'a Cell, usize, usize),
    /// Something to know.
    Note(String),
}

/// Who is told.
pub type Listener<'a> = &'a (dyn Fn(&News<'_>) + Sync);

/// What there is to do: the rows of one selector, or one row without, on one fold with one seed.
struct Group {
    rows: Vec<usize>,
    fold: usize,
    seed: u64,
}

/// Room for what a cell needs besides copies of its data.
const BESIDES: u64 = 64 << 20;

impl Comparison {
    /// Checks a plan and everything it names. `command` are the words that repeat it.
    pub fn new(plan: Plan, title: String, command: Vec<String>, source: FoldSource) -> Result<Self> {
        let rows = plan.crossed()?;
        let with_method = |row: RowPlan| Ok((row.clone(), row.checked_method()?));
        let rows: Vec<(RowPlan, Method)> = rows.into_iter().map(with_method).collect::<Result<_>>()?;
        let protocol = plan.protocol()?;
        if plan.seeds == 0 {
            return Err(Error::invalid("number of seeds", 0, "at least 1"));
        }
        if plan.recommend && rows.iter().all(|(row, _)| row.ranker.is_none()) {
            return Err(Error::Conflict {
                what: "a recommendation is for a ranker, and there is none".into(),
                help: "name one with --rankers".into(),
            });
        }
        Ok(Comparison { title, command, plan, rows, protocol, source, costs: Vec::new() })
    }

    /// The features of the data.
    pub fn features(&self) -> Result<FeatureTable> {
        Ok(self.source.get(0)?.train.features().clone())
    }

    /// The same where features cost so much, in column order.
    #[must_use]
    pub fn with_costs(self, costs: Vec<f64>) -> Self {
        Comparison { costs, ..self }
    }

    /// Runs what the folder does not hold yet, `jobs` cells side by side (0: as many as cores and memory allow), and returns everything.
    /// The observer of `run` may stop it; what is done by then is kept.
    pub fn run(&self, folder: &ResultsFolder, run: &Run, jobs: usize, tell: Listener<'_>) -> Result<Results> {
        let (folds, data, need) = self.look()?;
        let features = self.features()?;
        self.check_sizes(&features)?;
        folder.claim(&self.purpose(data))?;
        let run = Run {
            constraints: Constraints { costs: self.costs.clone(), ..Constraints::default() },
            ..run.clone()
        };
        let jobs = match jobs {
            0 => memory::jobs(rayon::current_num_threads(), need),
            jobs => jobs,
        };
        let work = Work { comparison: self, folder, run: &run, jobs, tell };
        let cells = work.cells(&folds)?;
        let resamples = work.resamples(&cells)?;
        let recommendation = work.recommendation()?;
        let redundancy = alike::alike(&self.source.get(0)?.train, &self.protocol.report[0])
            .map_err(|error| tell(&News::Note(format!("how alike features are is not known: {error}"))))
            .ok();
        Ok(Results {
            title: self.title.clone(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.clone(),
            seed: self.plan.seed,
            choose: self.protocol.choose.to_string(),
            measures: self.protocol.report.iter().map(ToString::to_string).collect(),
            features: features.iter().map(|(_, feature)| feature.clone()).collect(),
            folds,
            cells,
            resamples,
            redundancy,
            recommendation,
        })
    }

    /// Looks at every fold once: its queries, what tells its data from any other, and how much memory a cell needs.
    fn look(&self) -> Result<(Vec<FoldData>, Vec<[String; 3]>, u64)> {
        let (mut folds, mut data, mut largest) = (Vec::new(), Vec::new(), 0);
        let features = self.features()?;
        for index in 0..self.source.len() {
            let fold = self.source.get(index)?;
            if *fold.train.features() != features {
                return Err(Error::Conflict {
                    what: format!("fold {} has other features than fold 1", fold.number),
                    help: "use files made with the same features in the same order".into(),
                });
            }
            let parts = [&fold.train, &fold.valid, &fold.test];
            let grade = parts.iter().flat_map(|part| part.labels()).copied().fold(0.0, f32::max);
            let measures = std::iter::once(&self.protocol.choose).chain(&self.protocol.report);
            measures.into_iter().try_for_each(|measure| measure.check_labels(grade))?;
            folds.push(fold_data::fold_data(&fold, &self.protocol.report[0])?);
            data.push(parts.map(Dataset::fingerprint));
            largest = largest.max(bytes(&fold));
        }
        // Engines copy their rows, rankers take what they need of them once more, and trees bin them.
        Ok((folds, data, 3 * largest + BESIDES))
    }

    fn check_sizes(&self, features: &FeatureTable) -> Result<()> {
        let sizes = self
            .rows
            .iter()
            .filter_map(|(_, method)| method.selecting.as_ref())
            .flat_map(|select| &select.sizes);
        for &k in sizes {
            Constraints { k: Some(k), ..Constraints::default() }.check(features)?;
        }
        Ok(())
    }

    fn purpose(&self, data: Vec<[String; 3]>) -> Purpose {
        Purpose {
            release: env!("CARGO_PKG_VERSION").to_owned(),
            title: self.title.clone(),
            seed: self.plan.seed,
            choose: self.protocol.choose.to_string(),
            measures: self.protocol.report.iter().map(ToString::to_string).collect(),
            bootstraps: self.plan.bootstraps,
            curves: self.plan.curves,
            recommend: self.plan.recommend,
            rows: self
                .rows
                .iter()
                .map(|(row, _)| RowPlan { seeds: Some(self.plan.seeds_of(row)), ..row.clone() })
                .collect(),
            costs: self.costs.clone(),
            data,
        }
    }

    /// What there is to do, fold by fold: folds that do not all fit into memory are read once.
    fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for fold in 0..self.source.len() {
            let most = self.rows.iter().map(|(row, _)| self.plan.seeds_of(row)).max().unwrap_or(0);
            for turn in 0..most {
                let seed = self.plan.seed.wrapping_add(turn);
                let mut known: Vec<&super::SelectPlan> = Vec::new();
                for (i, (row, _)) in
                    self.rows.iter().enumerate().filter(|(_, (row, _))| turn < self.plan.seeds_of(row))
                {
                    let Some(select) = &row.select else {
                        groups.push(Group { rows: vec![i], fold, seed });
                        continue;
                    };
                    if known.contains(&select) {
                        continue;
                    }
                    known.push(select);
                    let alike = |(_, (other, _)): &(usize, &(RowPlan, Method))| {
                        other.select.as_ref() == Some(select) && turn < self.plan.seeds_of(other)
                    };
                    let rows = self.rows.iter().enumerate().filter(alike).map(|(i, _)| i).collect();
                    groups.push(Group { rows, fold, seed });
                }
            }
        }
        groups
    }

    /// A cell that has not run.
    fn blank(&self, row: usize, fold: usize, seed: u64) -> Cell {
        let (plan, _) = &self.rows[row];
        Cell {
            method: plan.name.clone(),
            selector: plan.selector_word(),
            ranker: plan.ranker_word(),
            fold,
            seed,
            outcome: CellOutcome::Failed(String::new()),
        }
    }
}

/// A comparison that is being run.
struct Work<'a> {
    comparison: &'a Comparison,
    folder: &'a ResultsFolder,
    run: &'a Run,
    jobs: usize,
    tell: Listener<'a>,
}

impl Work<'_> {
    fn note(&self, text: String) {
        (self.tell)(&News::Note(text));
    }

    /// All cells, in the order of rows, folds and seeds.
    fn cells(&self, folds: &[FoldData]) -> Result<Vec<Cell>> {
        let all = self.comparison.groups();
        let total: usize = all.iter().map(|group| group.rows.len()).sum();
        let mut done: Vec<(usize, Cell)> = Vec::new();
        let mut left = Vec::new();
        for mut group in all {
            group.rows.retain(|&row| match self.found(row, folds[group.fold].number, group.seed) {
                Some(cell) => {
                    done.push((row, cell));
                    false
                }
                None => true,
            });
            if !group.rows.is_empty() {
                left.push(group);
            }
        }
        (self.tell)(&News::Found(done.len(), total));
        let ended = Mutex::new(done);
        self.side_by_side(&left, |group| {
            let comparison = self.comparison;
            let fold = comparison.source.get(group.fold)?;
            // Of its own: selections of other groups would only fill memory.
            let protocol =
                Protocol::new(comparison.protocol.choose.clone(), comparison.protocol.report.clone());
            let run = Run { seed: group.seed, ..self.run.clone() };
            for &row in &group.rows {
                let method = &comparison.rows[row].1;
                let outcome = caught(|| cell::run(&protocol, method, &run, &fold, comparison.plan.curves));
                let mut cell = comparison.blank(row, fold.number, group.seed);
                match outcome {
                    Ok(found) => {
                        cell.outcome = CellOutcome::Done(Box::new(found));
                        self.folder.keep(&file_name(row, &cell), &cell)?;
                    }
                    Err(stopped @ Error::Stopped(_)) => return Err(stopped),
                    Err(error) => cell.outcome = CellOutcome::Failed(error.to_string()),
                }
                let mut ended = lock(&ended);
                (self.tell)(&News::Ended(&cell, ended.len() + 1, total));
                ended.push((row, cell));
            }
            Ok(())
        })?;
        let mut cells = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        cells.sort_by_key(|(row, cell)| (*row, cell.fold, cell.seed));
        Ok(cells.into_iter().map(|(_, cell)| cell).collect())
    }

    /// A cell that is done. A damaged one is as good as none.
    fn found(&self, row: usize, fold: usize, seed: u64) -> Option<Cell> {
        let blank = self.comparison.blank(row, fold, seed);
        let name = file_name(row, &blank);
        let again = |why: String| self.note(format!("cells/{name} is run again: {why}"));
        match self.folder.kept::<Cell>(&name) {
            Ok(Some(cell)) if Cell { outcome: blank.outcome.clone(), ..cell.clone() } == blank => Some(cell),
            Ok(Some(_)) => {
                again("it is of another cell".into());
                None
            }
            Ok(None) => None,
            Err(error) => {
                again(error.to_string());
                None
            }
        }
    }

    /// What methods select from draws of the training queries.
    fn resamples(&self, cells: &[Cell]) -> Result<Vec<Resample>> {
        let comparison = self.comparison;
        let (count, seed) = (comparison.plan.bootstraps, comparison.plan.seed);
        if count == 0 {
            return Ok(Vec::new());
        }
        let groups: Vec<Group> = comparison.groups().into_iter().filter(|group| group.seed == seed).collect();
        let found = Mutex::new(Vec::new());
        self.side_by_side(&groups, |group| {
            let made = Selections::default();
            for &row in &group.rows {
                let (plan, method) = &comparison.rows[row];
                let Some(selecting) = &method.selecting else { continue };
                let fold = comparison.source.get(group.fold)?;
                let of_cell =
                    |cell: &&Cell| cell.method == plan.name && cell.fold == fold.number && cell.seed == seed;
                let Some(CellOutcome::Done(done)) = cells.iter().find(of_cell).map(|cell| &cell.outcome)
                else {
                    continue;
                };
                let name = format!("draws-fold{}-{}.json", fold.number, slug(row, &plan.name));
                let kept = self.folder.kept::<draws::Draws>(&name).unwrap_or_default();
                let drawn = match kept.filter(|kept| kept.selected.len() as u64 == count) {
                    Some(kept) => kept,
                    None => {
                        let run = Run { seed, ..self.run.clone() };
                        let selected = caught(|| draws::draw(count, selecting, done, &run, &fold, &made))?;
                        let drawn = draws::Draws { method: plan.name.clone(), fold: fold.number, selected };
                        self.folder.keep(&name, &drawn)?;
                        drawn
                    }
                };
                let failed = drawn.selected.iter().filter_map(|one| one.as_ref().err());
                if let Some(why) = failed.clone().next() {
                    let failed = failed.count();
                    self.note(format!(
                        "{}, fold {}: {failed} of {count} draws failed: {why}",
                        plan.name, fold.number
                    ));
                }
                lock(&found).push((row, drawn));
            }
            Ok(())
        })?;
        let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        found.sort_by_key(|(row, drawn)| (*row, drawn.fold));
        Ok(found.iter().flat_map(|(_, drawn)| drawn.resamples()).collect())
    }

    /// What `auto` recommends on all data with the first ranker, where that was asked for.
    fn recommendation(&self) -> Result<Option<Box<Selection>>> {
        const NAME: &str = "recommendation.json";
        let comparison = self.comparison;
        let first = comparison.rows.iter().find(|(row, _)| row.ranker.is_some());
        let (true, Some((row, _))) = (comparison.plan.recommend, first) else { return Ok(None) };
        if let Ok(Some(kept)) = self.folder.kept(NAME) {
            return Ok(Some(kept));
        }
        let setting = |name: &str, value: String| (name.to_owned(), value);
        let mut settings = vec![
            setting("ranker", row.ranker.clone().unwrap_or_default()),
            setting("measure", comparison.protocol.choose.to_string()),
        ];
        if !row.fixed.is_empty() {
            let words: Vec<String> =
                row.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
            settings.push(setting("settings", words.join(";")));
        }
        let run = Run { seed: comparison.plan.seed, ..self.run.clone() };
        let made = caught(|| {
            let engine = LocalEngine::new(all_queries(&comparison.source)?, rayon::current_num_threads())?;
            let engine = engine.observed_by(run.observer.clone());
            registry::selector(auto::NAME)?.run(&settings, &run, &engine)
        });
        match made {
            Ok(selection) => {
                self.folder.keep(NAME, &selection)?;
                Ok(Some(Box::new(selection)))
            }
            Err(stopped @ Error::Stopped(_)) => Err(stopped),
            Err(error) => {
                self.note(format!("there is no recommendation: {error}"));
                Ok(None)
            }
        }
    }

    /// Does pieces of work on so many threads. The first error ends it: what runs comes to its end, nothing new begins.
    fn side_by_side<T: Sync>(&self, pieces: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
        let (next, over, failure) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
        let on_thread = || {
            while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                let stopped = self.run.step("comparing", 0, None).and_then(|()| work(piece));
                if let Err(error) = stopped {
                    over.store(true, Ordering::Relaxed);
                    lock(&failure).get_or_insert(error);
                }
                if over.load(Ordering::Relaxed) {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            (0..self.jobs.min(pieces.len())).for_each(|_| drop(scope.spawn(on_thread)))
        });
        failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A fault in a method fails its cell, not all the others.
fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Error::Conflict {
            what: format!("a fault in featherank: {words}"),
            help: "please report it with the data and the settings".into(),
        })
    })
}
