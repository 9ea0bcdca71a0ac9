//! A comparison: every row of a plan on every fold with every seed. This file prepares the work;
//! `comparison_run.rs` runs it.

use std::collections::BTreeMap;

use super::comparison_run::ComparisonRun;
use super::folder::{ExperimentIdentity, ResultsFolder};
use super::plan::Plan;
use super::row_plan::RowPlan;
use super::source::{FoldSource, bytes};
use super::{CellOutcome, ComparedMethod, ComparisonCell, FoldData, Protocol, Results};
use super::{fold_data, memory, similarity};
use crate::data::folds::Fold;
use crate::data::{Costs, DataPart, DataSources, FeatureId, FeatureTable, check_parts};
use crate::error::{Error, Result};
use crate::measure::{LabelFrequency, label_frequencies};
use crate::remedy;
use crate::run::{Constraints, Run};

/// A plan with its data, checked and ready to run.
pub struct Comparison {
    title: String,
    command: Vec<String>,
    pub(super) plan: Plan,
    pub(super) rows: Vec<(RowPlan, ComparedMethod)>,
    pub(super) protocol: Protocol,
    pub(super) source: FoldSource,
    costs: Costs,
    pub(super) sources: DataSources,
    /// For the user, before cells run.
    notes: Vec<String>,
}

/// Progress of a comparison.
#[derive(Debug)]
pub enum ComparisonEvent<'a> {
    /// The number of cells that are already complete, and of all cells.
    Started(usize, usize),
    /// A cell has finished; the number of complete cells, and of all cells.
    CellFinished(&'a ComparisonCell, usize, usize),
    /// A note for the user.
    Note(String),
}

