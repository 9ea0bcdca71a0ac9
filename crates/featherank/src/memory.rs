//! The memory that the process may use, and checks before allocations that grow with the square of
//! the number of features.
//!
//! The limit is what the machine has, what the control groups of the process (version 1 or 2, all
//! their ancestors) allow, and what is left of its address space. A request for more memory than
//! the system has does not fail where it is made: the process is killed when it touches the pages,
//! or aborts. Sizes are therefore compared with the limit first.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::{Error, Result};
use crate::remedy;

/// The limit if the system reports none.
const UNKNOWN: u64 = 64 << 30;

/// The size of answers of blocks that may wait to be merged.
const WAITING_ANSWERS: u64 = 1 << 30;

/// A limit on the memory for computations on some data, in bytes; never more than what the system
/// allows. All limits are equal: data is the same data under any limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryLimit(u64);

impl MemoryLimit {
    pub fn new(bytes: u64) -> Self {
        MemoryLimit(bytes.min(limit()))
    }

    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl Default for MemoryLimit {
    fn default() -> Self {
        MemoryLimit(limit())
    }
}

impl PartialEq for MemoryLimit {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What the system allows the process, in bytes.
pub(crate) fn limit() -> u64 {
    static LIMIT: OnceLock<u64> = OnceLock::new();
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    *LIMIT.get_or_init(|| of_system(&read).unwrap_or(UNKNOWN))
}

fn of_system(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
    });
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = limit_files(&groups).into_iter().filter_map(|path| {
        // `max`, the absence of a limit, is not a number.
        read(&path)?.trim().parse::<u64>().ok()
    });
    limits.chain(machine).chain(address_space(read)).min()
}

/// What is left of the address space that `ulimit -v` allows. Stacks of threads and arenas of the
/// allocator take a part of it: a quarter is left for them.
fn address_space(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let limits = read(Path::new("/proc/self/limits"))?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    // `unlimited` is not a number.
    let all = line.split_whitespace().next()?.parse::<u64>().ok()?;
    let used = read(Path::new("/proc/self/statm")).and_then(|text| {
        // In pages, which have at least 4 KiB.
        text.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(4096)
    });
    Some(all.saturating_sub(used.unwrap_or(0)) / 4 * 3)
}

/// The files that may limit the memory of a process in these control groups.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let group = Path::new(group.trim_start_matches('/'));
        files.extend(group.ancestors().map(|group| Path::new(root).join(group).join(file)));
    }
    files
}

/// Rejects a matrix of all pairs of features that does not fit. `cell` is the memory for one pair
/// of features, in bytes, with all copies.
pub(crate) fn check_pairs(what: &str, features: usize, cell: u64, limit: u64) -> Result<()> {
    let width = features as u64;
    let need = width.saturating_mul(width).saturating_mul(cell);
    if need <= limit {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    Err(Error::unsupported(
        format!(
            "{what} compares all pairs of {features} features, which takes {:.1} GiB of memory; at \
             most {} features fit into {:.1} GiB",
            gib(need),
            (limit / cell).isqrt(),
            gib(limit)
        ),
        remedy![
            "use a method that compares no pairs, such as top-k, drop features, or raise ",
            MaxMemory
        ],
    ))
}

/// How many blocks may answer at the same time if each takes this many bytes, at least one.
pub(crate) fn blocks_at_once(bytes: u64, most: usize) -> usize {
    let fit = WAITING_ANSWERS / bytes.max(1);
    usize::try_from(fit).unwrap_or(usize::MAX).clamp(1, most.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit_with(files: &[(&str, &str)]) -> Option<u64> {
        of_system(&|path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    #[test]
    fn control_groups_and_their_ancestors_limit_the_memory() {
        let machine = ("/proc/meminfo", "MemTotal:       1024 kB\nMemFree: 5 kB\n");
        assert_eq!(limit_with(&[]), None);
        assert_eq!(limit_with(&[machine]), Some(1 << 20));
        let second = ("/proc/self/cgroup", "0::/a/b\n");
        let own = ("/sys/fs/cgroup/a/b/memory.max", "max\n");
        let parent = ("/sys/fs/cgroup/a/memory.max", "4096\n");
        assert_eq!(limit_with(&[machine, second, own]), Some(1 << 20));
        assert_eq!(limit_with(&[machine, second, own, parent]), Some(4096));
        // In a container the group is the root of what it sees.
        let first = ("/proc/self/cgroup", "3:cpu:/x\n2:hugetlb,memory:/docker/1\n");
        let root = ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "8192\n");
        assert_eq!(limit_with(&[machine, first, root]), Some(8192));
    }

    #[test]
    fn the_address_space_limits_the_memory() {
        let machine = ("/proc/meminfo", "MemTotal:       1024 kB\n");
        let title = "Limit                     Soft Limit           Hard Limit           Units\n";
        let line = |soft: &str| format!("{title}Max address space   {soft}   unlimited   bytes\n");
        let limits = |text: &str| {
            limit_with(&[machine, ("/proc/self/limits", text), ("/proc/self/statm", "10 5 1\n")])
        };
        assert_eq!(limits(&line("unlimited")), Some(1 << 20));
        assert_eq!(limits(&line("81920")), Some(30720));
        assert_eq!(limits(&line("4096")), Some(0));
    }

    #[test]
    fn no_limit_exceeds_that_of_the_system() {
        assert_eq!(MemoryLimit::new(u64::MAX).bytes(), limit());
        assert_eq!(MemoryLimit::new(1), MemoryLimit::default());
    }

    #[test]
    fn pairs_that_do_not_fit_are_rejected() {
        assert!(check_pairs("mrmr", 1000, 8, 8_000_000).is_ok());
        let error = check_pairs("mrmr", 1001, 8, 8_000_000).unwrap_err().to_string();
        assert!(error.contains("1001 features") && error.contains("at most 1000"), "{error}");
        assert!(check_pairs("mrmr", usize::MAX, 8, u64::MAX - 1).is_err(), "no overflow");
    }

    #[test]
    fn large_answers_are_merged_one_after_the_other() {
        assert_eq!(blocks_at_once(0, 16), 16);
        assert_eq!(blocks_at_once(1 << 29, 16), 2);
        assert_eq!((blocks_at_once(1 << 40, 16), blocks_at_once(1, 0)), (1, 1));
    }
}
