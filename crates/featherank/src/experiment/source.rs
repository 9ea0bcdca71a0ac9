//! The source of folds. All folds stay in memory if they fit; otherwise only those in use.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::memory;
use crate::data::folds::{Fold, FoldFiles, fold_of_parts, query_parts, rotate};
use crate::data::read::read_until;
use crate::data::{Dataset, ReadOptions};
use crate::error::{Error, Result};
use crate::remedy;
use crate::stop::StopToken;

/// Folds that are read on demand.
pub struct FoldSource {
    origin: FoldOrigin,
    options: ReadOptions,
    cached: Vec<Mutex<CachedFold>>,
    /// Stops reading.
    stop: StopToken,
    /// Bytes left for folds that stay in memory.
    cache_left: Mutex<u64>,
}

enum FoldOrigin {
    Files(Vec<FoldFiles>),
    Split { data: Dataset, parts: Vec<Vec<usize>> },
}

#[derive(Default)]
struct CachedFold {
    used: Weak<Fold>,
    always: Option<Arc<Fold>>,
}

impl FoldSource {
    /// The default number of folds of one file.
    pub const FOLDS: usize = 5;

    /// Finds the folds of a LETOR folder, of three or more part files, or of one file whose queries
    /// are split into `folds` parts (five by default) by `seed`.
    pub fn find(
        paths: &[PathBuf],
        folds: Option<usize>,
        seed: u64,
        options: &ReadOptions,
    ) -> Result<Self> {
        Self::find_until(paths, folds, seed, options, &StopToken::default())
    }

    /// Like [`find`](Self::find); reading, now and later, is an error if the token is stopped.
    pub fn find_until(
        paths: &[PathBuf],
        folds: Option<usize>,
        seed: u64,
        options: &ReadOptions,
        stop: &StopToken,
    ) -> Result<Self> {
        let origin = match paths {
            [file] if !file.is_dir() => {
                let data = read_until(&[file], options, stop)?;
                let source = Self::split(data, folds.unwrap_or(Self::FOLDS), seed)?;
                return Ok(source.stopped_by(stop));
            }
            _ if folds.is_some() => {
                return Err(Error::protocol(
                    "the data is already split into folds, and a number of folds was given",
                    remedy!["leave out ", Folds, ", which splits a single file"],
                ));
            }
            [folder] => FoldOrigin::Files(FoldFiles::find(folder)?),
            [] | [_, _] => {
                return Err(Error::protocol(
                    format!("{} data files cannot be split into folds", paths.len()),
                    "name a folder with folds, three or more part files, or one file",
                ));
            }
            parts => FoldOrigin::Files(rotate(parts)?),
        };
        Ok(Self::new(origin, options.clone()).stopped_by(stop))
    }

    /// Splits the queries of a data set into `folds` parts by `seed`.
    pub fn split(data: Dataset, folds: usize, seed: u64) -> Result<Self> {
        let parts = query_parts(&data, folds, seed)?;
        Ok(Self::new(FoldOrigin::Split { data, parts }, ReadOptions::default()))
    }

    /// The same; reading and splitting are an error if the token is stopped.
    #[must_use]
    pub fn stopped_by(self, stop: &StopToken) -> Self {
        FoldSource { stop: stop.clone(), ..self }
    }

    fn new(origin: FoldOrigin, options: ReadOptions) -> Self {
        let count = match &origin {
            FoldOrigin::Files(files) => files.len(),
            FoldOrigin::Split { parts, .. } => parts.len(),
        };
        let cached = (0..count).map(|_| Mutex::default()).collect();
        // A quarter of the free memory; methods and other processes need the rest.
        let cache_left = Mutex::new(memory::free().unwrap_or(1 << 32) / 4);
        FoldSource { origin, options, cached, stop: StopToken::default(), cache_left }
    }

    /// The number of folds.
    pub fn len(&self) -> usize {
        self.cached.len()
    }

    /// Whether there are no folds.
    pub fn is_empty(&self) -> bool {
        self.cached.is_empty()
    }

    /// Reads a fold; the first one has index 0.
    pub fn read(&self, index: usize) -> Result<Fold> {
        match &self.origin {
            FoldOrigin::Files(files) => files[index].read_until(&self.options, &self.stop),
            FoldOrigin::Split { data, parts } => fold_of_parts(data, parts, index, &self.stop),
        }
    }

    /// Returns a fold from memory, or reads it; the first one has index 0.
    pub(super) fn get(&self, index: usize) -> Result<Arc<Fold>> {
        let mut cached = self.cached[index].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fold) = cached.used.upgrade() {
            return Ok(fold);
        }
        let fold = Arc::new(self.read(index)?);
        cached.used = Arc::downgrade(&fold);
        let mut cache_left = self.cache_left.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = cache_left.checked_sub(bytes(&fold)) {
            *cache_left = left;
            cached.always = Some(fold.clone());
        }
        Ok(fold)
    }
}

/// The size of a fold in memory, in bytes.
pub(super) fn bytes(fold: &Fold) -> u64 {
    let values = |data: &Dataset| data.documents() * (data.features().len() + 1);
    4 * [&fold.train, &fold.valid, &fold.test].map(values).iter().sum::<usize>() as u64
}

/// The queries of all folds without duplicates, in the order of the test parts.
pub(super) fn all_queries(source: &FoldSource) -> Result<Dataset> {
    let mut seen = std::collections::BTreeSet::new();
    let mut all: Option<Dataset> = None;
    let folds: Vec<Arc<Fold>> =
        (0..source.len()).map(|index| source.get(index)).collect::<Result<_>>()?;
    let part = |which: usize, fold: &Arc<Fold>| match which {
        0 => fold.test.clone(),
        1 => fold.valid.clone(),
        _ => fold.train.clone(),
    };
    for data in (0..3).flat_map(|which| folds.iter().map(move |fold| part(which, fold))) {
        let new: Vec<usize> = (0..data.queries().len())
            .filter(|&q| seen.insert(data.queries().id(q).to_owned()))
            .collect();
        if !new.is_empty() {
            let new = data.subset(&new);
            all = Some(all.map_or(new.clone(), |all| all.joined(&new)));
        }
    }
    all.ok_or_else(|| {
        Error::nothing_counts("the data has no queries", "use data with at least one query")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::data::{WriteOptions, write};

    #[test]
    fn one_file_is_split_into_folds_without_losing_queries() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.txt");
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        write(&data, &path, &WriteOptions::default()).unwrap();
        let find =
            |paths: &[PathBuf], folds| FoldSource::find(paths, folds, 1, &ReadOptions::default());
        let source = find(std::slice::from_ref(&path), Some(4)).unwrap();
        assert_eq!(source.len(), 4);
        assert_eq!(all_queries(&source).unwrap().queries().len(), data.queries().len());
        let again = source.get(0).unwrap();
        assert!(Arc::ptr_eq(&again, &source.get(0).unwrap()), "read once");
        assert!(find(&[path.clone(), path.clone()], None).is_err());
        assert_eq!(find(&[path.clone(), path.clone(), path.clone()], None).unwrap().len(), 3);
        assert!(find(&[path.clone(), path.clone(), path], Some(3)).is_err());
        assert!(find(&[], None).is_err());
    }
}
