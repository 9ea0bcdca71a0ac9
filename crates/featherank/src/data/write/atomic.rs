//! Atomic writes: a file appears complete or not at all, and stays after a power failure.
//!
//! A temporary file is locked while it is being written. One without a lock was left by a process
//! that was killed, and the next run that writes to the folder removes it.

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::lock::is_at;
use crate::error::{Error, Location, Problem, Result};

/// Writes a file through a temporary one in the same folder, which replaces the file once it is
/// completely on disk.
///
/// A failure or a crash at any moment leaves the previous file. `-` and `/dev/stdout` are standard
/// output. Pipes, devices and open descriptors such as `/dev/fd/3`, which must not be replaced, are
/// written directly, and a file behind a descriptor is appended to. A symbolic link keeps pointing
/// to its file, which gets the new content; the new file has the mode of the previous one, and its
/// owner and group as far as the process may set them.
pub fn write_atomically(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    let (target, replaced) = match WriteTarget::of(path)? {
        WriteTarget::Stream(stream) => {
            let mut out = BufWriter::new(stream.open(path).map_err(failed)?);
            content(&mut out)?;
            return out.flush().map_err(failed);
        }
        WriteTarget::Device => {
            let file = fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
            let mut out = BufWriter::new(file);
            content(&mut out)?;
            return out.flush().map_err(failed);
        }
        WriteTarget::File { path, replaced } => (path, replaced),
    };
    let folder = folder_of(&target);
    remove_left_over(folder);
    let temporary = temporary(folder).map_err(|e| Error::io("create a file in", folder, e))?;
    let _unfinished = Unfinished::note(temporary.path());
    // Before the content: what others may not read must not be readable meanwhile.
    if let Some(replaced) = &replaced {
        keep_attributes(temporary.as_file(), replaced).map_err(failed)?;
    }
    let mut out = BufWriter::with_capacity(1 << 18, temporary);
    content(&mut out)?;
    let temporary = out.into_inner().map_err(|e| failed(e.into_error()))?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(&target).map_err(|e| failed(e.error))?;
    sync_folder(folder).map_err(failed)
}

/// What a path to write leads to.
enum WriteTarget {
    Stream(Stream),
    /// A pipe or a device. Its links may lead nowhere, like those of `/dev/stdout` in `/proc`.
    Device,
    File {
        /// Without links.
        path: PathBuf,
        /// The file that is there.
        replaced: Option<fs::Metadata>,
    },
}

impl WriteTarget {
    fn of(path: &Path) -> Result<Self> {
        let stream = Stream::of(path);
        if let Some(stream @ (Stream::Output | Stream::Error)) = stream {
            return Ok(WriteTarget::Stream(stream));
        }
        match (fs::metadata(path), stream) {
            (Ok(known), _) if known.is_dir() => {
                Err(Problem::Folder.at(Location::file(path.display().to_string())))
            }
            (Ok(_), Some(stream)) => Ok(WriteTarget::Stream(stream)),
            (Err(error), Some(_)) => Err(Error::io("write", path, error)),
            (Ok(known), None) if !known.is_file() => Ok(WriteTarget::Device),
            (known, None) => {
                let followed = followed(path).map_err(|e| Error::io("write", path, e))?;
                Ok(WriteTarget::File { path: followed, replaced: known.ok() })
            }
        }
    }
}

/// An open descriptor that a path names. A file behind it belongs to the process that opened it,
/// a shell for example, and is never replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Output,
    Error,
    /// Another descriptor, of this process or of another one.
    Other,
}

impl Stream {
    /// The stream of a path, through symbolic links.
    fn of(path: &Path) -> Option<Self> {
        if path.as_os_str() == "-" {
            return Some(Stream::Output);
        }
        let mut target = path.to_owned();
        for _ in 0..MOST_LINKS {
            let named = Stream::named(&target);
            if named.is_some() {
                return named;
            }
            target = folder_of(&target).join(fs::read_link(&target).ok()?);
        }
        None
    }

