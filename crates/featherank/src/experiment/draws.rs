//! Draws of queries: what a method selects when chance gives it other training queries of the same
//! kind.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::method::{Selecting, Selections};
use super::{Done, Resample};
use crate::data::folds::Fold;
use crate::data::{Dataset, Queries};
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use crate::rank::tune::Settings;
use crate::run::{Constraints, Run};

/// The draws of one method on one fold, as they are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Draws {
    pub method: String,
    pub fold: usize,
    /// What was selected, draw by draw; why not where it failed.
    pub selected: Vec<std::result::Result<Vec<u32>, String>>,
}

impl Draws {
    /// The draws that gave a selection.
    pub fn resamples(&self) -> impl Iterator<Item = Resample> {
        (1..).zip(&self.selected).filter_map(|(draw, selected)| {
            let features = selected.as_ref().ok()?.clone();
            Some(Resample { method: self.method.clone(), fold: self.fold, draw, features })
        })
    }
}

/// Selects from so many draws of a fold's training queries, with the settings that validation data
/// chose for the fold.
pub(super) fn draw(
    count: u64,
    selecting: &Selecting,
    done: &Done,
    run: &Run,
    fold: &Fold,
    made: &Selections,
) -> Result<Vec<std::result::Result<Vec<u32>, String>>> {
    let chosen = done.selecting.iter().filter(|(name, _)| *name != "k");
    let fixed: Settings = chosen.map(|(name, value)| (name.clone(), value.clone())).collect();
    let k = done.selecting.get("k").and_then(|k| k.parse().ok());
    let selecting = Selecting { fixed, grid: Vec::new(), sizes: Vec::new(), ..selecting.clone() };
    let run = Run { constraints: Constraints { k, ..run.constraints.clone() }, ..run.clone() };
    let of_draw = |index: u64| {
        let train = drawn(&fold.train, run.seed, fold.number, index);
        let fold = Fold { train, ..fold.clone() };
        match selecting.select(&run, &fold, made) {
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

/// As many queries as there are, drawn with replacement. A query that comes again gets a name of
/// its own: methods tell queries by them.
fn drawn(data: &Dataset, seed: u64, fold: usize, index: u64) -> Dataset {
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
    fn draws_differ_and_repeat() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        let [one, again, other] =
            [(1, 1), (1, 1), (1, 2)].map(|(fold, index)| drawn(&data, 7, fold, index));
        assert_eq!(one, again);
        assert_ne!(one, other);
        assert_eq!(one.queries().len(), data.queries().len());
        let mut ids = one.queries().ids().to_vec();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), data.queries().len(), "every copy has a name of its own");
        assert!(ids.iter().any(|id| id.ends_with("(copy 2)")));
    }
}
