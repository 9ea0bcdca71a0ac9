//! A plan of `experiments/` with the figures that its results are compared with, from the file of
//! the same name in `experiments/published/`.

use std::collections::BTreeMap;
use std::path::Path;

use featherank::experiment::{DataPlan, Plan, RowPlan};
use featherank::{Error, Result};
use serde::{Deserialize, Deserializer};

/// MAP, NDCG@1, NDCG@5, NDCG@10 and optionally the number of features, as five-fold test means;
/// `None` (`nan` in files) if a figure was not published.
pub type Figures = Vec<Option<f64>>;

/// A plan and what has been published about its data sets and rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Paper {
    /// The plan.
    pub plan: Plan,
    /// Text before the tables, line by line.
    pub intro: Vec<String>,
    /// Text after the tables, line by line.
    pub remarks: Vec<String>,
    /// The data sets of the plan.
    pub data: Vec<PaperData>,
    /// The rows of the plan.
    pub rows: Vec<PaperRow>,
}

/// A data set of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperData {
    /// Its part of the plan.
    pub plan: DataPlan,
    /// How closely its figures can be compared.
    pub precision: Precision,
}

/// A row of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperRow {
    /// Its part of the plan.
    pub plan: RowPlan,
    /// What it is compared with.
    pub figures: PublishedFigures,
}

/// How closely the figures of a data set can be compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precision {
    /// Tolerances for the difference of means: two paired standard errors.
    #[serde(deserialize_with = "figures")]
    pub tolerance: Figures,
    /// Whether the published MAP is consistent with the published NDCG, so that it can be compared.
    #[serde(default = "yes")]
    pub published_map: bool,
}

/// What the results of a row are compared with.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PublishedFigures {
    /// Published figures, by data set.
    #[serde(deserialize_with = "figures_by_data")]
    published: BTreeMap<String, Figures>,
    /// Figures of another implementation, by data set.
    #[serde(deserialize_with = "figures_by_data")]
    reference: BTreeMap<String, Figures>,
    /// Published selection time in minutes, by data set.
    minutes: BTreeMap<String, String>,
    /// Published numbers of features per fold and of recurring features, by data set.
    agreement: BTreeMap<String, [String; 2]>,
    /// Features published as recurring, by data set.
    recurs: BTreeMap<String, Vec<u32>>,
    /// A parameter and its value, for a series of rows that are also compared with the first one.
    pub series: Option<(String, String)>,
    /// Rows whose numbers of features are compared with this one.
    pub sparser_than: Vec<String>,
    /// The row to compare with query by query.
    pub against: Option<String>,
    /// Takes minutes.
    pub slow: bool,
    /// Deterministic: every implementation must agree to the last published digit.
    pub exact: bool,
    /// Without figures of another implementation: must reach the published ones.
    pub reaches_published: bool,
}

/// A file of `experiments/published/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    intro: Vec<String>,
    remarks: Vec<String>,
    /// By the name of the data set.
    data: BTreeMap<String, Precision>,
    /// By the name of the row; a row without figures may be missing.
    #[serde(default)]
    rows: BTreeMap<String, PublishedFigures>,
}

impl Paper {
    /// Reads a plan and its published figures.
    pub fn read(path: &Path) -> Result<Self> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))
        };
        let folder = path.parent().unwrap_or(Path::new("")).join("published");
        let published = folder.join(path.file_name().unwrap_or_default());
        Self::parse(&read(path)?, &read(&published)?)
    }

    /// Joins a plan and its published figures by the names of data sets and rows.
    pub fn parse(plan: &str, published: &str) -> Result<Self> {
        let plan = Plan::parse(plan)?;
        let Published { intro, remarks, mut data, mut rows } =
            toml::from_str(published).map_err(|error| {
                refused(&plan, &format!("its published figures: {}", error.to_string().trim_end()))
            })?;
        let with_precision = |set: &DataPlan| match data.remove(&set.name) {
            Some(precision) => Ok(PaperData { plan: set.clone(), precision }),
            None => Err(refused(&plan, &format!("data set {} has no tolerance", set.name))),
        };
        let with_figures = |row: &RowPlan| PaperRow {
            plan: row.clone(),
            figures: rows.remove(&row.name).unwrap_or_default(),
        };
        let paper = Paper {
            intro,
            remarks,
            data: plan.data.iter().map(with_precision).collect::<Result<_>>()?,
            rows: plan.rows.iter().map(with_figures).collect(),
            plan: plan.clone(),
        };
        match data.keys().chain(rows.keys()).next() {
            Some(name) => Err(refused(&plan, &format!("the plan does not contain `{name}`"))),
            None => Ok(paper),
        }
    }
}

impl PublishedFigures {
    /// The published figures for a data set.
    pub fn published(&self, data: &PaperData) -> Option<&Figures> {
        self.published.get(&data.plan.name)
    }

    /// The figures of another implementation for a data set.
    pub fn reference(&self, data: &PaperData) -> Option<&Figures> {
        self.reference.get(&data.plan.name)
    }

    /// The published numbers of features per fold and of recurring features for a data set.
    pub fn agreement(&self, data: &PaperData) -> Option<&[String; 2]> {
        self.agreement.get(&data.plan.name)
    }

    /// The published selection time in minutes for a data set.
    pub fn minutes(&self, data: &PaperData) -> Option<&str> {
        self.minutes.get(&data.plan.name).map(String::as_str)
    }

    /// The features published as recurring for a data set.
    pub fn recurs(&self, data: &PaperData) -> &[u32] {
        self.recurs.get(&data.plan.name).map_or(&[], Vec::as_slice)
    }
}

fn refused(plan: &Plan, what: &str) -> Error {
    Error::plan(
        format!("{}: {what}", plan.title),
        "edit the plan, or the file of the same name in published/",
    )
}

fn yes() -> bool {
    true
}

fn figures<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Figures, D::Error> {
    Ok(printed(Vec::deserialize(from)?))
}

fn figures_by_data<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<BTreeMap<String, Figures>, D::Error> {
    let read = BTreeMap::<String, Vec<f64>>::deserialize(from)?;
    Ok(read.into_iter().map(|(data, values)| (data, printed(values))).collect())
}

fn printed(values: Vec<f64>) -> Figures {
    values.into_iter().map(|value| Some(value).filter(|value| !value.is_nan())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_without_a_row_are_refused() {
        let plan = "title = \"t\"\n[[data]]\nname = \"d\"\n[[rows]]\nname = \"a\"";
        let rest = "intro = []\nremarks = []\n[data.d]\ntolerance = [0.1]\n";
        let says = |published: &str| Paper::parse(plan, published).unwrap_err().to_string();
        let paper = Paper::parse(plan, &format!("{rest}[rows.a]\npublished.d = [nan, 0.2]"));
        let paper = paper.unwrap();
        assert_eq!(
            paper.rows[0].figures.published(&paper.data[0]),
            Some(&vec![None, Some(0.2)]),
            "nan is a figure that was not published"
        );
        assert!(says(&format!("{rest}[rows.b]\nslow = true")).contains("`b`"));
        assert!(says(&format!("{rest}[rows.a]\nsloww = true")).contains("sloww"));
        assert!(says("intro = []\nremarks = []\n[data]").contains("d has no tolerance"));
    }
}
