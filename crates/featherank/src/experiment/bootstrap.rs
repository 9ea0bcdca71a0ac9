//! Selections on bootstrap samples of the training queries, to measure stability.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::method::{ConfiguredSelector, SelectionCache};
use super::{CompletedCell, Resample};
use crate::data::folds::Fold;
use crate::data::{Dataset, Queries};
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use crate::rank::tune::Settings;
use crate::run::{Constraints, Run};

/// The selections of one method on the bootstrap samples of one fold, as saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct BootstrapSelections {
    pub method: String,
    pub fold: usize,
    /// The selected features of each sample, or the error.
    pub selected: Vec<std::result::Result<Vec<u32>, String>>,
}

impl BootstrapSelections {
    /// The successful selections.
    pub fn resamples(&self) -> impl Iterator<Item = Resample> {
        (1..).zip(&self.selected).filter_map(|(draw, selected)| {
            let features = selected.as_ref().ok()?.clone();
            Some(Resample { method: self.method.clone(), fold: self.fold, draw, features })
        })
    }
}

/// Selects on `count` bootstrap samples of a fold's training queries, with the parameters that were
/// chosen on validation data.
pub(super) fn select_from_samples(
    count: u64,
    selecting: &ConfiguredSelector,
    done: &CompletedCell,
    run: &Run,
    fold: &Fold,
    cache: &SelectionCache,
) -> Result<Vec<std::result::Result<Vec<u32>, String>>> {
    let chosen = done.selecting.iter().filter(|(name, _)| *name != "k");
    let fixed: Settings = chosen.map(|(name, value)| (name.clone(), value.clone())).collect();
    let k = done.selecting.get("k").and_then(|k| k.parse().ok());
    let selecting =
        ConfiguredSelector { fixed, grid: Vec::new(), sizes: Vec::new(), ..selecting.clone() };
    let run = Run { constraints: Constraints { k, ..run.constraints.clone() }, ..run.clone() };
    let of_draw = |index: u64| {
        let train = bootstrap_sample(&fold.train, run.seed, fold.number, index);
        let fold = Fold { train, ..fold.clone() };
        let run = run.within("selecting from samples", index - 1, count);
        match selecting.select(&run, &fold, cache) {
            Ok((mut all, _)) => {
                let features = all.pop().map(|selected| selected.selection.selected);
                Ok(Ok(features.into_iter().flatten().map(|chosen| chosen.id).collect()))
            }
            Err(stopped @ Error::Stopped(_)) => Err(stopped),
            Err(error) => Ok(Err(error.to_string())),
        }
    };
    (1..=count).map(of_draw).collect()
}

/// A bootstrap sample of the queries. Repeated queries get unique ids, because methods identify
/// queries by id.
fn bootstrap_sample(data: &Dataset, seed: u64, fold: usize, index: u64) -> Dataset {
    let count = data.queries().len();
    let mut random = stream(seed, Purpose::Bootstrap, (fold as u64) << 32 | index);
    let mut queries: Vec<usize> = (0..count).map(|_| random.random_range(0..count)).collect();
    queries.sort_unstable();
    let sample = data.subset(&queries);
    let mut ids: Vec<String> = Vec::with_capacity(count);
    let mut copy = 1;
    for (i, &query) in queries.iter().enumerate() {
        copy = if i > 0 && queries[i - 1] == query { copy + 1 } else { 1 };
        let id = data.queries().id(query);
        ids.push(if copy == 1 { id.to_owned() } else { format!("{id} (copy {copy})") });
    }
    let sizes: Vec<usize> = sample.queries().sizes().collect();
    sample.with_queries(Queries::new(&sizes, ids))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};

    #[test]
    fn samples_are_reproducible_and_differ_by_index() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        let [one, again, other] =
            [(1, 1), (1, 1), (1, 2)].map(|(fold, index)| bootstrap_sample(&data, 7, fold, index));
        assert_eq!(one, again);
        assert_ne!(one, other);
        assert_eq!(one.queries().len(), data.queries().len());
        let mut ids = one.queries().ids().to_vec();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), data.queries().len(), "every copy has a unique id");
        assert!(ids.iter().any(|id| id.ends_with("(copy 2)")));
    }
}
