//! Signals: Ctrl-C (SIGINT), SIGTERM and SIGHUP stop the command.
//!
//! The first signal stops an observed run by its token: the run keeps its checkpoint and returns
//! its best result so far, if it can. The process exits with 128 plus the number of the signal. It
//! exits at once at the second signal, if no run is observed, or if the run takes longer than
//! [`LONGEST_STOP`]. Files are written atomically, so it is safe to exit anywhere.
//!
//! A signal that was ignored when the process started stays ignored, as `nohup` and background jobs
//! of shells expect.

use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::time::Duration;

use featherank::error::Error;
use featherank::internals::REPORT_DEFECT;
use featherank::run::StopToken;
use featherank::{Result, Stop};

/// When the process exits although the run has not ended.
const LONGEST_STOP: Duration = Duration::from_millis(1900);

/// Exit codes are this plus the number of the signal.
const EXIT_CODE_OF_SIGNALS: i32 = 128;

/// The signal of Ctrl-C.
const SIGINT: i32 = 2;

/// The first signal that was received, or 0.
static RECEIVED: AtomicI32 = AtomicI32::new(0);
/// The number of active runs that the token stops.
static OBSERVED: AtomicUsize = AtomicUsize::new(0);
/// Stops all runs of the process.
static TOKEN: LazyLock<StopToken> = LazyLock::new(StopToken::new);

/// The token that signals stop.
pub fn token() -> &'static StopToken {
    &TOKEN
}

/// A run begins that checks the token.
pub fn begin_run() {
    OBSERVED.fetch_add(1, Ordering::Relaxed);
}

/// A run that checks the token has ended.
pub fn end_run() {
    OBSERVED.fetch_sub(1, Ordering::Relaxed);
}

/// Whether a run is active that checks the token.
pub fn is_observed() -> bool {
    OBSERVED.load(Ordering::Relaxed) > 0
}

/// The exit code of a run that was interrupted.
pub fn exit_code() -> u8 {
    let signal = match RECEIVED.load(Ordering::Relaxed) {
        0 => SIGINT,
        signal => signal,
    };
    u8::try_from(EXIT_CODE_OF_SIGNALS + signal).unwrap_or(u8::MAX)
}

fn exit() -> ! {
    featherank::internals::discard_unfinished_writes();
    std::process::exit(exit_code().into())
}

/// Called on the thread that receives signals.
fn on_signal(signal: i32) {
    let is_first =
        RECEIVED.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if !is_first || !is_observed() {
        exit();
    }
    TOKEN.stop(Stop::Interrupted);
    // A closed standard error must not stop the work. The line begins anew after `^C` or a bar.
    let _ = writeln!(std::io::stderr(), "\nstopping; press Ctrl-C again to exit at once");
    let late = || {
        std::thread::sleep(LONGEST_STOP);
        exit()
    };
    // Without the thread the run ends by its token.
    drop(std::thread::Builder::new().spawn(late));
}

fn cannot_handle(error: std::io::Error) -> Error {
    Error::internal(format!("cannot handle signals: {error}"), REPORT_DEFECT)
}

/// Installs the handlers. May be called again in the same process.
#[cfg(unix)]
pub fn handle() -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let ignored = ignored_signals();
    let wanted =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = signal_hook::iterator::Signals::new(wanted).map_err(cannot_handle)?;
    let receive = move || signals.forever().for_each(on_signal);
    std::thread::Builder::new().name("signals".into()).spawn(receive).map_err(cannot_handle)?;
    Ok(())
}

/// The signals that are ignored, as bits from the lowest on. Systems without `/proc` do not tell
/// without unsafe code; there all signals are handled.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Installs the handler of Ctrl-C.
#[cfg(not(unix))]
pub fn handle() -> Result<()> {
    match ctrlc::set_handler(|| on_signal(SIGINT)) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(cannot_handle(std::io::Error::other(error))),
    }
}
