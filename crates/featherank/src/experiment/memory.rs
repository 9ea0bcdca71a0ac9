//! Available memory and peak memory use; `None` if the system does not report them.

use std::fs;

/// Bytes available without swapping.
pub(super) fn free() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Peak memory of the process since [`reset_peak`], or since its start if it cannot be reset.
pub(super) fn peak() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Resets the peak, if the system allows it.
pub(super) fn reset_peak() {
    // Without permission, the peak is that of the whole process so far.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|number| number * 1024)
}

/// The number of cells to run in parallel, limited by threads and by memory if each cell needs
/// `need` bytes.
pub(super) fn jobs(threads: usize, need: u64) -> usize {
    let fits = free().map_or(threads as u64, |free| free / need.max(1));
    (fits as usize).clamp(1, threads.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_files_are_parsed() {
        assert_eq!(
            kilobytes("MemTotal: 9 kB\nMemAvailable:   12 kB\n", "MemAvailable:"),
            Some(12 * 1024)
        );
        assert_eq!(kilobytes("VmHWM: many kB", "VmHWM:"), None);
        assert_eq!(kilobytes("", "VmHWM:"), None);
    }

    #[test]
    fn there_is_always_one_job() {
        assert_eq!(jobs(4, u64::MAX), if free().is_some() { 1 } else { 4 });
        assert_eq!(jobs(4, 1), 4);
        assert_eq!(jobs(0, 1), 1);
    }
}
