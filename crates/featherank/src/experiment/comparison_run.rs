//! Runs a comparison: cells in parallel as far as memory allows, each saved on completion; then
//! bootstrap samples, then the recommendation.
//!
//! Cells with the same selector, fold and seed run in sequence, so that their rankers share the
//! selection; such groups run in parallel, each on a thread of its own. These threads are not
//! workers of the rayon pool: a waiting worker would steal other cells and exceed the memory limit.
//! A cell that fails is reported and does not stop the others. An error while saving stops the
//! comparison, because later cells could not be saved either.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::comparison::{CellGroup, Comparison, ComparisonEvent, EventHandler};
use super::folder::{ResultsFolder, file_name, slug};
use super::method::SelectionCache;
use super::source::all_queries;
use super::{CellOutcome, ComparisonCell, FoldData, Protocol, Resample};
use super::{bootstrap, cell};
use crate::engine::LocalEngine;
use crate::error::{Error, REPORT_DEFECT, Result};
use crate::progress::ParallelUnits;
use crate::registry;
use crate::run::Run;
use crate::select::{Selection, SelectionJob, SelectionOutcome, auto};

/// Work that takes about the same time on every fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkKind {
    /// A cell of this row of the plan.
    Cell(usize),
    /// The bootstrap samples of a row.
    Samples(usize),
}

/// A comparison in progress.
pub(super) struct ComparisonRun<'a> {
    pub comparison: &'a Comparison,
    pub folder: &'a ResultsFolder,
    pub run: &'a Run,
    pub jobs: usize,
    pub on_event: EventHandler<'a>,
}

