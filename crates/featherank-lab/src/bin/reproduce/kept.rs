//! Saved results of finished rows, so that an interrupted run resumes.

use std::path::PathBuf;

use featherank::experiment::Row;
use featherank::{Error, Result};

/// The folder of saved results.
pub struct KeptRows {
    folder: PathBuf,
}

impl KeptRows {
    pub fn new(folder: &str) -> Result<Self> {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| Error::Io { action: "create", path: folder.into(), source })?;
        Ok(KeptRows { folder: folder.into() })
    }

    /// The saved result with a seed, by the names of plan, data set and row; computes and saves it
    /// if there is none.
    pub fn or_run(
        &self,
        names: [&String; 3],
        seed: u64,
        run: impl FnOnce() -> Result<Row>,
    ) -> Result<Row> {
        let [plan, data, row] = names;
        let name = format!("{plan} {data} {row} {seed}.json").replace('/', " ");
        let path = self.folder.join(name);
        let known =
            std::fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        if let Some(row) = known {
            return Ok(row);
        }
        let row = run()?;
        // Write atomically: a truncated number could still be read as a number.
        let unfinished = path.with_extension("unfinished");
        let text = serde_json::to_string(&row).map_err(std::io::Error::from);
        let written = text.and_then(|text| std::fs::write(&unfinished, text));
        let written = written.and_then(|()| std::fs::rename(&unfinished, &path));
        written.map_err(|source| Error::Io { action: "write", path, source })?;
        Ok(row)
    }
}