    /// The stream with exactly this name. Only the links of its folder are followed: the name
    /// itself is a link to the file behind the descriptor.
    fn named(path: &Path) -> Option<Self> {
        let folder = folder_of(path).canonicalize().ok()?;
        let name = path.file_name()?.to_str()?;
        let parts: Vec<&str> = folder.to_str()?.split('/').skip(1).collect();
        match parts[..] {
            ["dev"] if name == "stdout" => Some(Stream::Output),
            ["dev"] if name == "stderr" => Some(Stream::Error),
            ["dev", "fd"] => Stream::numbered(name),
            ["proc", process, .., "fd"] => {
                let stream = Stream::numbered(name)?;
                let is_own = process.parse::<u32>() == Ok(std::process::id());
                Some(if is_own { stream } else { Stream::Other })
            }
            _ => None,
        }
    }

    /// The stream of a descriptor of this process.
    fn numbered(descriptor: &str) -> Option<Self> {
        match descriptor.parse::<u32>().ok()? {
            1 => Some(Stream::Output),
            2 => Some(Stream::Error),
            _ => Some(Stream::Other),
        }
    }

    /// Opens the stream, which `path` names. Standard output and error keep their position in a
    /// file, and are not locked while the content is computed: it may print, too.
    fn open(self, path: &Path) -> io::Result<Box<dyn Write + Send>> {
        let stream: Box<dyn Write + Send> = match self {
            Stream::Output => Box::new(io::stdout()),
            Stream::Error => Box::new(io::stderr()),
            Stream::Other => Box::new(fs::OpenOptions::new().append(true).open(path)?),
        };
        Ok(stream)
    }
}

/// Whether a path to write is standard output.
pub(crate) fn is_stream(path: &Path) -> bool {
    Stream::of(path) == Some(Stream::Output)
}

/// The number of symbolic links that Linux follows.
const MOST_LINKS: usize = 40;

