//! The target `cell` of `crates/featherank-fuzz` for libFuzzer.
#![no_main]

featherank_libfuzzer::entry!("cell");
