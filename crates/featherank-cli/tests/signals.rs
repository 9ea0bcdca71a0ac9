//! Signals, closed outputs and threads, with real processes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

#[path = "common/signals.rs"]
mod processes;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use processes::{obey_signals, send};

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

/// Every command that can take long, on data with which it takes seconds. A busy machine may be
/// late once, but not three times in a row.
#[test]
fn every_command_ends_within_two_seconds_of_an_interrupt() {
    const ATTEMPTS: usize = 3;
    const AT_ONCE: Duration = Duration::from_millis(500);
    let folder = folder();
    let at = folder.path();
    let big = ["synth", "-o", "big", "--set", "queries=800", "--set", "documents=40000"];
    let wide = ["--set", "noisy=60", "--set", "redundant=40", "-q"];
    assert!(featherank(at, &[&big[..], &wide].concat()).status().unwrap().success());
    let tree = ["train", "data/train.txt", "--ranker", "mart", "-p", "trees=2", "-o", "model.json"];
    assert!(featherank(at, &tree).status().unwrap().success());
    let folds = ["Fold1", "Fold2", "Fold3"].map(|fold| at.join("folds").join(fold));
    for fold in folds {
        fs::create_dir_all(&fold).unwrap();
        for part in ["train.txt", "vali.txt", "test.txt"] {
            fs::hard_link(at.join("big").join(part), fold.join(part)).unwrap();
        }
    }
    let long = "select big/train.txt --valid big/vali.txt";
    for args in [
        "demo -o demo",
        "inspect big/train.txt --redundancy",
        &format!("{long} --ranker lambdamart"),
        &format!("{long} --method rfe"),
        &format!("{long} --method l1-svm"),
        "train big/train.txt --valid big/vali.txt --ranker listnet -p epochs=100000",
        "train big/train.txt --valid big/vali.txt --ranker lambdamart --tune",
        "train big/train.txt --ranker mart --importance permutation -p trees=2000",
        "evaluate big/train.txt --feature 1 --feature 2 --resamples 1000000 --risk",
        "compare big/train.txt --methods spea2 --rankers lambdamart -o one",
        "compare folds --methods top-k --rankers lambdamart -o parts",
        "convert big/train.txt big/vali.txt big/test.txt all.parquet",
        "synth -o more --set queries=40000 --set documents=2000000",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let mut times = Vec::new();
        while times.len() < ATTEMPTS && times.last().is_none_or(|time| *time > ENDING) {
            let process = featherank(at, &args).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(700));
            send("-INT", &process);
            let Ended { status, stderr, time, .. } = ended(process);
            if status.success() {
                println!("{args:?} ended before the signal");
                break;
            }
            assert_eq!(status.code(), Some(130), "{args:?}: {stderr}");
            println!("{args:?}: {time:.2?} {stderr}");
            // Files are written atomically: without a run that keeps something, it just ends.
            let is_acknowledged = time < AT_ONCE || stderr.contains("stopping");
            times.push(if is_acknowledged { time } else { Duration::MAX });
        }
        assert!(times.is_empty() || times.iter().any(|time| *time < ENDING), "{args:?}: {times:?}");
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
