//! The driver of a comparison, used by the command and by Python.
//!
//! A [`ComparisonJob`] holds everything that a comparison needs. Creating it checks the plan and
//! opens the folder of the results, before any data is read; [`ComparisonJob::open`] reads the
//! data.

use std::path::{Path, PathBuf};

use super::folder::ResultsFolder;
use super::plan::{DataPlan, Plan};
use super::source::FoldSource;
use super::{Comparison, EventHandler, Results};
use crate::data::{
    Costs, DataSources, Dataset, PathRole, PathUse, ReadOptions, check_paths, read_costs,
};
use crate::error::{Error, Result};
use crate::run::{Run, StopToken};

/// The data of a comparison.
pub enum ComparisonData {
    /// Rows in memory, and the number of folds to split their queries into; five by default.
    Rows(Dataset, Option<usize>),
    /// Files, as [`FoldSource::find`] accepts them.
    Files {
        /// A LETOR folder, three or more part files, or one file.
        paths: Vec<PathBuf>,
        /// The number of folds to split one file into; five by default.
        folds: Option<usize>,
        /// How to read them.
        options: ReadOptions,
    },
}

impl ComparisonData {
    /// Returns an error if a file that is read would be replaced by one in the folder of results.
    fn check_output(&self, folder: &Path) -> Result<()> {
        let ComparisonData::Files { paths, options, .. } = self else { return Ok(()) };
        let side_files = [&options.groups, &options.names, &options.judgments];
        let inputs = paths.iter().chain(side_files.into_iter().flatten());
        let inputs = inputs.map(|path| PathUse::new("the data", path, PathRole::Input));
        let role = PathRole::OutputFolder(ResultsFolder::REPLACED);
        let output = PathUse::new("the results", folder, role);
        check_paths(&inputs.chain([output]).collect::<Vec<_>>())
    }
}

/// The costs of features.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum FeatureCosts {
    /// 1 for each feature.
    #[default]
    Equal,
    /// In a file, see [`read_costs`].
    File(PathBuf),
    /// In the order of ids, which is that of the columns of a file.
    Values(Vec<f64>),
}

/// A comparison to run.
///
/// ```
/// use featherank::data::synth::{Preset, generate};
/// use featherank::experiment::{ComparisonData, ComparisonJob, Plan};
/// use featherank::run::{Constraints, Run};
///
/// let text = "title = 'One filter'\nmethods = ['top-k[k=3]']\nrankers = ['rankrls']";
/// let plan = Plan::parse(text)?;
/// let (data, _) = generate(&Preset::Tiny.config())?;
/// let data = ComparisonData::Rows(data, Some(3));
/// # let folder = tempfile::tempdir().unwrap();
/// let job = ComparisonJob::new(plan, Vec::new(), data, &folder.path().join("results"))?;
/// let results_folder = job.folder().clone();
/// let run = Run::new(1, Constraints::default());
/// let comparison = job.open(run.stop())?;
/// let results = comparison.run_and_save(&results_folder, &run, 0, &|_| {})?;
/// assert_eq!(results.methods().len(), 2);
/// assert!(results_folder.path("tables.txt").exists());
/// # Ok::<(), featherank::Error>(())
/// ```
pub struct ComparisonJob {
    plan: Plan,
    title: String,
    command: Vec<String>,
    data: ComparisonData,
    costs: FeatureCosts,
    options: Vec<String>,
    folder: ResultsFolder,
}

impl ComparisonJob {
    /// Checks a plan and opens the folder of its results. `command` holds the arguments that repeat
    /// the comparison.
    pub fn new(
        plan: Plan,
        command: Vec<String>,
        data: ComparisonData,
        folder: &Path,
    ) -> Result<Self> {
        plan.check()?;
        data.check_output(folder)?;
        let title = plan.title.clone();
        let folder = ResultsFolder::open(folder)?;
        let (costs, options) = (FeatureCosts::Equal, Vec::new());
        Ok(ComparisonJob { plan, title, command, data, costs, options, folder })
    }

