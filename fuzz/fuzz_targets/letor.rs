//! LETOR text, plain or compressed: the first byte chooses the options, the rest is the file.
#![no_main]

use featherank::data::{WriteOptions, read, read_bytes, write};
use featherank_fuzz::{check, check_error, file, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else { return };
    let options = options(choice);
    let data = match read_bytes(text.to_vec(), "fuzz.txt", &options) {
        Ok(data) => data,
        Err(error) => return check_error(&error, text),
    };
    check(&data, &options);
    // Files are slow: a part of the inputs is enough to detect a data set that does not survive
    // writing.
    if text.len() % 16 == 0 {
        let path = file("again.txt");
        let sparse = choice & 64 != 0;
        // The writer rejects a few query ids that the reader accepts, such as those with a no-break
        // space.
        if write(&data, &path, &WriteOptions { sparse, names: None }).is_ok() {
            let again = read(&[&path], &options).expect("what was written can be read");
            assert_eq!(again, data, "what was written is read back");
        }
    }
});