/// The file that a path names, through symbolic links, even if the file does not exist yet. Links
/// that lead to themselves are an error.
pub(crate) fn followed(path: &Path) -> io::Result<PathBuf> {
    if let Ok(known) = fs::canonicalize(path) {
        return Ok(known);
    }
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target = folder_of(&target).join(next);
    }
    Err(io::Error::other("this link leads to itself, or through too many others"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a file the mode of the one it replaces, and its owner and group if the process may.
#[cfg(unix)]
fn keep_attributes(file: &fs::File, replaced: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let (new, group) = (file.metadata()?, Some(replaced.gid()));
    if (new.uid(), new.gid()) != (replaced.uid(), replaced.gid()) {
        // Only root may give a file away; others may keep the group if they belong to it.
        let kept = fchown(file, Some(replaced.uid()), group).or_else(|_| fchown(file, None, group));
        drop(kept);
    }
    // After the owner, because a change of owner clears some bits of the mode.
    file.set_permissions(replaced.permissions())
}

#[cfg(not(unix))]
fn keep_attributes(_: &fs::File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes a renamed file survive a power failure.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Some file systems cannot open or sync folders; they need no sync, or offer none.
    let Ok(folder) = fs::File::open(folder) else { return Ok(()) };
    match folder.sync_all() {
        Err(e) if !matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(e)
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes temporary files that processes left which were killed. Once per folder and process.
fn remove_left_over(folder: &Path) {
    static CLEANED: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    let mut cleaned = CLEANED.lock().unwrap_or_else(PoisonError::into_inner);
    if cleaned.insert(folder.to_owned()) {
        remove_unlocked(folder);
    }
}

fn remove_unlocked(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(io::Result::ok) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
            continue;
        }
        // A file that is locked is being written; one that cannot be locked or removed stays.
        if let Ok(file) = fs::OpenOptions::new().read(true).write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            drop(fs::remove_file(entry.path()));
        }
    }
}

/// Writes a file with this content, as [`write_atomically`] does.
///
/// ```
/// use featherank::internals::write_bytes;
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("result.json");
/// write_bytes(&path, b"{}")?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"{}");
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn write_bytes(path: &Path, content: &[u8]) -> Result<()> {
    write_atomically(path, |out| out.write_all(content).map_err(|e| Error::io("write", path, e)))
}

/// Returns an error early for what [`write_atomically`] would reject in the end: a folder, or a
/// file in a folder that does not exist or is not writable.
pub fn check_target(path: &Path) -> Result<()> {
    // Streams, pipes and devices are written directly.
    let WriteTarget::File { path: target, .. } = WriteTarget::of(path)? else { return Ok(()) };
    let folder = folder_of(&target);
    if !folder.is_dir() {
        let missing = io::Error::new(io::ErrorKind::NotFound, "its folder does not exist");
        return Err(Error::io("write", path, missing));
    }
    temporary(folder).map(drop).map_err(|e| Error::io("write", path, e))
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

const PREFIX: &str = ".featherank-";
const SUFFIX: &str = ".tmp";

/// A file that shows what a folder allows, and is deleted at once. If the process is killed in
/// between, it is left over like any other temporary file.
pub(crate) fn probe(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    temporary(folder)
}

fn temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // The usual permissions of new files, because results are meant to be shared.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o644));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        // A file system without locks: left-over files stay.
        let is_locked = file.as_file().lock().is_ok();
        // Another run may have taken the file for a left-over one before it was locked.
        if !is_locked || is_at(file.as_file(), file.path())? {
            return Ok(file);
        }
    }
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

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_mode_owner_and_links() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        put(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // Only root can give a file to another user.
        let given = chown(&path, Some(12345), Some(23456)).is_ok();
        let owners = |path: &Path| fs::metadata(path).map(|m| (m.uid(), m.gid())).unwrap();
        let before = owners(&path);
        assert!(!given || before == (12345, 23456));
        put(&path, "two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(owners(&path), before);
        // Links to files that do not exist yet, relative to the folder of each link.
        fs::create_dir(folder.path().join("below")).unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("below/second"));
        symlink("below/second", &first).unwrap();
        symlink("../new", &second).unwrap();
        put(&first, "three").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("new")).unwrap(), "three");
        assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
        assert!(fs::symlink_metadata(&second).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_nowhere_are_refused_and_kept() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("l2", at("l1")).unwrap();
        symlink("l1", at("l2")).unwrap();
        symlink("absent/file", at("dangling")).unwrap();
        for (name, says) in [("l1", "leads to itself"), ("dangling", "folder does not exist")] {
            let error = check_target(&at(name)).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(put(&at(name), "x").is_err());
            assert!(fs::symlink_metadata(at(name)).unwrap().is_symlink());
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_behind_descriptors_are_appended_to() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let (log, link) = (folder.path().join("log"), folder.path().join("link"));
        fs::write(&log, "old ").unwrap();
        let open = fs::OpenOptions::new().append(true).open(&log).unwrap();
        let descriptor = open.as_raw_fd();
        std::os::unix::fs::symlink(format!("/dev/fd/{descriptor}"), &link).unwrap();
        for name in ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"] {
            let path = PathBuf::from(format!("{name}/{descriptor}"));
            check_target(&path).unwrap();
            put(&path, "new ").unwrap();
        }
        put(&link, "last").unwrap();
        assert_eq!(fs::read_to_string(&log).unwrap(), "old new new new last");
        assert_eq!(fs::metadata(&log).unwrap().len(), open.metadata().unwrap().len());
        for (name, stream) in [
            ("-", Some(Stream::Output)),
            ("/dev/stdout", Some(Stream::Output)),
            ("/dev/./fd/1", Some(Stream::Output)),
            ("/proc/self/fd/1", Some(Stream::Output)),
            ("/dev/stderr", Some(Stream::Error)),
            ("/proc/1/fd/x", None),
            ("/dev/null", None),
            ("stdout", None),
        ] {
            assert_eq!(Stream::of(Path::new(name)), stream, "{name}");
        }
        assert!(check_target(Path::new("/dev/fd/9999")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_content_of_a_private_file_is_never_readable_for_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        put(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_atomically(&path, |out| {
            for entry in fs::read_dir(folder.path()).unwrap() {
                let mode = entry.unwrap().metadata().unwrap().permissions().mode() & 0o777;
                assert_eq!(mode, 0o600);
            }
            out.write_all(b"two").map_err(|e| Error::io("write", &path, e))
        })
        .unwrap();
    }

    #[test]
    fn left_over_temporary_files_are_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(".featherank-killed.tmp");
        let others = [folder.path().join("mine.tmp"), folder.path().join(".featherank-notes")];
        fs::write(&left, "half").unwrap();
        others.iter().for_each(|path| fs::write(path, "keep").unwrap());
        let in_use = temporary(folder.path()).unwrap();
        put(&folder.path().join("a"), "new").unwrap();
        assert!(!left.exists() && in_use.path().exists());
        assert!(others.iter().all(|path| path.exists()));
    }
}
