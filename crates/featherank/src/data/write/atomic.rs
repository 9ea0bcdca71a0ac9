//! Atomic writes: a file appears complete or not at all.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Location, Problem, Result};

/// Writes a file through a temporary one in the same folder, which replaces the file once it is
/// completely on disk.
///
/// A failure or a crash at any moment leaves the previous file. Pipes and devices such as
/// `/dev/stdout`, which must not be replaced, are written directly; a symbolic link keeps pointing
/// to its file, which gets the new content.
///
/// ```
/// use featherank::data::write_atomically;
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("result.json");
/// write_atomically(&path, |out| {
///     out.write_all(b"{}").map_err(|e| featherank::Error::io("write", &path, e))
/// })?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"{}");
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn write_atomically(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    let path_buf = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let target = path_buf.as_path();
    match fs::metadata(target) {
        Ok(known) if known.is_dir() => {
            return Err(Problem::Folder.at(Location::file(path.display().to_string())));
        }
        Ok(known) if !known.is_file() => {
            let mut out =
                BufWriter::new(fs::OpenOptions::new().write(true).open(target).map_err(failed)?);
            content(&mut out)?;
            return out.flush().map_err(failed);
        }
        _ => {}
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let temporary = temporary(folder).map_err(|e| Error::io("create a file in", folder, e))?;
    let _unfinished = Unfinished::note(temporary.path());
    let mut out = BufWriter::with_capacity(1 << 18, temporary);
    content(&mut out)?;
    let temporary = out.into_inner().map_err(|e| failed(e.into_error()))?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(target).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Returns an error early for what [`write_atomically`] would reject in the end: a folder, or a
/// file in a folder that does not exist.
pub fn check_target(path: &Path) -> Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(Problem::Folder.at(Location::file(path.display().to_string())));
    }
    if !folder.is_dir() {
        let missing =
            std::io::Error::new(std::io::ErrorKind::NotFound, "its folder does not exist");
        return Err(Error::io("write", path, missing));
    }
    Ok(())
}

/// Temporary files that are being written. A process that is terminated does not drop them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all writes in progress: for signal handlers, right before the
/// process ends.
pub fn discard_unfinished_writes() {
    // A file that is already gone need not be removed.
    unfinished().drain(..).for_each(|path| drop(fs::remove_file(path)));
}

/// Keeps a temporary file listed while it is being written.
struct Unfinished(PathBuf);

impl Unfinished {
    fn note(path: &Path) -> Self {
        unfinished().push(path.to_owned());
        Unfinished(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".featherank-").suffix(".tmp");
    // The usual permissions of new files, because results are meant to be shared.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o644));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, text: &str) -> Result<()> {
        write_atomically(path, |out| {
            out.write_all(text.as_bytes()).map_err(|e| Error::io("write", path, e))
        })
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        put(&path, "old").unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(b"half of").unwrap();
            Err(Error::invalid("test", "x", "y"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(put(folder.path(), "x").unwrap_err().to_string().contains("folder"));
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_the_file_and_links_stay_links() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        put(&path, "one").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        put(&link, "two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        let usual = folder.path().join("usual");
        fs::write(&usual, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o644;
        assert_eq!(mode(&path), mode(&usual));
        put(Path::new("/dev/null"), "gone").unwrap();
    }
}
