//! Feature logs: the first byte chooses the options, the rest is the JSON.
#![no_main]

use featherank::data::read_bytes;
use featherank_fuzz::{check, check_error, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else { return };
    let options = options(choice);
    match read_bytes(text.to_vec(), "fuzz.json", &options) {
        Ok(data) => check(&data, &options),
        Err(error) => check_error(&error, text),
    }
});
