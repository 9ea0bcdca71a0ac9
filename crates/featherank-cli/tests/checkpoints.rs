//! Long runs as processes: after being killed at any time, they resume and give the same bytes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use featherank::internals::random::{Purpose, stream};
use rand::RngExt;

fn featherank(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_featherank"));
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finished(folder: &Path, args: &[&str]) -> Output {
    featherank(folder, args).output().unwrap()
}

/// A folder with data, the result of an uninterrupted run, and its duration.
fn uninterrupted(args: &[&str]) -> (tempfile::TempDir, Vec<u8>, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let made = ["synth", "-o", "data", "--set", "queries=120", "--set", "documents=2400", "-q"];
    assert!(finished(folder.path(), &made).status.success());
    let start = Instant::now();
    let output = finished(folder.path(), &[args, &["-o", "whole.json"]].concat());
    let time = start.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let whole = fs::read(folder.path().join("whole.json")).unwrap();
    (folder, whole, time)
}

/// Kills the run at random times until it finishes, and returns the number of kills.
fn interrupted(folder: &Path, args: &[&str], longest: Duration) -> u32 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let mut rng = stream(now.as_nanos() as u64, Purpose::Test, 0);
    let mut killed = 0;
    loop {
        let mut process = featherank(folder, args).spawn().unwrap();
        std::thread::sleep(longest.mul_f64(rng.random::<f64>()));
        process.kill().unwrap();
        if process.wait().unwrap().success() {
            return killed;
        }
        killed += 1;
        assert!(killed < 1000, "the run never gets through");
    }
}

#[test]
fn a_run_killed_many_times_gives_the_same_bytes() {
    let select = ["select", "data/train.txt", "--method", "spea2", "-p", "generations=30", "-q"];
    let (folder, whole, time) = uninterrupted(&select);
    let folder = folder.path();
    let mut killed = 0;
    for turn in 0..20 {
        let kept = format!("kept{turn}.json");
        let args = [&select[..], &["--checkpoint", &kept, "-o", "result.json"]].concat();
        killed += interrupted(folder, &args, time);
        assert_eq!(fs::read(folder.join("result.json")).unwrap(), whole);
        assert!(!folder.join(kept).exists(), "a run that has ended leaves no checkpoint");
        fs::remove_file(folder.join("result.json")).unwrap();
    }
    assert!(killed >= 10, "killed {killed} times only: the run is too short for this test");
}

