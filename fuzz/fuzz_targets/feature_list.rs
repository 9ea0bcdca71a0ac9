//! The target `feature_list` of `crates/featherank-fuzz` for libFuzzer.
#![no_main]

featherank_libfuzzer::entry!("feature_list");
