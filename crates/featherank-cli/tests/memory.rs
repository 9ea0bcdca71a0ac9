//! The memory of the command is bounded, whatever a small file claims or unpacks to.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// The limit that the command is given.
const LIMIT: &str = "50MiB";

/// What it may take: the limit, the text that is read ahead, one long line with its copies, and the
/// program itself.
const MOST: u64 = 400 * MIB;

/// A compressed file of `count` parts, some of them long.
fn bomb(path: &Path, start: &str, count: usize, part: impl Fn(usize) -> Vec<u8>) {
    let file = std::fs::File::create(path).unwrap();
    let mut out = zstd::Encoder::new(file, 1).unwrap();
    out.write_all(start.as_bytes()).unwrap();
    (0..count).for_each(|i| out.write_all(&part(i)).unwrap());
    out.finish().unwrap();
}

/// The largest memory of the command, and what it printed on standard error.
fn peak(folder: &Path, line: &str) -> (u64, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(line.split(' '))
        .args(["--max-memory", LIMIT, "--threads", "2"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut most = 0;
    // A process that has ended has no memory to report.
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let peak = status.ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        });
        most = most.max(peak.unwrap_or(0) * 1024);
        if most > 4 * MOST {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    (most, error)
}

#[test]
fn small_files_never_take_more_memory_than_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.txt"), "1 1:1\n0 1:2\n").unwrap();
    let long = "x".repeat(16 * MIB as usize);
    let row = |row: String| move |_| row.clone().into_bytes();
    bomb(&at("comment.txt"), "", 60, row(format!("1 qid:1 1:1 #{long}\n")));
    bomb(&at("qid.txt"), "", 60, |i| format!("1 qid:{i}{long} 1:1\n").into_bytes());
    bomb(&at("rows.txt"), "0 qid:1 1:1\n", 400, row("0 qid:1\n".repeat(100_000)));
    bomb(&at("qids.txt"), "", 40, |part| {
        let rows = (0..100_000).map(|i| format!("1 qid:{} 1:1\n", part * 100_000 + i));
        rows.collect::<String>().into_bytes()
    });
    bomb(&at("document.csv"), "label,qid,docid,a\n", 60, row(format!("1,1,{long},1\n")));
    bomb(&at("log.json"), "{\"a\":[0", 60, row(",0".repeat(MIB as usize)));
    bomb(&at("lines"), "", 30, row("1\n".repeat(MIB as usize)));
    let qrels = (0..100_000).map(|i| format!("1 0 d{i} 1\n")).collect::<String>();
    bomb(&at("qrels"), "", 40, row(qrels));
    std::fs::write(at("b.json"), "{}").unwrap();
    for line in [
        "inspect comment.txt",
        "inspect qid.txt",
        "inspect rows.txt",
        "inspect qids.txt",
        "inspect document.csv",
        "inspect log.json",
        "inspect a.txt --group lines",
        "inspect a.txt --group a.group --names lines",
        "inspect b.json --judgments qrels",
    ] {
        std::fs::write(at("a.group"), "2\n").unwrap();
        let (most, error) = peak(folder.path(), line);
        assert!(most < MOST, "{line} took {} MiB: {error}", most / MIB);
        assert!(error.contains(" MiB") || error.contains(" GiB"), "{line}: {error}");
    }
}

/// A limit beyond the address space does not count.
#[test]
fn the_address_space_is_respected() {
    let folder = tempfile::tempdir().unwrap();
    let row = |label: usize, query: usize| {
        let cells = (1..=9_000).map(|f| format!(" {f}:{}", (f * (label + 7) + query) % 13));
        format!("{label} qid:{query}{}\n", cells.collect::<String>())
    };
    let rows: String = (0..8).map(|i| row(i % 3, i / 4)).collect();
    std::fs::write(folder.path().join("a.txt"), rows).unwrap();
    for method in ["mrmr", "greedy-rankrls", "mofsrank"] {
        let command = format!(
            "ulimit -v 2000000; exec {} select a.txt --method {method} --k 3 --threads 2 \
             --max-memory 1000GB",
            env!("CARGO_BIN_EXE_featherank")
        );
        let ran = Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output();
        let ran = ran.unwrap();
        let error = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() || ran.status.code() == Some(2), "{method}: {error}");
    }
}
