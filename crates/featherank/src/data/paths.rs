//! The paths of a task: no output may replace an input or another output, and every output must be
//! writable, before work begins.
//!
//! Two paths are equal if they lead to the same file: through symbolic links, `.` and `..`, another
//! spelling on a file system that ignores case, a hard link, or a redirected standard stream.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::write::{check_target, followed, is_stream, probe};
use crate::error::{Error, Result};

/// A path and the option that it was given with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    /// The option in the words of the front end: `--output`, `TRAIN`, `output=`.
    pub option: String,
    /// The path; `-` is a standard stream.
    pub path: PathBuf,
    /// How it is used.
    pub role: PathRole,
}

/// How a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRole {
    /// A file or folder to read.
    Input,
    /// A file to write.
    Output,
    /// A checkpoint to write and to read, with a lock file beside it.
    Checkpoint,
    /// A folder to create if necessary, and the names of the files to write in it.
    OutputFolder(&'static [&'static str]),
    /// Standard output, on which results are printed beside the outputs.
    Printed,
}

/// Returns an error, which names both options, if an output is the same file as another path, or if
/// an output cannot be written.
pub fn check_paths(uses: &[PathUse]) -> Result<()> {
    check_streams(uses)?;
    let files: Vec<UsedFile<'_>> = uses.iter().flat_map(UsedFile::of).collect();
    for (i, first) in files.iter().enumerate() {
        for second in &files[..i] {
            let is_output = first.output || second.output;
            if is_output && first.of.option != second.of.option && first.place == second.place {
                return Err(same_file(first, second));
            }
        }
    }
    uses.iter().try_for_each(|used| match used.role {
        PathRole::Input | PathRole::Printed => Ok(()),
        PathRole::Output => check_target(&used.path),
        PathRole::Checkpoint => {
            check_target(&used.path)?;
            check_target(&lock_beside(&used.path)?)
        }
        PathRole::OutputFolder(_) => check_folder(&used.path),
    })
}

/// Rejects more than one output on standard output, and checkpoints and folders there.
fn check_streams(uses: &[PathUse]) -> Result<()> {
    let mut taken: Option<&PathUse> = None;
    for used in uses.iter().filter(|used| used.is_stream()) {
        match (used.role, taken) {
            (PathRole::Input | PathRole::Printed, _) => {}
            (PathRole::Checkpoint | PathRole::OutputFolder(_), _) => {
                return Err(Error::settings(
                    format!("{} cannot be standard output", used.option),
                    format!("name a file or folder with {}", used.option),
                ));
            }
            (PathRole::Output, None) => taken = Some(used),
            (PathRole::Output, Some(other)) => {
                return Err(Error::settings(
                    format!("{} and {} are both standard output", other.option, used.option),
                    format!("name a file with {}", used.option),
                ));
            }
        }
    }
    Ok(())
}

/// The lock file of a checkpoint. It is beside the file to which the links of the path lead, so
/// that runs that name the file in different ways use the same lock.
pub(crate) fn lock_beside(path: &Path) -> Result<PathBuf> {
    let mut beside = followed(path).map_err(|e| Error::io("lock", path, e))?.into_os_string();
    beside.push(".lock");
    Ok(beside.into())
}

fn same_file(first: &UsedFile<'_>, second: &UsedFile<'_>) -> Error {
    let (output, other) = if first.output { (first, second) } else { (second, first) };
    Error::settings(
        format!(
            "{} and {} are the same file, {}",
            other.of.option,
            output.of.option,
            output.path.display()
        ),
        format!("name another file with {}", output.of.option),
    )
}

impl PathUse {
    /// A path with its role.
    pub fn new(option: impl Into<String>, path: impl Into<PathBuf>, role: PathRole) -> Self {
        PathUse { option: option.into(), path: path.into(), role }
    }

    /// Results printed on standard output.
    pub fn printed() -> Self {
        PathUse::new("standard output", "-", PathRole::Printed)
    }

    /// Whether an output is standard output.
    pub fn is_stream(&self) -> bool {
        is_stream(&self.path)
    }
}

/// A file that is read or written.
struct UsedFile<'a> {
    of: &'a PathUse,
    path: PathBuf,
    place: FileIdentity,
    output: bool,
}

