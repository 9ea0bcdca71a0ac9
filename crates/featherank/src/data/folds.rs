//! Folds: the five of LETOR, as folders or as parts to rotate, and query-grouped k-fold of any
//! data.
//!
//! LETOR rotates five parts: fold 1 trains on S1, S2, S3, validates on S4 and tests on S5; fold 2
//! starts at S2; and so on. Three or more parts rotate in the same way.

use std::path::{Path, PathBuf};

use rand::seq::SliceRandom;

use super::dataset::Dataset;
use super::read::{Format, ReadOptions, read_like_until, read_until};
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use crate::stop::StopToken;

/// One fold's data.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The number of the fold, from 1.
    pub number: usize,
    /// Training data.
    pub train: Dataset,
    /// Validation data, for choosing settings.
    pub valid: Dataset,
    /// Test data, used once.
    pub test: Dataset,
}

/// The files of one fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldFiles {
    /// The number of the fold, from 1.
    pub number: usize,
    /// Training files, read one after the other.
    pub train: Vec<PathBuf>,
    /// Validation files.
    pub valid: Vec<PathBuf>,
    /// Test files.
    pub test: Vec<PathBuf>,
}

impl FoldFiles {
    /// Finds the folds of a folder: `Fold1 … /{train,vali,test}.txt`, or five parts `S1.txt …
    /// S5.txt`. A fold with a missing file is an error: otherwise fewer folds would be used
    /// unnoticed.
    pub fn find(folder: &Path) -> Result<Vec<FoldFiles>> {
        let numbers = fold_numbers(folder)?;
        if let Some(&last) = numbers.last() {
            return (1..=last).map(|number| fold_folder(folder, number)).collect();
        }
        let parts: Vec<PathBuf> =
            (1..=5).map_while(|part| data_file(folder, &format!("S{part}"))).collect();
        match parts.len() {
            5 => rotate(&parts),
            found => {
                let help = match found {
                    0 => "provide folders Fold1, Fold2 … with train.txt, vali.txt and test.txt each, \
                          or the five parts S1.txt … S5.txt"
                        .into(),
                    n => format!("part S{} is missing; all five parts S1 … S5 are needed", n + 1),
                };
                Err(Error::protocol(format!("{} holds no folds", folder.display()), help))
            }
        }
    }

    /// Reads training, validation and test data of the fold.
    pub fn read(&self, options: &ReadOptions) -> Result<Fold> {
        self.read_until(options, &StopToken::default())
    }

    /// Like [`read`](Self::read); an error if the token is stopped.
    pub fn read_until(&self, options: &ReadOptions, stop: &StopToken) -> Result<Fold> {
        let train = read_until(&self.train, options, stop)?;
        let name = self.train[0].display().to_string();
        let valid = read_like_until(&self.valid, options, &train, &name, stop)?;
        let test = read_like_until(&self.test, options, &train, &name, stop)?;
        Ok(Fold { number: self.number, train, valid, test })
    }
}

/// The folds of three or more parts: each part is the test data once, the one before it the
/// validation data, and the others the training data.
pub fn rotate(parts: &[PathBuf]) -> Result<Vec<FoldFiles>> {
    let count = parts.len();
    if count < 3 {
        return Err(Error::invalid(
            "number of parts",
            count,
            "at least 3, for training, validation and testing",
        ));
    }
    let part = |i: usize| parts[i % count].clone();
    let fold = |i: usize| FoldFiles {
        number: i + 1,
        train: (i..i + count - 2).map(part).collect(),
        valid: vec![part(i + count - 2)],
        test: vec![part(i + count - 1)],
    };
    Ok((0..count).map(fold).collect())
}

/// The numbers of the folders `Fold1`, `Fold2` …, in ascending order.
fn fold_numbers(folder: &Path) -> Result<Vec<usize>> {
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io("read", folder, e))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let number =
        |name: String| name.strip_prefix("Fold")?.parse().ok().filter(|number| *number > 0);
    let mut numbers: Vec<usize> = names.filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn fold_folder(folder: &Path, number: usize) -> Result<FoldFiles> {
    let folder = folder.join(format!("Fold{number}"));
    let file = |stems: &[&str]| {
        let found = stems.iter().find_map(|stem| data_file(&folder, stem));
        found.map(|path| vec![path]).ok_or_else(|| {
            Error::protocol(
                format!("{} is missing", folder.join(format!("{}.txt", stems[0])).display()),
                "every fold needs train.txt, vali.txt and test.txt",
            )
        })
    };
    let (train, valid) = (file(&["train"])?, file(&["vali", "valid", "validation"])?);
    Ok(FoldFiles { number, train, valid, test: file(&["test"])? })
}

/// The file of that name in any readable format, with plain text first.
fn data_file(folder: &Path, stem: &str) -> Option<PathBuf> {
    let exact = folder.join(format!("{stem}.txt"));
    if exact.is_file() {
        return Some(exact);
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.split('.').next() == Some(stem) && Format::from_name(name).is_some()
        })
        .collect();
    found.sort();
    found.into_iter().next()
}

/// The test queries of each of `folds` folds: a seeded shuffle assigned round-robin, so that sizes
/// differ by at most one and no query is split. The fold of a query depends on its place; see
/// docs/decisions/0048-folds-of-one-file.md.
pub fn k_fold(queries: usize, folds: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if folds < 2 || folds > queries {
        let expected = format!("2 to {queries}, the number of queries");
        return Err(Error::invalid("number of folds", folds, expected));
    }
    let mut order: Vec<usize> = (0..queries).collect();
    order.shuffle(&mut stream(seed, Purpose::Folds, folds as u64));
    let mut parts = vec![Vec::new(); folds];
    order.into_iter().enumerate().for_each(|(i, query)| parts[i % folds].push(query));
    parts.iter_mut().for_each(|part| part.sort_unstable());
    Ok(parts)
}

