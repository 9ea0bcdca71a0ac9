//! The driver: executes a target on mutated seeds, and watches panics, time and memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::seq::IndexedRandom;

use featherank::internals::random::{Purpose, Stream, stream};

use crate::mutate::mutated;
use crate::{FuzzTarget, workspace};

/// A single input may take this long.
const LONGEST: Duration = Duration::from_secs(10);
/// The process may take this much memory.
const MOST_BYTES: u64 = 1 << 30;
/// Executions between two looks at the memory.
const BATCH: u64 = 64;
/// Accepted inputs to mutate further.
const KEPT: usize = 256;

/// When to stop; whichever comes first.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Number of executions.
    pub executions: u64,
    /// Time.
    pub time: Duration,
}

/// What a run did.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// Executions.
    pub executions: u64,
    /// How many inputs were accepted.
    pub accepted: u64,
    /// The time.
    pub time: Duration,
    /// The slowest execution.
    pub slowest: Duration,
}

/// Executes a target within a budget. The same seed gives the same inputs. A panic or too much
/// memory is an error that says where the input was saved; a hang ends the process.
pub fn drive(target: &FuzzTarget, seed: u64, budget: Budget) -> Result<Report, String> {
    let seeds = seeds_of(target);
    let (mut kept, mut rng): (Vec<Vec<u8>>, Stream) =
        (seeds.clone(), stream(seed, Purpose::Test, hash(target.name)));
    let watch = Watch::start(target.name);
    let start = Instant::now();
    let mut report =
        Report { executions: 0, accepted: 0, time: Duration::ZERO, slowest: Duration::ZERO };
    while report.executions < budget.executions && start.elapsed() < budget.time {
        let input = match seeds.get(report.executions as usize) {
            Some(seed) => seed.clone(),
            None => {
                let (Some(base), Some(other)) = (kept.choose(&mut rng), kept.choose(&mut rng))
                else {
                    return Err(format!("{} has no seeds", target.name));
                };
                let (base, other) = (base.clone(), other.clone());
                mutated(&base, &other, &mut rng)
            }
        };
        let begun = watch.begin(&input);
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        report.slowest = report.slowest.max(begun.elapsed());
        watch.end();
        report.executions += 1;
        if report.executions.is_multiple_of(BATCH) && peak_bytes() > MOST_BYTES {
            let path = saved(target.name, &input);
            return Err(format!(
                "{} takes too much memory within {BATCH} inputs up to {path}",
                target.name
            ));
        }
        match outcome {
            Ok(true) => {
                report.accepted += 1;
                match kept.len() < seeds.len() + KEPT {
                    true => kept.push(input),
                    // The seeds themselves stay.
                    false => kept[seeds.len() + rng.random_range(0..KEPT)] = input,
                }
            }
            Ok(false) => {}
            Err(_) => {
                return Err(format!("{} panics on {}", target.name, saved(target.name, &input)));
            }
        }
    }
    Ok(Report { time: start.elapsed(), ..report })
}

/// The seeds in the repository, in the order of their names, and those of the target itself.
fn seeds_of(target: &FuzzTarget) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus-seeds");
    let mut paths: Vec<_> = std::fs::read_dir(folder.join(target.name))
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    paths.sort();
    let files = paths.iter().filter_map(|path| std::fs::read(path).ok());
    files.chain((target.seeds)()).collect()
}

fn hash(name: &str) -> u64 {
    name.bytes().fold(0, |hash, byte| (hash * 31 + u64::from(byte)) % (1 << 40))
}

/// Saves an input that failed; its path.
fn saved(name: &str, input: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("featherank-fuzz-{name}-{}", std::process::id()));
    match std::fs::write(&path, input) {
        Ok(()) => path.display().to_string(),
        Err(_) => format!("{input:?}"),
    }
}

/// The most memory that the process has taken; 0 if the system does not say.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|text| text.trim().strip_suffix("kB")?.trim().parse().ok());
    kilobytes.map_or(0, |number: u64| number * 1024)
}

/// What is being executed, and since when.
type Current = Option<(Instant, Vec<u8>)>;

/// Ends the process if an execution takes too long.
struct Watch(Arc<Mutex<Current>>);

impl Watch {
    fn start(name: &'static str) -> Self {
        let current: Arc<Mutex<Current>> = Arc::default();
        let watched = Arc::downgrade(&current);
        std::thread::spawn(move || {
            while let Some(current) = watched.upgrade() {
                let slow = |(since, _): &&(Instant, Vec<u8>)| since.elapsed() > LONGEST;
                if let Some((_, input)) = lock(&current).as_ref().filter(slow) {
                    eprintln!("{name} hangs on {}", saved(name, input));
                    workspace::remove_files();
                    std::process::exit(70);
                }
                drop(current);
                std::thread::sleep(LONGEST / 20);
            }
        });
        Watch(current)
    }

    fn begin(&self, input: &[u8]) -> Instant {
        let now = Instant::now();
        *lock(&self.0) = Some((now, input.to_vec()));
        now
    }

    fn end(&self) {
        *lock(&self.0) = None;
    }
}

fn lock(current: &Mutex<Current>) -> std::sync::MutexGuard<'_, Current> {
    current.lock().unwrap_or_else(PoisonError::into_inner)
}