    /// The comparisons of a plan in a file, one per data set, each in a folder of its own if there
    /// are several. Data is found relative to `root`, by default the folder of the plan.
    pub fn of_plan_file(
        path: &Path,
        root: Option<&Path>,
        options: &ReadOptions,
        command: &[String],
        folder: &Path,
    ) -> Result<Vec<Self>> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        let plan = Plan::parse(&text)?;
        if plan.data.is_empty() {
            return Err(Error::plan(
                format!("the plan {} names no data", path.display()),
                "add [[data]] with a name and a folder",
            ));
        }
        check_folder_names(&plan.data)?;
        let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let root = root.or(beside).unwrap_or(Path::new("."));
        let job = |data: &DataPlan| {
            let folder = match plan.data.len() {
                1 => folder.to_owned(),
                _ => folder.join(folder_name(&data.name)),
            };
            let files = data.files(root, options);
            let job = Self::new(plan.clone(), command.to_vec(), files, &folder)?;
            let title = format!("{}: {}", plan.title, data.name);
            Ok(ComparisonJob { title, ..job })
        };
        plan.data.iter().map(job).collect()
    }

    /// Sets the costs of features.
    #[must_use]
    pub fn costs(self, costs: FeatureCosts) -> Self {
        ComparisonJob { costs, ..self }
    }

    /// Sets the options of the command that say how the files are read, for printed commands.
    #[must_use]
    pub fn reading_options(self, options: Vec<String>) -> Self {
        ComparisonJob { options, ..self }
    }

    /// The files of the data, if commands that read one data set accept them.
    fn sources(&self) -> DataSources {
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).as_ref().unwrap_or(path).display().to_string()
        };
        match &self.data {
            ComparisonData::Files { paths, .. } if paths.iter().all(|path| path.is_file()) => {
                DataSources {
                    train: paths.iter().map(absolute).collect(),
                    costs: match &self.costs {
                        FeatureCosts::File(path) => Some(absolute(path)),
                        _ => None,
                    },
                    options: self.options.clone(),
                    ..DataSources::default()
                }
            }
            _ => DataSources::default(),
        }
    }

    /// The folder of the results.
    pub fn folder(&self) -> &ResultsFolder {
        &self.folder
    }

    /// Reads the data; an error if the token is stopped.
    pub fn open(self, stop: &StopToken) -> Result<Comparison> {
        let (seed, sources) = (self.plan.seed, self.sources());
        let source = match self.data {
            ComparisonData::Rows(data, folds) => {
                FoldSource::split(data, folds.unwrap_or(FoldSource::FOLDS), seed)?.stopped_by(stop)
            }
            ComparisonData::Files { paths, folds, options } => {
                FoldSource::find_until(&paths, folds, seed, &options, stop)?
            }
        };
        let comparison = Comparison::new(self.plan, self.title, self.command, source)?;
        let comparison = comparison.with_sources(sources);
        let costs = match self.costs {
            FeatureCosts::Equal => return Ok(comparison),
            FeatureCosts::File(path) => read_costs(&path, &comparison.features()?)?,
            FeatureCosts::Values(costs) => {
                let features = comparison.features()?;
                if costs.len() != features.len() {
                    let expected = format!("{}, one per feature", features.len());
                    return Err(Error::invalid("number of costs", costs.len(), expected));
                }
                let mut by_feature = vec![1.0; costs.len()];
                for (feature, cost) in features.by_id().into_iter().zip(costs) {
                    by_feature[feature.index()] = cost;
                }
                Costs { values: by_feature, unlisted: Vec::new() }
            }
        };
        Ok(comparison.with_costs(costs))
    }
}

impl Comparison {
    /// [`Comparison::run`], and writes the results and all tables to the folder.
    pub fn run_and_save(
        &self,
        folder: &ResultsFolder,
        run: &Run,
        jobs: usize,
        on_event: EventHandler<'_>,
    ) -> Result<Results> {
        let results = self.run(folder, run, jobs, on_event)?;
        folder.write(&results)?;
        Ok(results)
    }

    /// Whether the same comparison resumes in its folder after this error of a run.
    pub fn resumes_after(error: &Error) -> bool {
        matches!(error, Error::Stopped(_) | Error::Io { .. })
    }
}

