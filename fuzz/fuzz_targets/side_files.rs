//! The target `side_files` of `crates/featherank-fuzz` for libFuzzer.
#![no_main]

featherank_libfuzzer::entry!("side_files");
