//! The target `selection` of `crates/featherank-fuzz` for libFuzzer.
#![no_main]

featherank_libfuzzer::entry!("selection");
