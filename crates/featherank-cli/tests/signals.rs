//! Signals, closed outputs and threads, with real processes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

mod common;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use common::{obey_signals, send};

/// How long a command may take to end after a signal.
const ENDING: Duration = Duration::from_secs(2);

/// A search that takes hours, and saves its progress after every generation.
const SEARCH: &[&str] = &[
    "select",
    "data/train.txt",
    "--method",
    "spea2",
    "-p",
    "generations=10000000",
    "--checkpoint",
    "kept.json",
    "-o",
    "best.json",
];

fn folder() -> tempfile::TempDir {
    obey_signals();
    let folder = tempfile::tempdir().unwrap();
    let made = ["synth", "-o", "data", "--set", "queries=120", "--set", "documents=2400", "-q"];
    assert!(featherank(folder.path(), &made).status().unwrap().success());
    folder
}

fn featherank(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_featherank"));
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until a file exists.
fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} is not written", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What a process printed, and how it ended.
struct Ended {
    status: ExitStatus,
    stdout: String,
    stderr: String,
    time: Duration,
}

fn ended(mut process: Child) -> Ended {
    // Waiting would close it.
    let _open = process.stdin.take();
    let start = Instant::now();
    let status = process.wait().unwrap();
    let time = start.elapsed();
    let (mut stdout, mut stderr) = (String::new(), String::new());
    process.stdout.iter_mut().for_each(|pipe| drop(pipe.read_to_string(&mut stdout)));
    process.stderr.iter_mut().for_each(|pipe| drop(pipe.read_to_string(&mut stderr)));
    Ended { status, stdout, stderr, time }
}

#[test]
fn a_signal_keeps_the_checkpoint_and_prints_the_best_so_far() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let folder = folder();
        let process = featherank(folder.path(), SEARCH).spawn().unwrap();
        wait_for(&folder.path().join("kept.json"));
        send(signal, &process);
        let Ended { status, stdout, stderr, time } = ended(process);
        assert_eq!(status.code(), Some(code), "{stderr}");
        assert!(time < ENDING, "{time:?}");
        assert!(folder.path().join("kept.json").exists());
        assert!(folder.path().join("best.json").exists());
        assert!(stdout.starts_with("spea2 selected "), "{stdout}");
        for words in ["stopping", "best selection so far", "resume from kept.json"] {
            assert!(stderr.contains(words), "{stderr}");
        }
    }
}

#[test]
fn a_second_interrupt_ends_the_command_at_once() {
    let folder = folder();
    let process = featherank(folder.path(), SEARCH).spawn().unwrap();
    wait_for(&folder.path().join("kept.json"));
    send("-INT", &process);
    send("-INT", &process);
    let Ended { status, time, .. } = ended(process);
    assert_eq!(status.code(), Some(130));
    assert!(time < ENDING, "{time:?}");
}

#[test]
fn training_reading_and_comparing_stop() {
    let folder = folder();
    for args in [
        &["train", "data/train.txt", "--ranker", "lambdamart", "-p", "trees=100000"][..],
        &["train", "data/train.txt", "--ranker", "random-forest", "-p", "trees=100000"],
        &["select", "-", "--method", "top-k"],
        &[
            "compare",
            "data/train.txt",
            "--methods",
            "rfe",
            "--rankers",
            "lambdamart",
            "-o",
            "results",
        ],
    ] {
        let mut command = featherank(folder.path(), args);
        let process = command.stdin(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1000));
        send("-INT", &process);
        let Ended { status, time, stderr, .. } = ended(process);
        assert_eq!(status.code(), Some(130), "{args:?}: {stderr}");
        assert!(time < ENDING, "{args:?}: {time:?}");
    }
}

/// As `nohup` and the background jobs of shells start their commands.
#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = folder();
    let script =
        format!("trap '' INT HUP; exec {} {}", env!("CARGO_BIN_EXE_featherank"), SEARCH.join(" "));
    let process = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let kept = folder.path().join("kept.json");
    wait_for(&kept);
    ["-INT", "-HUP", "-INT"].into_iter().for_each(|signal| send(signal, &process));
    std::thread::sleep(Duration::from_millis(300));
    // The search goes on.
    fs::remove_file(&kept).unwrap();
    wait_for(&kept);
    send("-TERM", &process);
    assert_eq!(ended(process).status.code(), Some(143));
}

#[test]
fn full_and_closed_outputs_do_not_lose_the_result() {
    let folder = folder();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let closed = || Stdio::from(std::io::pipe().unwrap().1);
    let select = ["select", "data/train.txt", "--method", "spea2", "-p", "generations=2"];
    let compare = [
        "compare",
        "data/train.txt",
        "--methods",
        "top-k",
        "--rankers",
        "rankrls",
        "-o",
        "results",
    ];
    for (args, result) in [(&select[..], "best.json"), (&compare, "results/results.json")] {
        let args = if args == select { [args, &["-o", result]].concat() } else { args.to_vec() };
        for (stdout, stderr, code) in [
            (full(), Stdio::piped(), 1),
            (closed(), Stdio::piped(), 0),
            (Stdio::piped(), full(), 0),
            (Stdio::piped(), closed(), 0),
            (full(), full(), 1),
        ] {
            let mut command = featherank(folder.path(), &args);
            let process = command.stdout(stdout).stderr(stderr).spawn().unwrap();
            let Ended { status, stderr, .. } = ended(process);
            assert_eq!(status.code(), Some(code), "{stderr}");
            assert!(!stderr.contains("panicked"), "{stderr}");
            fs::remove_file(folder.path().join(result)).unwrap();
        }
    }
}

#[test]
fn the_number_of_threads_is_bounded() {
    let folder = folder();
    for number in ["1025", "99999999999999999999", "-1", "two"] {
        let threads = format!("--threads={number}");
        let process = featherank(folder.path(), &["methods", &threads]).spawn().unwrap();
        let Ended { status, stderr, .. } = ended(process);
        assert_eq!(status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("from 0 to 1024"), "{stderr}");
    }
}

/// A thread takes some address space, which is limited here.
#[test]
#[cfg(target_os = "linux")]
fn threads_that_cannot_be_started_are_an_error() {
    let folder = folder();
    let script = format!(
        "ulimit -v 1000000; exec {} inspect data/train.txt --threads 1024",
        env!("CARGO_BIN_EXE_featherank")
    );
    let process = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let Ended { status, stderr, .. } = ended(process);
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert!(stderr.contains("cannot start 1024 threads"), "{stderr}");
    assert_eq!(status.code(), Some(2), "{stderr}");
}
