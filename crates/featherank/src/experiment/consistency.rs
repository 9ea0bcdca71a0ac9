//! Consistency of results, which may have been merged or edited by other programs.

use std::collections::HashSet;

use super::{FeatureSimilarity, FoldData, Results};
use crate::error::{Error, Result};

impl Results {
    /// Describes the first contradiction: values that do not match queries or measures, cells
    /// without a fold, and folds or cells that occur twice.
    pub fn contradiction(&self) -> Option<String> {
        self.checked().err()
    }

    /// Returns an error if the results are inconsistent: tables of them would be wrong.
    pub(super) fn check(&self) -> Result<()> {
        match self.contradiction() {
            None => Ok(()),
            Some(what) => Err(Error::mismatch(
                format!("inconsistent results: {what}"),
                "use the results of one experiment as featherank wrote them",
            )),
        }
    }

    fn checked(&self) -> Result<(), String> {
        let mut folds = HashSet::new();
        for fold in &self.folds {
            let name = format!("fold {}", fold.number);
            if !folds.insert(fold.number) {
                return Err(format!("{name} occurs twice"));
            }
            for (baseline, values) in &fold.baselines {
                same(&format!("baseline `{baseline}` of {name}"), values.len(), fold)?;
            }
        }
        if self.measures.is_empty() && self.done().next().is_some() {
            return Err("values of no measure".into());
        }
        let mut cells = HashSet::new();
        for cell in &self.cells {
            if !cells.insert((&cell.method, cell.fold, cell.seed)) {
                let (method, fold, seed) = (&cell.method, cell.fold, cell.seed);
                return Err(format!("`{method}` on fold {fold} with seed {seed} occurs twice"));
            }
        }
        for (cell, done) in self.done() {
            let name = format!("`{}` on fold {}", cell.method, cell.fold);
            let Some(fold) = self.folds.iter().find(|fold| fold.number == cell.fold) else {
                return Err(format!("{name} belongs to no fold"));
            };
            let (found, wanted) = (done.test.len(), self.measures.len());
            if found != wanted {
                return Err(format!(
                    "{name} has values of {found} measures, and there are {wanted}"
                ));
            }
            done.test.iter().try_for_each(|values| same(&name, values.len(), fold))?;
        }
        self.redundancy.as_ref().map_or(Ok(()), square)
    }
}

fn square(similarity: &FeatureSimilarity) -> Result<(), String> {
    let wanted = similarity.features.len();
    let is_square = similarity.matrix.len() == wanted
        && similarity.matrix.iter().all(|row| row.len() == wanted);
    match is_square {
        true => Ok(()),
        false => Err(format!("the correlations of {wanted} features are not a square matrix")),
    }
}

fn same(what: &str, values: usize, fold: &FoldData) -> Result<(), String> {
    match fold.queries.len() {
        queries if queries == values => Ok(()),
        queries => Err(format!("{what} has {values} values for {queries} queries")),
    }
}
