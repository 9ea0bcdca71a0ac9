//! Signals to processes that tests start.

use std::process::{Child, Command};
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT};
use signal_hook::flag::register_conditional_default;

/// Lets processes that are started from now on obey SIGINT and SIGHUP. `nohup` and background jobs
/// of shells ignore them, and children inherit that, but not a handler.
pub fn obey_signals() {
    for signal in [SIGINT, SIGHUP] {
        register_conditional_default(signal, Arc::new(true.into())).unwrap();
    }
}

/// Sends a signal, such as `-INT`.
pub fn send(signal: &str, process: &Child) {
    let id = process.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
}