#[test]
fn damaged_and_foreign_checkpoints_are_refused() {
    let select = ["select", "data/train.txt", "--method", "spea2", "-p", "generations=3", "-q"];
    let (folder, _, _) = uninterrupted(&select);
    let folder = folder.path();
    // The time limit is reached after some generations, so that the checkpoint is kept.
    let select =
        ["select", "data/train.txt", "--method", "spea2", "-p", "generations=1000000", "-q"];
    let short = [&select[..], &["--checkpoint", "kept.json", "--time-limit", "1s"]].concat();
    assert!(finished(folder, &short).status.success());
    let kept = fs::read(folder.join("kept.json")).unwrap();
    let refused = |args: &[&str], content: &[u8], says: &str| {
        fs::write(folder.join("kept.json"), content).unwrap();
        let output = finished(folder, &[args, &["--checkpoint", "kept.json"]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(says), "{error}");
        assert_eq!(
            fs::read(folder.join("kept.json")).unwrap(),
            content,
            "what is refused is left alone"
        );
    };
    refused(&select, &kept[..kept.len() / 2], "checkpoint");
    refused(&select, b"", "checkpoint");
    refused(&select, b"my only copy of something else", "not a featherank checkpoint");
    refused(&[&select[..], &["--seed", "2"]].concat(), &kept, "the seed is 1 there and 2 here");
    refused(&[&select[..], &["--k", "4"]].concat(), &kept, "the constraints differ");
}

/// One flipped bit anywhere in a checkpoint ends the run before it selects anything.
#[test]
fn damaged_checkpoints_are_named() {
    let select = ["select", "data/train.txt", "--method", "spea2", "-p", "generations=3", "-q"];
    let (folder, _, _) = uninterrupted(&select);
    let folder = folder.path();
    let select =
        ["select", "data/train.txt", "--method", "spea2", "-p", "generations=1000000", "-q"];
    let short = [&select[..], &["--checkpoint", "kept.json", "--time-limit", "1s"]].concat();
    assert!(finished(folder, &short).status.success());
    let kept = fs::read(folder.join("kept.json")).unwrap();
    for place in (0..8).map(|part| part * kept.len() / 8 + part) {
        let mut damaged = kept.clone();
        damaged[place] ^= 1;
        fs::write(folder.join("kept.json"), &damaged).unwrap();
        let args = [&select[..], &["--checkpoint", "kept.json", "-o", "s.json"]].concat();
        let output = finished(folder, &args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("kept.json") && !error.contains("panicked"), "{error}");
        assert!(!folder.join("s.json").exists());
    }
}

/// A second run on the same checkpoint or folder fails, and the error names the process that uses
/// it; the lock of a process that was killed does not count, and its temporary files are removed.
#[test]
fn runs_do_not_share_checkpoints_or_folders() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(finished(folder, &["synth", "-o", "data", "-q"]).status.success());
    let select: &[&str] = &[
        "select",
        "data/train.txt",
        "--method",
        "spea2",
        "-p",
        "generations=1000000",
        "-q",
        "--checkpoint",
        "kept.json",
        "--time-limit",
        "60s",
    ];
    let compare: &[&str] = &[
        "compare",
        "data/train.txt",
        "--folds",
        "3",
        "--methods",
        "spea2[generations=1000000]",
        "--rankers",
        "linear-regression",
        "-o",
        "results",
        "-q",
    ];
    for (args, lock) in [(select, "kept.json.lock"), (compare, "results/.lock")] {
        let mut first = featherank(folder, args).spawn().unwrap();
        let held = || fs::read_to_string(folder.join(lock)).is_ok_and(|text| !text.is_empty());
        while !held() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let second = finished(folder, args);
        let error = String::from_utf8(second.stderr).unwrap();
        assert_eq!(second.status.code(), Some(1), "{error}");
        assert!(error.contains(&format!("in use by process {}", first.id())), "{error}");
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(held(), "a killed process leaves the lock file");
        // The next run starts, which takes longer than being refused.
        let mut third = featherank(folder, args).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        assert!(third.try_wait().unwrap().is_none(), "a stale lock is taken over");
        third.kill().unwrap();
        third.wait().unwrap();
    }
    fs::write(folder.join(".featherank-left.tmp"), "half of a file").unwrap();
    let top_k = ["select", "data/train.txt", "--method", "top-k", "-q", "-o", "s.json"];
    assert!(finished(folder, &top_k).status.success());
    assert!(!folder.join(".featherank-left.tmp").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_resume() {
    let select = ["select", "data/train.txt", "--method", "spea2", "-p", "generations=1000000"];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(finished(folder, &["synth", "-o", "data", "-q"]).status.success());
    crate::common::signals::obey_signals();
    let process = featherank(folder, &[&select[..], &["--checkpoint", "kept.json"]].concat())
        .spawn()
        .unwrap();
    while !folder.join("kept.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    crate::common::signals::send("-INT", &process);
    let output = process.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("rerun the same command to resume from "), "{said}");
}

#[test]
fn time_limits_are_respected() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(finished(folder, &["synth", "-o", "data", "-q"]).status.success());
    let select = ["select", "data/train.txt", "--method"];
    let said = |args: &[&str]| {
        let output = finished(folder, &[&select[..], args].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, error) = said(&["spea2", "-p", "generations=1000000", "--time-limit", "0.3s"]);
    assert!(
        code == Some(0) && error.contains("limit was reached; this is the best selection so far"),
        "{error}"
    );
    let (code, error) = said(&["rsrank", "-p", "iterations=100000", "--time-limit", "0.3s"]);
    assert!(code == Some(1) && error.contains("the time limit was reached"), "{error}");
    let (code, error) = said(&["top-k", "--checkpoint", "kept.json"]);
    assert!(code == Some(0) && error.contains("--checkpoint is ignored"), "{error}");
    assert!(error.contains("note: method `top-k` does not write checkpoints"), "{error}");
    for wrong in ["0", "0s", "soon", "3d", "m", ""] {
        let (code, error) = said(&["spea2", "--time-limit", wrong]);
        assert!(code == Some(2) && error.contains("90s, 10m or 1h30m"), "{wrong}: {error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_printed_keeps_its_checkpoint() {
    let select = ["select", "data/train.txt", "--method", "spea2", "-p", "generations=3", "-q"];
    let (folder, whole, _) = uninterrupted(&select);
    let folder = folder.path();
    for printed in [&["--json"][..], &["-o", "-"], &[]] {
        let args = [&select[..], &["--checkpoint", "kept.json"], printed].concat();
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert!(!featherank(folder, &args).stdout(full).status().unwrap().success(), "{printed:?}");
        assert!(folder.join("kept.json").exists(), "{printed:?}");
        let output = finished(folder, &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!folder.join("kept.json").exists(), "{printed:?}");
        assert!(!folder.join("kept.json.lock").exists(), "{printed:?}");
        if !printed.is_empty() {
            assert_eq!(output.stdout, whole, "{printed:?}");
        }
    }
}
