//! The files of synthetic data: three parts or one, and the truth.

use std::path::{Path, PathBuf};

use super::Truth;
use crate::data::folds::{Fold, train_valid_test};
use crate::data::{Dataset, WriteOptions, write};
use crate::error::{Error, Result};

/// The format of the data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SynthFormat {
    /// LETOR text, `.txt`.
    Letor,
    /// Parquet, `.parquet`.
    Parquet,
}

/// Where generated data is written.
///
/// ```
/// use featherank::data::synth::{Preset, SynthFiles, SynthFormat, generate};
///
/// # let temporary = tempfile::tempdir().unwrap();
/// # let folder = temporary.path().join("tiny");
/// let (data, truth) = generate(&Preset::Tiny.config())?;
/// let files = SynthFiles { folder, format: SynthFormat::Letor, one_file: false };
/// let truth_file = files.write(&data, &truth, 1, &mut |path, part| {
///     println!("{}: {} documents", path.display(), part.documents());
/// })?;
/// assert!(truth_file.ends_with("truth.json"));
/// assert!(truth_file.with_file_name("vali.txt").exists());
/// # Ok::<(), featherank::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SynthFiles {
    /// The folder; created if necessary.
    pub folder: PathBuf,
    /// The format of the data.
    pub format: SynthFormat,
    /// Writes all queries to `data` instead of `train`, `vali` and `test`.
    pub one_file: bool,
}

impl SynthFiles {
    /// Writes the data, split by `seed`, and `truth.json`, whose path is returned. `on_written` is
    /// called after each file of data.
    pub fn write(
        &self,
        data: &Dataset,
        truth: &Truth,
        seed: u64,
        on_written: &mut dyn FnMut(&Path, &Dataset),
    ) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.folder).map_err(|e| Error::io("create", &self.folder, e))?;
        let mut save = |data: &Dataset, stem: &str| -> Result<()> {
            let path = self.path(stem);
            write(data, &path, &WriteOptions::default())?;
            on_written(&path, data);
            Ok(())
        };
        if self.one_file {
            save(data, "data")?;
        } else {
            let Fold { train, valid, test, .. } = train_valid_test(data, seed)?;
            save(&train, "train")?;
            save(&valid, "vali")?;
            save(&test, "test")?;
        }
        let path = self.folder.join("truth.json");
        truth.save(&path)?;
        Ok(path)
    }

    fn path(&self, stem: &str) -> PathBuf {
        let ending = match self.format {
            SynthFormat::Letor => "txt",
            SynthFormat::Parquet => "parquet",
        };
        self.folder.join(format!("{stem}.{ending}"))
    }
}
