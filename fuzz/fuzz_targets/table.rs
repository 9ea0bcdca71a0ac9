//! CSV and TSV: the first byte chooses the options and the separator, the rest is the file.
#![no_main]

use featherank::data::read_bytes;
use featherank_fuzz::{check, check_error, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else { return };
    let mut options = options(choice);
    let name = if choice & 64 == 0 { "fuzz.csv" } else { "fuzz.tsv" };
    if choice & 128 != 0 {
        options.label_column = Some("a".into());
        options.ignore = vec!["b".into()];
    }
    match read_bytes(text.to_vec(), name, &options) {
        Ok(data) => check(&data, &options),
        Err(error) => check_error(&error, text),
    }
});