/// The name of a data set, restricted to characters that every file system accepts.
fn folder_name(name: &str) -> String {
    let portable = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' };
    name.chars().map(portable).collect()
}

/// Rejects names that would share a folder.
fn check_folder_names(data: &[DataPlan]) -> Result<()> {
    // File systems that ignore case are common.
    let same = |a: &&DataPlan, b: &DataPlan| {
        folder_name(&a.name).to_lowercase() == folder_name(&b.name).to_lowercase()
    };
    for (i, second) in data.iter().enumerate() {
        if let Some(first) = data[..i].iter().find(|first| same(first, second)) {
            return Err(Error::plan(
                format!("the data sets {} and {} share a folder", first.name, second.name),
                "give one of them a name that differs in letters or digits",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};

    fn rows() -> ComparisonData {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        ComparisonData::Rows(data, Some(3))
    }

    #[test]
    fn a_wrong_plan_leaves_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        let plan = Plan::parse("title = 't'\nmethods = ['top-q']").unwrap();
        assert!(ComparisonJob::new(plan, Vec::new(), rows(), &path).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn results_do_not_replace_their_data() {
        let folder = tempfile::tempdir().unwrap();
        let paths = vec![folder.path().join("tables.txt")];
        let data = ComparisonData::Files { paths, folds: None, options: ReadOptions::default() };
        let plan = Plan::parse("title = 't'\nrankers = ['rankrls']").unwrap();
        let error = ComparisonJob::new(plan, Vec::new(), data, folder.path()).err().unwrap();
        assert!(error.to_string().contains("the data and the results are the same file"));
    }

    #[test]
    fn costs_must_fit_the_features() {
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan::parse("title = 't'\nrankers = ['rankrls']").unwrap();
        let job = ComparisonJob::new(plan, Vec::new(), rows(), folder.path()).unwrap();
        let opened = job.costs(FeatureCosts::Values(vec![1.0; 3])).open(&StopToken::default());
        let error = opened.err().unwrap().to_string();
        assert!(error.contains("20, one per feature"), "{error}");
    }

    #[test]
    fn features_without_a_cost_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("costs.txt");
        std::fs::write(&path, "1-19 2\n").unwrap();
        let plan = Plan::parse("title = 't'\nrankers = ['rankrls']").unwrap();
        let job = ComparisonJob::new(plan, Vec::new(), rows(), folder.path()).unwrap();
        let opened = job.costs(FeatureCosts::File(path)).open(&StopToken::default()).unwrap();
        let features = opened.features().unwrap();
        let unlisted: Vec<String> =
            opened.unlisted_costs().iter().map(|&f| features.label(f)).collect();
        assert_eq!(unlisted, ["20"]);
    }

    #[test]
    fn several_data_sets_get_a_folder_and_a_title_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.toml");
        let jobs = |data: &str| {
            let text = format!("title = 't'\nrankers = ['rankrls']\n{data}");
            std::fs::write(&path, text).unwrap();
            let options = ReadOptions::default();
            ComparisonJob::of_plan_file(&path, None, &options, &[], &folder.path().join("out"))
        };
        assert!(jobs("").err().unwrap().to_string().contains("names no data"));
        let found = jobs("data = [{ name = 'a/b', folder = 'x' }, { name = 'c' }]").unwrap();
        let names: Vec<(&str, PathBuf)> =
            found.iter().map(|job| (job.title.as_str(), job.folder().path(""))).collect();
        let out = folder.path().join("out");
        assert_eq!(names, [("t: a/b", out.join("a_b/")), ("t: c", out.join("c/"))]);
        let shared = jobs("data = [{ name = 'a/b', folder = 'x' }, { name = 'A_b' }]");
        let shared = shared.err().unwrap().to_string();
        assert!(shared.contains("a/b and A_b share a folder"), "{shared}");
        let one = jobs("data = [{ name = 'a', files = ['x.txt'] }]").unwrap();
        assert_eq!((one[0].title.as_str(), one[0].folder().path("")), ("t: a", out.join("")));
    }
}