/// Splits one data set into folds as LETOR does: each part is the test data once, the part before
/// it the validation data, and the others the training data.
pub fn split(data: &Dataset, folds: usize, seed: u64) -> Result<Vec<Fold>> {
    let parts = query_parts(data, folds, seed)?;
    (0..folds).map(|i| fold_of_parts(data, &parts, i, &StopToken::default())).collect()
}

/// Three fifths of the queries for training, one for validation and one for testing: the first of
/// the five folds of [`split`].
pub fn train_valid_test(data: &Dataset, seed: u64) -> Result<Fold> {
    fold_of_parts(data, &query_parts(data, 5, seed)?, 0, &StopToken::default())
}

/// The parts of [`split`], as lists of queries.
pub(crate) fn query_parts(data: &Dataset, folds: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if folds < 3 {
        return Err(Error::invalid(
            "number of folds",
            folds,
            "at least 3, for training, validation and testing",
        ));
    }
    k_fold(data.queries().len(), folds, seed)
}

/// One fold of [`split`], with an index from 0; an error if the token is stopped.
pub(crate) fn fold_of_parts(
    data: &Dataset,
    parts: &[Vec<usize>],
    index: usize,
    stop: &StopToken,
) -> Result<Fold> {
    let folds = parts.len();
    let (test, valid) = ((index + folds - 1) % folds, (index + folds - 2) % folds);
    let train = (0..folds).filter(|part| *part != test && *part != valid);
    let mut queries: Vec<usize> = train.flat_map(|part| parts[part].iter().copied()).collect();
    queries.sort_unstable();
    let subset = |queries: &[usize]| stop.check().map(|()| data.subset(queries));
    let (valid, test) = (subset(&parts[valid])?, subset(&parts[test])?);
    Ok(Fold { number: index + 1, train: subset(&queries)?, valid, test })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_rotate_as_in_letor() {
        let parts = ["S1", "S2", "S3", "S4", "S5"].map(PathBuf::from);
        let folds = rotate(&parts).unwrap();
        let names = |files: &[PathBuf]| {
            files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&folds[0].train), "S1 S2 S3");
        assert_eq!((names(&folds[0].valid), names(&folds[0].test)), ("S4".into(), "S5".into()));
        assert_eq!(names(&folds[3].train), "S4 S5 S1");
        assert_eq!((names(&folds[3].valid), names(&folds[3].test)), ("S2".into(), "S3".into()));
        let three = rotate(&parts[..3]).unwrap();
        assert_eq!((names(&three[1].train), names(&three[1].test)), ("S2".into(), "S1".into()));
        assert!(rotate(&parts[..2]).is_err());
    }

    #[test]
    fn k_fold_assigns_every_query_once_and_depends_on_the_seed_only() {
        let folds = k_fold(23, 5, 1).unwrap();
        let mut all: Vec<usize> = folds.concat();
        all.sort_unstable();
        assert_eq!(all, (0..23).collect::<Vec<_>>());
        assert!(folds.iter().all(|fold| [4, 5].contains(&fold.len())));
        assert_eq!(folds, k_fold(23, 5, 1).unwrap());
        assert_ne!(folds, k_fold(23, 5, 2).unwrap());
        assert!(k_fold(3, 4, 1).is_err() && k_fold(3, 1, 1).is_err());
    }

    #[test]
    fn folders_are_found_and_gaps_reported() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert!(FoldFiles::find(folder.path()).unwrap_err().to_string().contains("holds no folds"));
        write("S1.txt", "0 qid:1 1:1\n");
        assert!(
            FoldFiles::find(folder.path()).unwrap_err().to_string().contains("part S2 is missing")
        );
        for name in ["train.txt", "vali.txt", "test.txt"] {
            write(&format!("Fold1/{name}"), "0 qid:1 1:1 2:0.5\n1 qid:1 1:2 2:0.25\n");
        }
        let folds = FoldFiles::find(folder.path()).unwrap();
        assert_eq!(folds.len(), 1);
        assert_eq!(folds[0].read(&ReadOptions::default()).unwrap().test.documents(), 2);
        // A fold with a missing file, or a missing fold, is not skipped.
        write("Fold3/train.txt", "0 qid:1 1:1\n");
        assert!(
            FoldFiles::find(folder.path())
                .unwrap_err()
                .to_string()
                .contains("Fold2/train.txt is missing")
        );
        for name in ["Fold2/train.txt", "Fold2/vali.txt", "Fold2/test.txt", "Fold3/vali.txt"] {
            write(name, "0 qid:1 1:1\n");
        }
        assert!(
            FoldFiles::find(folder.path())
                .unwrap_err()
                .to_string()
                .contains("Fold3/test.txt is missing")
        );
    }

    #[test]
    fn a_split_tests_every_query_once() {
        let (data, _) =
            super::super::synth::generate(&super::super::synth::SynthConfig::default()).unwrap();
        let folds = split(&data, 5, 3).unwrap();
        let mut tested: Vec<String> =
            folds.iter().flat_map(|f| f.test.queries().ids().to_vec()).collect();
        tested.sort();
        tested.dedup();
        assert_eq!(tested.len(), data.queries().len());
        for fold in &folds {
            let ids = |d: &Dataset| d.queries().ids().to_vec();
            let all = [ids(&fold.train), ids(&fold.valid), ids(&fold.test)].concat();
            assert_eq!(all.len(), data.queries().len());
            assert!(ids(&fold.test).iter().all(|id| !ids(&fold.train).contains(id)));
        }
    }
}