impl ComparisonRun<'_> {
    fn note(&self, text: String) {
        (self.on_event)(&ComparisonEvent::Note(text));
    }

    /// All cells, in the order of rows, folds and seeds, and the progress of the comparison.
    pub fn cells(
        &self,
        folds: &[FoldData],
    ) -> Result<(Vec<ComparisonCell>, Arc<ParallelUnits<WorkKind>>)> {
        let all = self.comparison.groups();
        let total: usize = all.iter().map(|group| group.rows.len()).sum();
        let mut done: Vec<(usize, ComparisonCell)> = Vec::new();
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
        (self.on_event)(&ComparisonEvent::Started(done.len(), total));
        let progress = self.progress(&left);
        let ended = Mutex::new(done);
        self.in_parallel(&left, |group| {
            let comparison = self.comparison;
            let fold = comparison.source.get(group.fold)?;
            // A separate protocol, so that the selections of other groups are not kept in memory.
            let protocol = Protocol::new(
                comparison.protocol.choose.clone(),
                comparison.protocol.report.clone(),
            );
            let run = Run { seed: group.seed, ..self.run.clone() };
            for &row in &group.rows {
                let method = &comparison.rows[row].1;
                let (observer, unit) = progress.begin(WorkKind::Cell(row))?;
                let run = Run { observer, ..run.clone() };
                let outcome = catch_panic(|| {
                    cell::run(&protocol, method, &run, &fold, comparison.plan.curves)
                });
                let mut cell = comparison.blank(row, fold.number, group.seed);
                match outcome {
                    Ok(found) => {
                        cell.outcome = CellOutcome::Done(Box::new(found));
                        self.folder.save(&file_name(row, &cell), &cell)?;
                    }
                    Err(stopped @ Error::Stopped(_)) => return Err(stopped),
                    Err(error) => cell.outcome = CellOutcome::Failed(error.to_string()),
                }
                let mut ended = lock(&ended);
                (self.on_event)(&ComparisonEvent::CellFinished(&cell, ended.len() + 1, total));
                ended.push((row, cell));
                drop(ended);
                progress.end(unit, true)?;
            }
            Ok(())
        })?;
        let mut cells = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        cells.sort_by_key(|(row, cell)| (*row, cell.fold, cell.seed));
        Ok((cells.into_iter().map(|(_, cell)| cell).collect(), progress))
    }

    /// The progress of the cells of these groups, and of the bootstrap samples that follow them.
    fn progress(&self, groups: &[CellGroup]) -> Arc<ParallelUnits<WorkKind>> {
        let (comparison, plan) = (self.comparison, &self.comparison.plan);
        let cells = groups.iter().flat_map(|group| &group.rows).map(|&row| WorkKind::Cell(row));
        let mut units: Vec<WorkKind> = cells.collect();
        if plan.bootstraps > 0 {
            let rows = comparison.groups().into_iter().filter(|group| group.seed == plan.seed);
            let selects = |row: &usize| comparison.rows[*row].1.selecting.is_some();
            let rows = rows.flat_map(|group| group.rows).filter(selects);
            units.extend(rows.map(WorkKind::Samples));
        }
        ParallelUnits::new(self.run.observer.clone(), "comparing", self.jobs, units)
    }

    /// A completed cell, if it was saved and is not damaged.
    fn found(&self, row: usize, fold: usize, seed: u64) -> Option<ComparisonCell> {
        let blank = self.comparison.blank(row, fold, seed);
        let name = file_name(row, &blank);
        let again = |why: String| self.note(format!("cells/{name} will be rerun: {why}"));
        match self.folder.load::<ComparisonCell>(&name) {
            Ok(Some(cell))
                if ComparisonCell { outcome: blank.outcome.clone(), ..cell.clone() } == blank =>
            {
                Some(cell)
            }
            Ok(Some(_)) => {
                again("it belongs to a different cell".into());
                None
            }
            Ok(None) => None,
            Err(error) => {
                again(error.to_string());
                None
            }
        }
    }

    /// The selections of all methods on bootstrap samples of the training queries.
    pub fn resamples(
        &self,
        cells: &[ComparisonCell],
        progress: &Arc<ParallelUnits<WorkKind>>,
    ) -> Result<Vec<Resample>> {
        let comparison = self.comparison;
        let (count, seed) = (comparison.plan.bootstraps, comparison.plan.seed);
        if count == 0 {
            return Ok(Vec::new());
        }
        let groups: Vec<CellGroup> =
            comparison.groups().into_iter().filter(|group| group.seed == seed).collect();
        let found = Mutex::new(Vec::new());
        self.in_parallel(&groups, |group| {
            let cache = SelectionCache::default();
            for &row in &group.rows {
                let (plan, method) = &comparison.rows[row];
                let Some(selecting) = &method.selecting else { continue };
                let fold = comparison.source.get(group.fold)?;
                let of_cell = |cell: &&ComparisonCell| {
                    cell.method == plan.name && cell.fold == fold.number && cell.seed == seed
                };
                let Some(CellOutcome::Done(done)) =
                    cells.iter().find(of_cell).map(|cell| &cell.outcome)
                else {
                    continue;
                };
                let (observer, unit) = progress.begin(WorkKind::Samples(row))?;
                let name = format!("draws-fold{}-{}.json", fold.number, slug(row, &plan.name));
                let saved =
                    self.folder.load::<bootstrap::BootstrapSelections>(&name).unwrap_or_default();
                let saved = saved.filter(|saved| saved.selected.len() as u64 == count);
                let is_new = saved.is_none();
                let drawn = match saved {
                    Some(saved) => saved,
                    None => {
                        let run = Run { seed, observer, ..self.run.clone() };
                        let selected = catch_panic(|| {
                            bootstrap::select_from_samples(
                                count, selecting, done, &run, &fold, &cache,
                            )
                        })?;
                        let drawn = bootstrap::BootstrapSelections {
                            method: plan.name.clone(),
                            fold: fold.number,
                            selected,
                        };
                        self.folder.save(&name, &drawn)?;
                        drawn
                    }
                };
                let failed = drawn.selected.iter().filter_map(|one| one.as_ref().err());
                if let Some(why) = failed.clone().next() {
                    let failed = failed.count();
                    self.note(format!(
                        "{}, fold {}: {failed} of {count} bootstrap samples failed: {why}",
                        plan.name, fold.number
                    ));
                }
                lock(&found).push((row, drawn));
                progress.end(unit, is_new)?;
            }
            Ok(())
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|(row, drawn)| (*row, drawn.fold));
        Ok(found.iter().flat_map(|(_, drawn)| drawn.resamples()).collect())
    }

    /// The recommendation of `auto` on all data with the first ranker, if requested. It takes far
    /// longer than a cell: `auto` reports stages of its own, after those of the comparison.
    pub fn recommendation(&self) -> Result<Option<Box<Selection>>> {
        const NAME: &str = "recommendation.json";
        let comparison = self.comparison;
        let first = comparison.rows.iter().find(|(row, _)| row.ranker.is_some());
        let (true, Some((row, _))) = (comparison.plan.recommend, first) else { return Ok(None) };
        if let Ok(Some(saved)) = self.folder.load(NAME) {
            return Ok(Some(saved));
        }
        self.run.step("recommending", 0, None)?;
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
        let made = catch_panic(|| {
            let engine =
                LocalEngine::new(all_queries(&comparison.source)?, rayon::current_num_threads())?;
            let engine = engine.observed_by(run.observer.clone());
            let job = SelectionJob::new(registry::selector(auto::NAME)?, settings, run);
            job.sources(comparison.sources.clone()).run(&engine)
        });
        match made {
            Ok(SelectionOutcome { selection, .. }) => {
                self.folder.save(NAME, &selection)?;
                Ok(Some(Box::new(selection)))
            }
            Err(stopped @ Error::Stopped(_)) => Err(stopped),
            Err(error) => {
                self.note(format!("no recommendation: {error}"));
                Ok(None)
            }
        }
    }

    /// Processes items on `jobs` threads. After the first error no new items start.
    fn in_parallel<T: Sync>(
        &self,
        pieces: &[T],
        work: impl Fn(&T) -> Result<()> + Sync,
    ) -> Result<()> {
        let (next, over, failure) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
        let on_thread = || {
            while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = work(piece) {
                    over.store(true, Ordering::Relaxed);
                    lock(&failure).get_or_insert(error);
                }
                if over.load(Ordering::Relaxed) {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(pieces.len()) {
                let started = std::thread::Builder::new().spawn_scoped(scope, on_thread);
                if let Err(error) = started {
                    over.store(true, Ordering::Relaxed);
                    lock(&failure).get_or_insert(Error::threads(self.jobs, error));
                }
            }
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Converts a panic into an error, so that it fails only its cell.
fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Error::internal(format!("a defect in featherank: {words}"), REPORT_DEFECT))
    })
}

#[cfg(test)]
mod tests;
