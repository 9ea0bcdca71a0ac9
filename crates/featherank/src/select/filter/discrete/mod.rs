//! Discrete data, the input of the filters that come from classification.
//!
//! These filters use classes and categories, not queries and ranks: all documents are pooled, each
//! distinct label is a class, and each feature becomes a column of interval numbers ([`mdl`]). The
//! filters then use counts: the uncertainty of two columns ([`uncertainty`]), and the groups of
//! documents that a set of columns cannot distinguish ([`groups`]).

pub mod groups;
pub mod mdl;
pub mod uncertainty;

use rayon::prelude::*;

use crate::data::{Dataset, FeatureId};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::remedy;
use crate::run::Run;
use crate::select::rows::rows;
use mdl::{Cut, Encoding, Entropies};

/// The largest number of distinct labels: every candidate cut iterates over the counts of all
/// classes.
const MOST_CLASSES: usize = 256;

/// Features whose values are sorted at the same time; limits memory, and the time until a run
/// reacts to cancellation.
const AT_A_TIME: usize = 16;

/// One column of small integers, one per document.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteColumn {
    codes: Vec<u16>,
    bins: usize,
    cuts: Vec<f64>,
}

impl DiscreteColumn {
    /// A column that is already discrete.
    pub fn from_codes(codes: Vec<u16>) -> Self {
        let bins = codes.iter().max().map_or(0, |&most| usize::from(most)) + 1;
        DiscreteColumn { codes, bins, cuts: Vec::new() }
    }

    fn cut(values: &[f32], cuts: &[Cut]) -> Option<Self> {
        let last = u16::try_from(cuts.len()).ok()?;
        let code = |value: &f32| cuts.partition_point(|cut| cut.below < *value) as u16;
        Some(DiscreteColumn {
            codes: values.iter().map(code).collect(),
            bins: usize::from(last) + 1,
            cuts: cuts.iter().map(|cut| cut.at).collect(),
        })
    }

    /// The interval number of each document.
    pub fn codes(&self) -> &[u16] {
        &self.codes
    }

    /// The number of intervals.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// The borders between intervals; a value equal to a border belongs to the interval below it.
    pub fn cuts(&self) -> &[f64] {
        &self.cuts
    }
}

/// Classes and discrete features of pooled documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Discrete {
    classes: DiscreteColumn,
    columns: Vec<Option<DiscreteColumn>>,
}

impl Discrete {
    /// Features and classes that are already discrete.
    pub fn from_codes(columns: Vec<Vec<u16>>, classes: Vec<u16>) -> Self {
        let columns =
            columns.into_iter().map(|codes| Some(DiscreteColumn::from_codes(codes))).collect();
        Discrete { classes: DiscreteColumn::from_codes(classes), columns }
    }

    /// Discretises these features of the engine's rows.
    pub fn of(
        run: &Run,
        engine: &dyn Engine,
        features: &[FeatureId],
        encoding: Encoding,
    ) -> Result<Self> {
        let data = rows("discretising features", engine)?;
        let classes = classes(data)?;
        let entropies = Entropies::up_to(data.documents());
        let mut columns = vec![None; data.features().len()];
        let total = Some(features.len() as u64);
        for (done, some) in (1..).zip(features.chunks(AT_A_TIME)) {
            let cut = some.par_iter().map(|&f| {
                let values = data.column(f);
                let cuts = mdl::cuts(values, &classes.codes, classes.bins, encoding, &entropies);
                DiscreteColumn::cut(values, &cuts).ok_or_else(|| too_many_cuts(data, f))
            });
            for (&f, column) in some.iter().zip(cut.collect::<Result<Vec<_>>>()?) {
                columns[f.index()] = Some(column);
            }
            let done = (done * AT_A_TIME).min(features.len());
            run.step("discretising features", done as u64, total)?;
        }
        Ok(Discrete { classes, columns })
    }

    /// The number of documents.
    pub fn documents(&self) -> usize {
        self.classes.codes.len()
    }

    /// The class of each document.
    pub fn classes(&self) -> &DiscreteColumn {
        &self.classes
    }

    /// A feature's column.
    ///
    /// # Panics
    /// If the feature is not among those that were discretised.
    #[allow(clippy::expect_used, reason = "methods ask for the features they handed in")]
    pub fn column(&self, feature: FeatureId) -> &DiscreteColumn {
        self.columns[feature.index()].as_ref().expect("a feature that was made discrete")
    }

    fn columns(&self) -> &[Option<DiscreteColumn>] {
        &self.columns
    }
}

fn classes(data: &Dataset) -> Result<DiscreteColumn> {
    let mut distinct = data.labels().to_vec();
    distinct.sort_by(f32::total_cmp);
    distinct.dedup();
    if distinct.len() > MOST_CLASSES {
        return Err(Error::unsupported(
            format!("each distinct label is a class, and there are {} of them", distinct.len()),
            format!("round the labels to at most {MOST_CLASSES} grades, or use another method"),
        ));
    }
    let code = |label: &f32| distinct.partition_point(|class| class < label) as u16;
    Ok(DiscreteColumn {
        codes: data.labels().iter().map(code).collect(),
        bins: distinct.len().max(1),
        cuts: Vec::new(),
    })
}

fn too_many_cuts(data: &Dataset, feature: FeatureId) -> Error {
    Error::unsupported(
        format!(
            "feature {} is split into more than 65,536 intervals",
            data.features().label(feature)
        ),
        remedy![
            "name it in ",
            Drop,
            "; for fewer intervals, ",
            ParameterValue("encoding", "plain").set()
        ],
    )
}