impl<'a> UsedFile<'a> {
    /// The files of a path. Pipes and devices have none: nothing in them can be replaced. A
    /// standard stream has one if it is redirected.
    fn of(of: &'a PathUse) -> Vec<Self> {
        let (paths, output) = match of.role {
            PathRole::Input if of.path.as_os_str() == "-" => {
                (vec![PathBuf::from("/dev/stdin")], false)
            }
            PathRole::Input => (vec![of.path.clone()], false),
            PathRole::Printed => (vec![PathBuf::from("/dev/stdout")], false),
            _ if of.is_stream() => (vec![PathBuf::from("/dev/stdout")], true),
            PathRole::Output => (vec![of.path.clone()], true),
            PathRole::Checkpoint => {
                ([of.path.clone()].into_iter().chain(lock_beside(&of.path).ok()).collect(), true)
            }
            PathRole::OutputFolder(names) => {
                (names.iter().map(|name| of.path.join(name)).collect(), true)
            }
        };
        let file = |path: PathBuf| {
            FileIdentity::of(&path).map(|place| UsedFile { of, path, place, output })
        };
        paths.into_iter().filter_map(file).collect()
    }
}

/// Where a path leads.
struct FileIdentity {
    real: PathBuf,
    /// Device and inode of a file that exists.
    inode: Option<(u64, u64)>,
}

impl FileIdentity {
    fn of(path: &Path) -> Option<Self> {
        let inode = match fs::metadata(path) {
            Ok(known) if known.is_file() || known.is_dir() => inode(&known),
            Ok(_) => return None,
            Err(_) => None,
        };
        Some(FileIdentity { real: resolved(path), inode })
    }
}

impl PartialEq for FileIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.real == other.real
            || self.inode.is_some() && self.inode == other.inode
            || equal_but_for_case(&self.real, &other.real) && ignores_case(&self.real)
    }
}

fn equal_but_for_case(a: &Path, b: &Path) -> bool {
    a.to_string_lossy().to_lowercase() == b.to_string_lossy().to_lowercase()
}

#[cfg(unix)]
fn inode(known: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((known.dev(), known.ino()))
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// The absolute path without links, `.` and `..`; parts that do not exist are kept as they are.
fn resolved(path: &Path) -> PathBuf {
    /// As many links as Linux follows.
    const LINKS: usize = 40;
    let mut path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // `canonicalize` does not follow a link to a file that does not exist yet.
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path.pop();
        path.push(target);
    }
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            other => real.push(other),
        }
        real = real.canonicalize().unwrap_or(real);
    }
    real
}

/// Whether the folder that holds or will hold this file ignores the case of names.
fn ignores_case(path: &Path) -> bool {
    let Ok(probe) = probe(existing_folder(path)) else { return false };
    let name = probe.path().file_name().map(|name| name.to_string_lossy().to_uppercase());
    name.is_some_and(|name| probe.path().with_file_name(name).exists())
}

/// The nearest folder above a path that exists.
fn existing_folder(path: &Path) -> &Path {
    let above = path.ancestors().skip(1).find(|folder| folder.is_dir());
    above.unwrap_or(Path::new("."))
}

