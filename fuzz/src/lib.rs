//! Entry points for libFuzzer; the targets are in `crates/featherank-fuzz`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook};
use std::sync::{Mutex, PoisonError};

pub use libfuzzer_sys;

/// The message of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Decoders panic on some damaged files, which readers catch and report. libFuzzer's own hook would
/// end the run there; with this one only a panic that leaves the target counts.
pub fn start() {
    set_hook(Box::new(|panic| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
}

/// Runs a target on one input.
pub fn run(name: &str, input: &[u8]) {
    let target = featherank_fuzz::target(name).expect("a target of that name");
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        eprintln!("{}", LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner));
        resume_unwind(panic);
    }
}

/// The entry point of a target.
#[macro_export]
macro_rules! entry {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(
            init: $crate::start(),
            |input: &[u8]| $crate::run($name, input)
        );
    };
}
