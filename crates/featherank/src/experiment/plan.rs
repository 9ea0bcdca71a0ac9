//! A plan: data sets, selectors and rankers with fixed and tuned parameters. The files in
//! `experiments/` are plans, and `featherank compare` builds one from its arguments.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{ComparisonData, FoldSource, Protocol, RowPlan};
use crate::data::ReadOptions;
use crate::data::folds::Fold;
use crate::error::{Error, Result};
use crate::measure::{LabelFrequency, Measure, RequestedMeasures, Ties};

/// A plan, as written in TOML files.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its title.
    pub title: String,
    /// The measure for choosing parameters on validation data; by default the first of `measures`
    /// with expected-value ties.
    #[serde(default)]
    pub choose: Option<String>,
    /// The measures to report on test data, most important first.
    #[serde(default)]
    pub measures: Vec<String>,
    /// The measures to report if `measures` is empty, by default those of the LETOR tables. Their
    /// thresholds of relevance follow the labels of the data.
    #[serde(default)]
    pub default_measures: Vec<String>,
    /// The first seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// The number of seeds, unless a row sets its own.
    #[serde(default = "one")]
    pub seeds: u64,
    /// The number of bootstrap samples of the training queries for measuring stability.
    #[serde(default)]
    pub bootstraps: u64,
    /// Whether to evaluate other numbers of features on validation data.
    #[serde(default = "yes")]
    pub curves: bool,
    /// Whether to run `auto` on all data for a recommendation.
    #[serde(default)]
    pub recommend: bool,
    /// The data sets.
    #[serde(default)]
    pub data: Vec<DataPlan>,
    /// Selectors to cross with `rankers`, such as `best-gain[delta=0.03]`.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Rankers; `own` is the model trained by the selector itself.
    #[serde(default)]
    pub rankers: Vec<String>,
    /// Numbers of features to choose from on validation data, unless a method sets its own.
    #[serde(default)]
    pub k: Vec<usize>,
    /// Whether to tune the parameters of `rankers` over the values that each declares.
    #[serde(default = "yes")]
    pub tune: bool,
    /// Additional rows.
    #[serde(default)]
    pub rows: Vec<RowPlan>,
}

/// A data set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataPlan {
    /// Its name in tables.
    pub name: String,
    /// Its folder relative to the data root, with folds in a layout that
    /// [`FoldFiles::find`](crate::data::folds::FoldFiles::find) knows.
    #[serde(default)]
    pub folder: Option<String>,
    /// Or its files: three or more parts to rotate, or one file to split into folds.
    #[serde(default)]
    pub files: Vec<String>,
    /// Number of folds to split one file into; five by default.
    #[serde(default)]
    pub folds: Option<usize>,
}

/// The start of a line.
fn cut(line: &str) -> String {
    const LONGEST: usize = 200;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn yes() -> bool {
    true
}

fn one() -> u64 {
    1
}

/// What a plan means by the fields that it leaves out.
impl Default for Plan {
    fn default() -> Self {
        Plan {
            title: "Comparison".into(),
            choose: None,
            measures: Vec::new(),
            default_measures: Vec::new(),
            seed: one(),
            seeds: one(),
            bootstraps: 0,
            curves: yes(),
            recommend: false,
            data: Vec::new(),
            methods: Vec::new(),
            rankers: Vec::new(),
            k: Vec::new(),
            tune: yes(),
            rows: Vec::new(),
        }
    }
}

impl Plan {
    /// Parses a plan.
    pub fn parse(toml: &str) -> Result<Self> {
        toml::from_str(toml).map_err(|error: toml::de::Error| {
            // The message shows the line of the error, which may be of any length.
            let message = error.to_string();
            let lines: Vec<String> = message.trim_end().lines().map(cut).collect();
            Error::plan(
                format!("this is not an experiment plan: {}", lines.join("\n")),
                "a plan is TOML with a title, methods and rankers to compare, and [[data]] tables",
            )
        })
    }

    /// Rejects methods and parameters that do not exist.
    pub fn check(&self) -> Result<()> {
        self.crossed()?.iter().try_for_each(|row| row.checked_method().map(drop))
    }

    /// The measures for choosing parameters and for reporting.
    pub fn protocol(&self) -> Result<Protocol> {
        let letor = Protocol::letor()?;
        let names = if self.measures.is_empty() { &self.default_measures } else { &self.measures };
        let report = names.iter().map(|name| name.parse()).collect::<Result<Vec<Measure>>>()?;
        let choose = match (&self.choose, report.first()) {
            (Some(name), _) => name.parse()?,
            (None, Some(first)) => first.clone().with_ties(Ties::Expected),
            (None, None) => letor.choose,
        };
        Ok(Protocol::new(choose, if report.is_empty() { letor.report } else { report }))
    }

    /// The plan with measures that differ between rankings of data with these labels, and a note if
    /// thresholds of relevance were replaced. An error if a measure that the plan names does not.
    pub(super) fn for_labels(self, labels: &[LabelFrequency]) -> Result<(Self, Option<String>)> {
        let Protocol { choose, report, .. } = self.protocol()?;
        let fitted = |measures: Vec<Measure>, are_named| {
            RequestedMeasures { measures, are_named }.for_labels(labels)
        };
        let report = fitted(report, !self.measures.is_empty())?;
        let choose = fitted(vec![choose], self.choose.is_some() || !self.measures.is_empty())?;
        let Some(note) = report.note.or(choose.note) else { return Ok((self, None)) };
        let names = |measures: &[Measure]| measures.iter().map(ToString::to_string).collect();
        let choose = choose.measures.first().map(ToString::to_string);
        Ok((Plan { measures: names(&report.measures), choose, ..self }, Some(note)))
    }

    /// The number of seeds of a row.
    pub fn seeds_of(&self, row: &RowPlan) -> u64 {
        row.seeds.unwrap_or(self.seeds)
    }
}

impl DataPlan {
    /// Reads all folds relative to the data root.
    pub fn read(&self, root: &Path) -> Result<Vec<Fold>> {
        let source = FoldSource::find(&self.paths(root), self.folds, 1, &ReadOptions::default())?;
        (0..source.len()).map(|fold| source.read(fold)).collect()
    }

    /// The files, as the data of a comparison.
    pub fn files(&self, root: &Path, options: &ReadOptions) -> ComparisonData {
        ComparisonData::Files {
            paths: self.paths(root),
            folds: self.folds,
            options: options.clone(),
        }
    }

    fn paths(&self, root: &Path) -> Vec<PathBuf> {
        self.folder.iter().chain(&self.files).map(|path| root.join(path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_with_a_title_alone_has_the_defaults() {
        let plan = Plan::parse("title = 'Comparison'").unwrap();
        assert_eq!(plan, Plan::default());
    }

    #[test]
    fn invalid_toml_is_refused() {
        let says = |toml: &str| Plan::parse(toml).unwrap_err().to_string();
        assert!(says("").contains("missing field `title`"));
        assert!(says("title = \"t\"\nmethod = [\"top-k\"]").contains("unknown field `method`"));
        assert!(says("title = ").contains("not an experiment plan"));
        let long = says(&format!("title = '{}' x", "t".repeat(100_000)));
        assert!(long.len() < 2_000 && long.contains("not an experiment plan"), "{long}");
    }
}