/// Returns an error if a folder does not exist and cannot be created, or if it is not writable.
fn check_folder(path: &Path) -> Result<()> {
    let mut existing = path;
    while !existing.exists() {
        existing = match existing.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
    }
    if !existing.is_dir() {
        let kind = std::io::ErrorKind::NotADirectory;
        let reason = format!("{} is a file, not a folder", existing.display());
        return Err(Error::io("write to", path, std::io::Error::new(kind, reason)));
    }
    probe(existing).map(drop).map_err(|e| Error::io("write to", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uses: &[(&str, &Path, PathRole)]) -> Result<()> {
        let uses: Vec<PathUse> =
            uses.iter().map(|(option, path, role)| PathUse::new(*option, *path, *role)).collect();
        check_paths(&uses)
    }

    fn refused(first: &Path, second: &Path) {
        for role in [PathRole::Input, PathRole::Output] {
            let error = check(&[("the one", first, role), ("the two", second, PathRole::Output)])
                .unwrap_err()
                .to_string();
            assert!(error.contains("the one and the two are the same file"), "{error}");
            assert!(error.contains("name another file with the two"), "{error}");
        }
    }

    #[test]
    fn spellings_of_one_path_are_equal() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("old"), "").unwrap();
        for name in ["old", "new"] {
            refused(&at(name), &at(name));
            refused(&at(name), &at(&format!("./sub/../{name}")));
            refused(&at(&format!("absent/../{name}")), &at(name));
        }
        assert!(
            check(&[
                ("the one", &at("old"), PathRole::Input),
                ("the two", &at("new"), PathRole::Output),
                ("the three", &at("old"), PathRole::Input),
            ])
            .is_ok(),
            "a file may be read twice"
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_same_file() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), "").unwrap();
        fs::create_dir(at("sub")).unwrap();
        symlink("old", at("link")).unwrap();
        symlink(at("link"), at("link-to-link")).unwrap();
        symlink("sub/../new", at("dangling")).unwrap();
        symlink(at("sub"), at("folder-link")).unwrap();
        fs::hard_link(at("old"), at("hard")).unwrap();
        refused(&at("old"), &at("link"));
        refused(&at("link-to-link"), &at("link"));
        refused(&at("hard"), &at("old"));
        refused(&at("hard"), &at("link"));
        refused(&at("new"), &at("dangling"));
        refused(&at("sub/x"), &at("folder-link/x"));
        refused(&at("old"), &at("folder-link/../old"));
    }

    #[test]
    fn streams_and_devices_are_not_files() {
        let stream = Path::new("-");
        let uses = [("A", stream, PathRole::Input), ("the b", stream, PathRole::Output)];
        assert!(check(&uses).is_ok());
        let two = [("the a", stream, PathRole::Output), ("the b", stream, PathRole::Output)];
        let error = check(&two).unwrap_err().to_string();
        assert!(error.contains("the a and the b are both standard output"), "{error}");
        for role in [PathRole::Checkpoint, PathRole::OutputFolder(&[])] {
            let error = check(&[("the one", stream, role)]).unwrap_err().to_string();
            assert!(error.contains("the one cannot be standard output"), "{error}");
        }
        #[cfg(unix)]
        {
            let device = Path::new("/dev/null");
            let uses = [("the a", device, PathRole::Output), ("the b", device, PathRole::Output)];
            assert!(check(&uses).is_ok());
        }
    }

    #[test]
    fn case_counts_only_on_file_systems_that_distinguish_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("probe"), "").unwrap();
        let ignoring = at("PROBE").exists();
        assert_eq!(ignores_case(&at("a")), ignoring);
        let (a, b) = (at("new.json"), at("NEW.json"));
        let uses = [("the a", &*a, PathRole::Output), ("the b", &*b, PathRole::Output)];
        assert_eq!(check(&uses).is_err(), ignoring);
        assert!(equal_but_for_case(&a, &b) && !equal_but_for_case(&a, &at("newer.json")));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the probe is gone");
    }

    #[test]
    fn the_lock_of_a_checkpoint_counts() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (checkpoint, lock) = (at("m"), at("m.lock"));
        for role in [PathRole::Input, PathRole::Output] {
            let uses = [
                ("the one", lock.as_path(), role),
                ("the two", checkpoint.as_path(), PathRole::Checkpoint),
            ];
            let error = check(&uses).unwrap_err().to_string();
            assert!(error.contains("the one and the two are the same file"), "{error}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("m", at("link")).unwrap();
            assert_eq!(lock_beside(&at("link")).unwrap(), lock);
        }
    }

    #[test]
    fn files_in_an_output_folder_count() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("tables.txt");
        let role = PathRole::OutputFolder(&["results.json", "tables.txt"]);
        let uses = [("DATA", &*table, PathRole::Input), ("the output", folder.path(), role)];
        let error = check(&uses).unwrap_err().to_string();
        assert!(error.contains("DATA and the output are the same file"), "{error}");
    }

    #[test]
    fn unwritable_outputs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        let says = |path: &Path, role: PathRole| {
            check(&[("the output", path, role)]).unwrap_err().to_string()
        };
        assert!(says(folder.path(), PathRole::Output).contains("folder"));
        assert!(says(&at("absent/x"), PathRole::Output).contains("folder does not exist"));
        assert!(says(&at("file/x"), PathRole::Output).contains("folder does not exist"));
        let new = PathRole::OutputFolder(&[]);
        assert!(says(&at("file"), new).contains("not a folder"));
        assert!(says(&at("file/x"), new).contains("not a folder"));
        assert!(check(&[("the output", &at("new/folder"), new)]).is_ok());
        assert!(!at("new").exists());
        #[cfg(target_os = "linux")]
        {
            assert!(says(Path::new("/proc/x.json"), PathRole::Output).contains("/proc"));
            assert!(says(Path::new("/proc/results"), new).contains("/proc"));
        }
    }
}
