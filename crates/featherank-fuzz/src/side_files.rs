//! Files beside the data: query sizes, feature names, judgments, scores, runs and costs.

use std::path::Path;
use std::sync::LazyLock;

use featherank::Error;
use featherank::data::{Dataset, ReadOptions, read, read_bytes, read_costs};
use featherank::evaluate::read_scores;

use crate::readers::{check, options, refused};
use crate::sample::features;
use crate::workspace::{file, input as put_input, put};

const ROWS: &str = "1 1:1 2:2\n0 1:3 2:4\n2 1:5 2:6\n";
const RANKED: &str = "1 qid:a 1:1 2:2 # docid = x\n0 qid:a 1:3 2:4 # y\n2 qid:b 1:5 2:6 # x\n";
const LOG: &str = r#"{"qid":"a","response":{"docs":[{"id":"x","[features]":"f=1,g=2"},{"id":"y","[features]":"f=3,g=4"}]}}
{"qid":"b","hits":{"hits":[{"_id":"x","fields":{"_ltrlog":[{"log":[{"name":"f","value":5},{"name":"g","value":6}]}]}}]}}
"#;

/// The data for score files and runs.
static SCORED: LazyLock<Dataset> = LazyLock::new(|| {
    read_bytes(RANKED.into(), "a.txt", &ReadOptions::default()).expect("valid rows")
});

/// The first byte chooses the options and, with its two highest bits, which of four kinds of files
/// the rest of the input is.
pub fn side_files(input: &[u8]) -> bool {
    let Some((&choice, text)) = input.split_first() else { return false };
    let (mut options, side) = (options(choice), put_input("side", text));
    // The ids of these rows start at 1.
    options.zero_based = false;
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
        _ => return scores(&side, text),
    };
    let data = file(name);
    if !data.exists() {
        put(&data, content.as_bytes());
    }
    match read(&[&data], &options) {
        Ok(data) => check(&data, &options),
        // The location may be in the data, for instance at a document without a judgment.
        Err(error) => {
            let text = if is_at(&error, &data) { content.as_bytes() } else { text };
            return refused(&error, text);
        }
    }
    true
}

fn scores(side: &Path, text: &[u8]) -> bool {
    match read_scores(side, &SCORED) {
        Ok(ranking) => {
            assert_eq!(ranking.scores.len(), SCORED.documents());
            assert!(ranking.scores.iter().all(|score| score.is_finite()));
            true
        }
        Err(error) => refused(&error, text),
    }
}

/// Whether an error names the data file.
fn is_at(error: &Error, data: &Path) -> bool {
    matches!(error, Error::Input { at, .. } if at.file == data.display().to_string())
}

/// The costs of features.
pub fn costs(input: &[u8]) -> bool {
    match read_costs(&put_input("costs", input), features()) {
        Ok(costs) => {
            assert_eq!(costs.values.len(), features().len());
            assert!(costs.values.iter().all(|cost| cost.is_finite() && *cost >= 0.0));
            true
        }
        Err(error) => refused(&error, input),
    }
}
