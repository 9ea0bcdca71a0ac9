//! Files beside the data: query sizes, feature names, judgments, scores. The first byte chooses the
//! options and, with its two highest bits, which of the four the rest of the input is.
#![no_main]

use std::sync::OnceLock;

use featherank::data::{Dataset, ReadOptions, read, read_bytes};
use featherank::evaluate::read_scores;
use featherank_fuzz::{check, check_error, file, options, put};
use libfuzzer_sys::fuzz_target;

const ROWS: &str = "1 1:1 2:2\n0 1:3 2:4\n2 1:5 2:6\n";
const RANKED: &str = "1 qid:a 1:1 2:2 # docid = x\n0 qid:a 1:3 2:4 # y\n2 qid:b 1:5 2:6 # x\n";
const LOG: &str = r#"{"qid":"a","response":{"docs":[{"id":"x","[features]":"f=1,g=2"},{"id":"y","[features]":"f=3,g=4"}]}}
{"qid":"b","hits":{"hits":[{"_id":"x","fields":{"_ltrlog":[{"log":[{"name":"f","value":5},{"name":"g","value":6}]}]}}]}}
"#;

/// The data for score files.
fn ranked() -> &'static Dataset {
    static DATA: OnceLock<Dataset> = OnceLock::new();
    DATA.get_or_init(|| read_bytes(RANKED.into(), "a.txt", &ReadOptions::default()).expect("valid rows"))
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else { return };
    let (mut options, side) = (options(choice), file("side"));
    // The ids of these rows start at 1.
    options.zero_based = false;
    put(&side, text);
    let (content, name) = match choice >> 6 {
        0 => {
            options.groups = Some(side.clone());
            (ROWS, "a.txt")
        }
        1 => {
            options.names = Some(side.clone());
            (RANKED, "b.txt")
        }
        2 => {
            options.judgments = Some(side.clone());
            (LOG, "c.json")
        }
        _ => {
            match read_scores(&side, ranked()) {
                Ok(ranking) => {
                    assert_eq!(ranking.scores.len(), ranked().documents());
                    assert!(ranking.scores.iter().all(|score| score.is_finite()));
                }
                Err(error) => check_error(&error, text),
            }
            return;
        }
    };
    let data = file(name);
    if !data.exists() {
        put(&data, content.as_bytes());
    }
    match read(&[&data], &options) {
        Ok(data) => check(&data, &options),
        // The location may be in the data, for instance at a document without a judgment.
        Err(error) => check_error(&error, if at(&error, &data) { content.as_bytes() } else { text }),
    }
});

/// Whether an error names the data file.
fn at(error: &featherank::Error, data: &std::path::Path) -> bool {
    matches!(error, featherank::Error::Input { at, .. } if at.file == data.display().to_string())
}
