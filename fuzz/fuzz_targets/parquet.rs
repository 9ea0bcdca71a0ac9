//! Parquet: the first byte chooses the options, the rest is the file.
#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook};
use std::sync::Mutex;

use featherank::data::read_bytes;
use featherank_fuzz::{check, options};
use libfuzzer_sys::fuzz_target;

/// The message of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fuzz_target!(
    init: {
        // The decoder panics on some damaged files, which the reader catches and reports.
        // libFuzzer's own hook would end the run there; with this one only a panic that leaves the
        // reader counts.
        set_hook(Box::new(|panic| {
            if let Ok(mut last) = LAST_PANIC.lock() {
                *last = panic.to_string();
            }
        }));
    },
    |input: &[u8]| {
        let Some((&choice, bytes)) = input.split_first() else { return };
        let mut options = options(choice);
        if choice & 128 != 0 {
            options.label_column = Some("a".into());
            options.ignore = vec!["b".into()];
        }
        let run = || match read_bytes(bytes.to_vec(), "fuzz.parquet", &options) {
            Ok(data) => check(&data, &options),
            Err(error) => drop(error.to_string()),
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            eprintln!("{}", LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default());
            resume_unwind(panic);
        }
    }
);
