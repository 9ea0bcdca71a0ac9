//! How much memory there is, and how much was needed; nothing where the system does not tell.

use std::fs;

/// Bytes that can be had without making the machine swap.
pub(super) fn free() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The most memory that the process held since [`reset_peak`], or since it began where that cannot
/// be reset.
pub(super) fn peak() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Begins a new peak, where the system allows it.
pub(super) fn reset_peak() {
    // Without the right to, peaks are those of the whole process so far: still true, if less
    // telling.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|number| number * 1024)
}

/// How many cells may run side by side: as many as there are threads and as memory allows, if each
/// needs so much.
pub(super) fn jobs(threads: usize, need: u64) -> usize {
    let fits = free().map_or(threads as u64, |free| free / need.max(1));
    (fits as usize).clamp(1, threads.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system_are_read() {
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
