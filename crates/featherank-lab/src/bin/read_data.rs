//! Reads files and prints, as JSON, how long that took and how much memory: `read_data [--threads
//! N] FILE…`.
//!
//! Times reading alone, for `bench/read_text.py` to compare with other readers.

use std::time::Instant;

use featherank::data::{ReadOptions, read};
use featherank_lab::AnyError;

fn main() -> Result<(), AnyError> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut threads = 2;
    if files.first().is_some_and(|word| word == "--threads") {
        threads = files.get(1).ok_or("--threads needs a number")?.parse()?;
        files.drain(..2);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let start = Instant::now();
    let data = pool.install(|| read(&files, &ReadOptions::default()))?;
    let seconds = start.elapsed().as_secs_f64();
    let report = serde_json::json!({
        "seconds": seconds,
        "threads": threads,
        "documents": data.documents(),
        "features": data.features().len(),
        "bytes_returned": 4 * data.documents() * data.features().len(),
        "peak_rss_bytes": peak_memory()?,
    });
    println!("{report}");
    Ok(())
}

/// Peak memory of this process, as reported by Linux.
fn peak_memory() -> Result<u64, AnyError> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("no VmHWM in /proc/self/status")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024)
}
