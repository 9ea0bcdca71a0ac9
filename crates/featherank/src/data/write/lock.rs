//! Locks: a checkpoint or folder belongs to one run at a time.
//!
//! The operating system holds the lock on a small file and releases it when the process ends, in
//! whatever way, so that a lock file without a lock is stale and is taken over. File systems
//! without locks are used without.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A path that this process holds until the value is dropped.
#[derive(Debug)]
pub(crate) struct PathLock {
    /// The lock file; closing it releases the lock.
    _file: File,
    path: PathBuf,
}

impl PathLock {
    /// Holds `target`, a `kind` of file or folder, by a lock on the file `lock`; an error with the
    /// holder if another run holds it, and an error if the file holds anything but the name of a
    /// holder: it would be lost.
    pub fn take(kind: &str, target: &Path, lock: &Path) -> Result<Self> {
        let failed = |error| Error::io("lock", lock, error);
        loop {
            let mut options = OpenOptions::new();
            let mut file = options
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(lock)
                .map_err(failed)?;
            match file.try_lock() {
                Ok(()) if !is_at(&file, lock).map_err(failed)? => continue,
                Ok(()) if !may_be_replaced(&mut file).map_err(failed)? => {
                    return Err(not_a_lock(kind, target, lock));
                }
                Ok(()) => note_holder(&mut file).map_err(failed)?,
                Err(TryLockError::WouldBlock) => return Err(in_use(kind, target, file)),
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {
                    if !may_be_replaced(&mut file).map_err(failed)? {
                        return Err(not_a_lock(kind, target, lock));
                    }
                }
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
            return Ok(PathLock { _file: file, path: lock.to_owned() });
        }
    }
}

impl Drop for PathLock {
    fn drop(&mut self) {
        // A lock file that cannot be removed is stale, and the next run takes it over.
        drop(fs::remove_file(&self.path));
    }
}

/// Whether the file is still the one at this path: its former holder removes it.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((own.dev(), own.ino()) == (there.dev(), there.ino())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(not(unix))]
pub(super) fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// What the text of every lock file begins with.
const HOLDER: &str = "process ";

/// Whether the file is empty or the lock of a process that has ended.
fn may_be_replaced(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.take(HOLDER.len() as u64).read_to_end(&mut start)?;
    Ok(HOLDER.as_bytes().starts_with(&start))
}

fn not_a_lock(kind: &str, target: &Path, lock: &Path) -> Error {
    Error::document(
        format!("the lock of this {kind} would replace the file {}", lock.display()),
        target,
        format!("move that file, or use another {kind}"),
    )
}

fn note_holder(file: &mut File) -> io::Result<()> {
    let process = std::process::id();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let holder = match host.trim() {
        "" => format!("{HOLDER}{process}"),
        host => format!("{HOLDER}{process} on {host}"),
    };
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(holder.as_bytes())
}

fn in_use(kind: &str, target: &Path, file: File) -> Error {
    let mut holder = String::new();
    // The holder may not have written its number yet.
    let read = file.take(200).read_to_string(&mut holder);
    let holder = match (read, holder.trim()) {
        (Ok(_), known) if !known.is_empty() => known,
        _ => "another process",
    };
    let what = format!("this {kind} is in use by {holder}");
    Error::document(what, target, format!("wait until that run has ended, or use another {kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_at_a_time_holds_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let (target, lock) = (folder.path().join("run.json"), folder.path().join("run.json.lock"));
        let take = || PathLock::take("checkpoint", &target, &lock);
        let held = take().unwrap();
        let text = take().unwrap_err().to_string();
        assert!(text.contains(&format!("in use by process {}", std::process::id())), "{text}");
        assert!(text.contains("run.json") && text.contains("wait until"), "{text}");
        drop(held);
        assert!(!lock.exists());
        // A lock file that no process holds.
        fs::write(&lock, "process 4194305 on nowhere, with a longer text than ours").unwrap();
        let held = take().unwrap();
        let text = take().unwrap_err().to_string();
        assert!(!text.contains("4194305") && !text.contains("longer"), "{text}");
        drop(held);
    }

    #[test]
    fn a_file_that_is_no_lock_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (target, lock) = (folder.path().join("m"), folder.path().join("m.lock"));
        for text in ["1 qid:1 1:0.5\n", "processed", "p\n"] {
            fs::write(&lock, text).unwrap();
            let error = PathLock::take("checkpoint", &target, &lock).unwrap_err().to_string();
            assert!(
                error.contains("would replace the file") && error.contains("m.lock"),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&lock).unwrap(), text);
        }
        fs::write(&lock, "").unwrap();
        drop(PathLock::take("checkpoint", &target, &lock).unwrap());
        assert!(!lock.exists());
    }

    #[test]
    fn many_threads_hold_a_path_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let (target, lock) = (folder.path().join("f"), folder.path().join("f.lock"));
        let holders = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut taken = 0;
                    while taken < 50 {
                        let Ok(_held) = PathLock::take("folder", &target, &lock) else { continue };
                        let order = std::sync::atomic::Ordering::SeqCst;
                        assert_eq!(holders.fetch_add(1, order), 0, "two hold the path");
                        holders.fetch_sub(1, order);
                        taken += 1;
                    }
                });
            }
        });
    }
}