/// Receives the events of a comparison.
pub type EventHandler<'a> = &'a (dyn Fn(&ComparisonEvent<'_>) + Sync);

/// A unit of work: the rows that share a selector, or one row without a selector, on one fold with
/// one seed.
pub(super) struct CellGroup {
    pub rows: Vec<usize>,
    pub fold: usize,
    pub seed: u64,
}

/// The maximum number of seeds, and of bootstrap samples.
const MOST_SEEDS: u64 = 10_000;

/// Memory that a cell needs besides copies of its data.
const CELL_OVERHEAD: u64 = 64 << 20;

impl Comparison {
    /// Checks a plan. `command` holds the arguments that repeat it.
    pub fn new(
        plan: Plan,
        title: String,
        command: Vec<String>,
        source: FoldSource,
    ) -> Result<Self> {
        // Every fold has all queries, so that its labels are those of the data.
        let (plan, note) = plan.for_labels(&all_labels(&*source.get(0)?))?;
        let rows = plan.crossed()?;
        let with_method = |row: RowPlan| Ok((row.clone(), row.checked_method()?));
        let rows: Vec<(RowPlan, ComparedMethod)> =
            rows.into_iter().map(with_method).collect::<Result<_>>()?;
        let protocol = plan.protocol()?;
        for seeds in rows.iter().map(|(row, _)| plan.seeds_of(row)).chain([plan.seeds]) {
            if !(1..=MOST_SEEDS).contains(&seeds) {
                let expected = format!("1 to {MOST_SEEDS}");
                return Err(Error::invalid("number of seeds", seeds, expected));
            }
        }
        let most = rows.iter().map(|(row, _)| plan.seeds_of(row)).max().unwrap_or(1);
        if plan.seed.checked_add(most - 1).is_none() {
            let expected = format!("at most {} with {most} seeds", u64::MAX - (most - 1));
            return Err(Error::invalid("seed", plan.seed, expected));
        }
        if plan.bootstraps > MOST_SEEDS {
            let expected = format!("0 to {MOST_SEEDS}");
            return Err(Error::invalid("number of bootstrap samples", plan.bootstraps, expected));
        }
        if plan.recommend && rows.iter().all(|(row, _)| row.ranker.is_none()) {
            return Err(Error::plan(
                "a recommendation needs a ranker, and none is given",
                remedy!["name a ranker with ", Rankers],
            ));
        }
        let notes = note.into_iter().collect();
        let (costs, sources) = (Costs::default(), DataSources::default());
        Ok(Comparison { title, command, plan, rows, protocol, source, costs, sources, notes })
    }

    /// The features of the data.
    pub fn features(&self) -> Result<FeatureTable> {
        Ok(self.source.get(0)?.train.features().clone())
    }

    /// Sets the costs of features.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Comparison { costs, ..self }
    }

    /// The features that a file of costs did not list; they cost 1.
    pub fn unlisted_costs(&self) -> &[FeatureId] {
        &self.costs.unlisted
    }

    /// Sets the files of the data, which results and their recommendation record.
    #[must_use]
    pub fn with_sources(self, sources: DataSources) -> Self {
        Comparison { sources, ..self }
    }

    /// Runs the cells that the folder does not contain yet, `jobs` in parallel (0: as many as cores
    /// and memory allow), and returns all results. The observer of `run` may stop it; completed
    /// cells are kept.
    pub fn run(
        &self,
        folder: &ResultsFolder,
        run: &Run,
        jobs: usize,
        on_event: EventHandler<'_>,
    ) -> Result<Results> {
        let note = |note: String| on_event(&ComparisonEvent::Note(note));
        self.notes.iter().cloned().for_each(note);
        let (folds, data, need) = self.examine_folds(run, &note)?;
        let features = self.features()?;
        self.check_sizes(&features)?;
        folder.claim(&self.identity(data))?;
        let run = Run {
            constraints: Constraints { costs: self.costs.values.clone(), ..Constraints::default() },
            ..run.clone()
        };
        let jobs = match jobs {
            0 => memory::jobs(rayon::current_num_threads(), need),
            jobs => jobs,
        };
        let work = ComparisonRun { comparison: self, folder, run: &run, jobs, on_event };
        let (cells, progress) = work.cells(&folds)?;
        let resamples = work.resamples(&cells, &progress)?;
        let recommendation = work.recommendation()?;
        let train = &self.source.get(0)?.train;
        let similar = similarity::feature_similarity(&run, train, &self.protocol.report[0]);
        let redundancy = match similar {
            Err(stopped @ Error::Stopped(_)) => return Err(stopped),
            Err(error) => {
                let note = format!("feature correlations are not available: {error}");
                on_event(&ComparisonEvent::Note(note));
                None
            }
            Ok(found) => Some(found),
        };
        Ok(Results {
            title: self.title.clone(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.clone(),
            sources: self.sources.clone(),
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

    /// Checks and examines every fold: its queries, the fingerprints of its data, and the memory
    /// that a cell needs.
    fn examine_folds(
        &self,
        run: &Run,
        note: &dyn Fn(String),
    ) -> Result<(Vec<FoldData>, Vec<[String; 3]>, u64)> {
        let (mut folds, mut data, mut largest) = (Vec::new(), Vec::new(), 0);
        let features = self.features()?;
        for index in 0..self.source.len() {
            let fold = self.source.get(index)?;
            if *fold.train.features() != features {
                return Err(Error::mismatch(
                    format!("fold {} and fold 1 have different features", fold.number),
                    "use files with the same features in the same order",
                ));
            }
            let parts = [&fold.train, &fold.valid, &fold.test];
            let grade = parts.iter().flat_map(|part| part.labels()).copied().fold(0.0, f32::max);
            let measures = std::iter::once(&self.protocol.choose).chain(&self.protocol.report);
            measures.into_iter().try_for_each(|measure| measure.check_labels(grade))?;
            if let Some(scarce) = self.protocol.choose.scarcity_note(&fold.valid.view()) {
                note(format!("validation data of fold {}: {scarce}", fold.number));
            }
            check_overlap(&fold, note)?;
            folds.push(fold_data::fold_data(run, &fold, &self.protocol.report[0])?);
            let [train, valid, test] = parts.map(|part| {
                run.check()?;
                Ok(part.fingerprint())
            });
            data.push([train?, valid?, test?]);
            largest = largest.max(bytes(&fold));
        }
        // The engine, the ranker and the bins of trees each hold a copy of the rows.
        Ok((folds, data, 3 * largest + CELL_OVERHEAD))
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

    fn identity(&self, data: Vec<[String; 3]>) -> ExperimentIdentity {
        ExperimentIdentity {
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
            costs: self.costs.values.clone(),
            data,
        }
    }

    /// All units of work, ordered by fold, so that folds that do not fit into memory are read once.
    pub(super) fn groups(&self) -> Vec<CellGroup> {
        let mut groups = Vec::new();
        for fold in 0..self.source.len() {
            let most = self.rows.iter().map(|(row, _)| self.plan.seeds_of(row)).max().unwrap_or(0);
            for turn in 0..most {
                let seed = self.plan.seed.wrapping_add(turn);
                let mut known: Vec<&super::SelectPlan> = Vec::new();
                for (i, (row, _)) in self
                    .rows
                    .iter()
                    .enumerate()
                    .filter(|(_, (row, _))| turn < self.plan.seeds_of(row))
                {
                    let Some(select) = &row.select else {
                        groups.push(CellGroup { rows: vec![i], fold, seed });
                        continue;
                    };
                    if known.contains(&select) {
                        continue;
                    }
                    known.push(select);
                    let same_selector = |(_, (other, _)): &(usize, &(RowPlan, ComparedMethod))| {
                        other.select.as_ref() == Some(select) && turn < self.plan.seeds_of(other)
                    };
                    let rows = self
                        .rows
                        .iter()
                        .enumerate()
                        .filter(same_selector)
                        .map(|(i, _)| i)
                        .collect();
                    groups.push(CellGroup { rows, fold, seed });
                }
            }
        }
        groups
    }

    /// A cell before it has run.
    pub(super) fn blank(&self, row: usize, fold: usize, seed: u64) -> ComparisonCell {
        let (plan, _) = &self.rows[row];
        ComparisonCell {
            method: plan.name.clone(),
            selector: plan.selector_expression(),
            ranker: plan.ranker_expression(),
            fold,
            seed,
            outcome: CellOutcome::Failed(String::new()),
        }
    }
}

/// Refuses a fold whose parts share queries, and notes those that look alike.
fn check_overlap(fold: &Fold, note: &dyn Fn(String)) -> Result<()> {
    let part = |name, data| DataPart { name, data };
    let (train, valid) = (part("training", &fold.train), part("validation", &fold.valid));
    let test = part("test", &fold.test);
    for (known, other) in [(train, valid), (train, test), (valid, test)] {
        let help = format!("use parts without common queries; see fold {}", fold.number).into();
        let found = check_parts(known, other, &help)?.notes(known.name, other.name);
        found.into_iter().for_each(|what| note(format!("fold {}: {what}", fold.number)));
    }
    Ok(())
}

/// The labels of all parts of a fold, smallest first.
fn all_labels(fold: &Fold) -> Vec<LabelFrequency> {
    let mut counts: BTreeMap<u32, LabelFrequency> = BTreeMap::new();
    for part in [&fold.train, &fold.valid, &fold.test] {
        for (label, documents) in label_frequencies(&part.view()) {
            // Labels are not negative, so that their bits have their order.
            counts.entry(label.to_bits()).or_insert((label, 0)).1 += documents;
        }
    }
    counts.into_values().collect()
}
