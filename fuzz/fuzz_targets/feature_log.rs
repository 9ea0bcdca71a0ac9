//! The target `feature_log` of `crates/featherank-fuzz` for libFuzzer.
#![no_main]

featherank_libfuzzer::entry!("feature_log");
