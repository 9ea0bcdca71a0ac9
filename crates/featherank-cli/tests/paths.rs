//! No path on the command line destroys another: for every command, every output is set to every
//! input and every other output, in several spellings, and all files keep their content.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::run;

/// A command with an option or placeholder for each of its paths.
struct Paths {
    command: &'static str,
    inputs: &'static [&'static str],
    outputs: &'static [&'static str],
}

const COMMANDS: [Paths; 7] = [
    Paths {
        command: "select --method top-k",
        inputs: &["TRAIN", "--valid", "--costs", "--names", "--group", "--judgments"],
        outputs: &["--output", "--model", "--checkpoint"],
    },
    Paths {
        command: "train --ranker rankrls",
        inputs: &["TRAIN", "--valid", "--selection", "--names", "--group", "--judgments"],
        outputs: &["--output"],
    },
    Paths {
        command: "rank",
        inputs: &["DATA", "--model", "--names", "--group", "--judgments"],
        outputs: &["--output"],
    },
    Paths {
        command: "export --to solr",
        inputs: &["MODEL", "--featureset"],
        outputs: &["--output"],
    },
    Paths {
        command: "convert",
        inputs: &["INPUT", "--names", "--group", "--judgments"],
        outputs: &["OUTPUT", "--names-out"],
    },
    Paths {
        command: "inspect --redundancy",
        inputs: &["DATA", "--names", "--group", "--judgments"],
        outputs: &["--output"],
    },
    Paths { command: "report", inputs: &["RESULTS"], outputs: &["--output"] },
];

const ROWS: &str = "1 qid:1 1:2 2:1\n0 qid:1 1:1 2:2\n1 qid:2 1:2 2:1\n0 qid:2 1:1 2:2\n";

/// The file of an option.
fn file(option: &str) -> String {
    format!("{}.json", option.trim_start_matches('-'))
}

/// The arguments of a command, with `paths` instead of the usual files.
fn arguments(command: &Paths, paths: &BTreeMap<&str, String>) -> Vec<String> {
    let mut words: Vec<String> = command.command.split(' ').map(str::to_owned).collect();
    let path = |option: &&str| paths.get(*option).cloned().unwrap_or_else(|| file(option));
    let all = || command.inputs.iter().chain(command.outputs);
    words.extend(all().filter(|option| !option.starts_with('-')).map(path));
    for option in all().filter(|option| option.starts_with('-')) {
        words.extend([(*option).to_owned(), path(option)]);
    }
    words
}

fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = files.filter(|entry| entry.path().is_file());
    files
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// A folder with the inputs of a command.
fn prepared(command: &Paths) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    for option in command.inputs {
        std::fs::write(folder.path().join(file(option)), format!("precious {option}")).unwrap();
    }
    folder
}

/// Other ways to write the path of a file; links only to files that exist.
fn spellings(folder: &Path, name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned(), format!("./sub/.././{name}")];
    all.push(folder.join(name).display().to_string());
    #[cfg(unix)]
    {
        let link = format!("link-{name}");
        let _ = std::os::unix::fs::symlink(name, folder.join(&link));
        all.push(link);
        let hard = format!("hard-{name}");
        if folder.join(name).exists() {
            let _ = std::fs::hard_link(folder.join(name), folder.join(&hard));
            all.push(hard);
        }
    }
    all
}

#[test]
fn equal_paths_are_refused_with_both_options_and_nothing_is_lost() {
    let mut tested = 0;
    for command in &COMMANDS {
        for output in command.outputs {
            let others = command.inputs.iter().chain(command.outputs);
            for other in others.filter(|other| *other != output) {
                let folder = prepared(command);
                for spelling in spellings(folder.path(), &file(other)) {
                    let before = content(folder.path());
                    let words = arguments(command, &BTreeMap::from([(*output, spelling)]));
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    let ran = run(folder.path(), &words);
                    let error = String::from_utf8(ran.stderr).unwrap();
                    assert_eq!(ran.status.code(), Some(2), "{words:?}: {error}");
                    assert!(error.contains("are the same file"), "{words:?}: {error}");
                    for option in [output, other] {
                        assert!(
                            error.contains(option),
                            "{words:?} does not name {option}: {error}"
                        );
                    }
                    assert!(ran.stdout.is_empty(), "{words:?}");
                    assert_eq!(content(folder.path()), before, "{words:?}");
                    tested += 1;
                }
            }
        }
    }
    assert!(tested > 100, "only {tested} combinations");
}

/// The outputs of a folder and files that are read without being named.
#[test]
fn files_that_are_not_named_are_kept_too() {
    for (args, says) in [
        (&["compare", "out/tables.txt", "--rankers", "rankrls", "-o", "out"][..], "DATA"),
        (
            &[
                "compare",
                "data.txt",
                "--rankers",
                "rankrls",
                "-o",
                "out",
                "--costs",
                "out/tables.md",
            ],
            "--costs",
        ),
        (&["report", "out", "-o", "out/results.json"], "a file of RESULTS"),
        (&["report", "out", "-o", "out/plan.json"], "a file of RESULTS"),
        (&["convert", "data.txt", "data.txt.query"], "the query sizes of INPUT"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        std::fs::create_dir(&out).unwrap();
        for name in ["tables.txt", "tables.md", "results.json", "plan.json"] {
            std::fs::write(out.join(name), "precious").unwrap();
        }
        std::fs::write(folder.path().join("data.txt"), "precious").unwrap();
        let before = (content(folder.path()), content(&out));
        let ran = run(folder.path(), args);
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains("are the same file") && error.contains(says), "{args:?}: {error}");
        assert_eq!((content(folder.path()), content(&out)), before, "{args:?}");
    }
}

/// The inputs do not exist, so the complaint about the output shows that it is checked first.
#[test]
fn outputs_are_checked_before_any_input_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let mut targets = vec![("absent/x.json", "folder does not exist"), (".", "this is a folder")];
    if cfg!(target_os = "linux") {
        targets.push(("/proc/x.json", "cannot write /proc/x.json"));
    }
    for command in &COMMANDS {
        for output in command.outputs {
            for (target, says) in &targets {
                let words = arguments(command, &BTreeMap::from([(*output, (*target).to_owned())]));
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let ran = run(folder.path(), &words);
                let error = String::from_utf8(ran.stderr).unwrap();
                assert_eq!(ran.status.code(), Some(1), "{words:?}: {error}");
                assert!(error.contains(says), "{words:?}: {error}");
            }
        }
    }
    for args in [
        &["compare", "absent.txt", "--rankers", "rankrls", "-o", "file"][..],
        &["synth", "-o", "file/x"],
        &["demo", "-o", "file"],
    ] {
        let ran = run(folder.path(), args);
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{args:?}: {error}");
        assert!(error.contains("not a folder"), "{args:?}: {error}");
    }
}

/// A file that would be the lock of a checkpoint or of a folder is no lock.
#[test]
fn locks_replace_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("out")).unwrap();
    for (data, args) in [
        ("m.lock", "select m.lock --format letor --method spea2 --checkpoint m"),
        ("m.lock", "select a.txt --valid m.lock --method spea2 --checkpoint m"),
        ("m.lock", "select a.txt --method spea2 --checkpoint m"),
        ("m.lock", "select a.txt --method spea2 --checkpoint link"),
        ("out/.lock", "compare out/.lock --format letor --rankers rankrls -o out"),
        ("out/.lock", "compare a.txt --rankers rankrls --folds 2 -o out"),
    ] {
        std::fs::write(at(data), ROWS).unwrap();
        std::fs::write(at("a.txt"), ROWS).unwrap();
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink("m", at("link"));
        let ran = run(folder.path(), &args.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_ne!(ran.status.code(), Some(0), "{args}");
        let says = ["are the same file", "would replace the file"];
        assert!(says.iter().any(|says| error.contains(says)), "{args}: {error}");
        assert_eq!(std::fs::read_to_string(at(data)).unwrap(), ROWS, "{args}");
    }
}

/// The document is on standard output, everything else on standard error.
#[test]
fn a_dash_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), ROWS).unwrap();
    std::fs::write(folder.path().join("-"), ROWS).unwrap();
    for (args, kind) in [
        ("select a.txt --method top-k -o -", "selection"),
        ("select a.txt --method l1-svm --model -", "model"),
        ("select a.txt --method top-k -o - --json", "selection"),
        ("train ./- --format letor --ranker rankrls -o -", "model"),
    ] {
        let ran = run(folder.path(), &args.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(0), "{args}: {error}");
        let document: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(document["featherank"], kind, "{args}");
        assert!(!error.is_empty(), "{args}");
        assert_eq!(content(folder.path()).len(), 2, "{args}");
        assert_eq!(std::fs::read_to_string(folder.path().join("-")).unwrap(), ROWS, "{args}");
    }
}

/// A stream that fails does not keep the files from being written.
#[cfg(target_os = "linux")]
#[test]
fn files_are_written_before_streams() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), ROWS).unwrap();
    for (args, written) in [
        ("select a.txt --method l1-svm -o - --model m.json", "m.json"),
        ("select a.txt --method l1-svm -o /dev/stdout --model m2.json", "m2.json"),
        ("select a.txt --method l1-svm --model - -o s.json", "s.json"),
        ("convert a.txt - --names-out n.txt", "n.txt"),
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = Command::new(env!("CARGO_BIN_EXE_featherank"))
            .args(args.split(' '))
            .current_dir(folder.path())
            .stdout(full)
            .output()
            .unwrap();
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{args}: {error}");
        assert!(folder.path().join(written).exists(), "{args}: {error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices_can_be_outputs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), ROWS).unwrap();
    let ran = run(folder.path(), &["select", "a.txt", "--method", "top-k", "-qo", "/dev/stdout"]);
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success() && text.contains("\"featherank\": \"selection\""), "{text}");
    for (name, target) in [("l1", "l2"), ("l2", "l1"), ("dangling", "absent/x")] {
        std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
    }
    for name in ["l1", "dangling"] {
        // The data does not exist: the output is checked first.
        let ran = run(folder.path(), &["select", "absent.txt", "-o", name]);
        let error = String::from_utf8(ran.stderr).unwrap();
        assert!(error.contains(&format!("cannot write {name}")), "{error}");
        assert!(folder.path().join(name).is_symlink());
    }
}

/// A file to which a shell redirects a stream keeps what is in it.
#[cfg(target_os = "linux")]
#[test]
fn redirected_streams_are_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), ROWS).unwrap();
    let log = folder.path().join("log.txt");
    let append = || std::fs::OpenOptions::new().append(true).open(&log).unwrap();
    for output in ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/2"] {
        std::fs::write(&log, "old content\n").unwrap();
        // Standard output and the result in one file are refused.
        let is_stderr = output.ends_with(['r', '2']);
        let stdout = if is_stderr { Stdio::null() } else { append().into() };
        let status = Command::new(env!("CARGO_BIN_EXE_featherank"))
            .args(["select", "a.txt", "--method", "top-k", "-q", "-o", output])
            .current_dir(folder.path())
            .stdout(stdout)
            .stderr(append())
            .status()
            .unwrap();
        let text = std::fs::read_to_string(&log).unwrap();
        assert!(status.success() && text.starts_with("old content\n"), "{output}: {text}");
        assert!(text.contains("\"featherank\": \"selection\""), "{output}: {text}");
    }
}

/// No output replaces the file to which a standard stream is redirected.
#[cfg(target_os = "linux")]
#[test]
fn files_of_redirections_are_not_replaced() {
    use std::fs::{File, OpenOptions};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (args, refused) in [
        ("select - --method top-k -o a.txt", true),
        ("select - --method top-k -o ./link", true),
        ("select /dev/stdin --format letor --method top-k -o a.txt", true),
        ("select - --method l1-svm --model a.txt", true),
        ("convert - a.txt", true),
        ("select a.txt --method top-k -o r.json", true),
        ("select a.txt --method l1-svm --model r.json", true),
        ("select a.txt --method l1-svm -o - --model r.json", true),
        ("select a.txt --method spea2 --checkpoint r.json", true),
        ("select a.txt --method top-k -o -", false),
        ("select a.txt --method top-k -o /dev/stdout", false),
        ("select - --method top-k -o s.json", false),
        ("convert a.txt r.json --names-out r.json", true),
        ("convert - s.txt", false),
    ] {
        std::fs::write(at("a.txt"), ROWS).unwrap();
        std::fs::write(at("r.json"), "").unwrap();
        let _ = std::os::unix::fs::symlink("a.txt", at("link"));
        let ran = Command::new(env!("CARGO_BIN_EXE_featherank"))
            .args(args.split(' '))
            .current_dir(folder.path())
            .stdin(File::open(at("a.txt")).unwrap())
            .stdout(OpenOptions::new().append(true).open(at("r.json")).unwrap())
            .output()
            .unwrap();
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(if refused { 2 } else { 0 }), "{args}: {error}");
        assert_eq!(error.contains("are the same file"), refused, "{args}: {error}");
        assert_eq!(std::fs::read_to_string(at("a.txt")).unwrap(), ROWS, "{args}");
    }
}

/// A CSV file from a pipe is opened only once.
#[cfg(target_os = "linux")]
#[test]
fn tables_can_be_read_from_pipes() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/stdin", folder.path().join("a.csv")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(["convert", "a.csv", "b.txt"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"label;qid;f\n1;a;2\n0;a;1\n").unwrap();
    drop(pipe);
    assert!(child.wait().unwrap().success());
    let rows = std::fs::read_to_string(folder.path().join("b.txt")).unwrap();
    assert_eq!(rows.lines().count(), 2, "{rows}");
}

/// The cases of the report that found these losses, with data on which the commands would succeed.
#[test]
fn a_checkpoint_never_deletes_the_result() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), ROWS).unwrap();
    for args in [
        "select a.txt --method spea2 --checkpoint s.json -o s.json",
        "select a.txt --method l1-svm --checkpoint m --model m",
        "select a.txt --method l1-svm -o x --model x",
        "train a.txt --ranker rankrls -o a.txt",
        "select a.txt --method top-k -o a.txt",
        "convert a.txt o.txt --names-out a.txt",
        "select a.txt --method spea2 --checkpoint m -o m.lock",
        "select a.txt --method l1-svm --checkpoint m --model ./m.lock",
        "select a.txt --method top-k -o - --model -",
        "select a.txt --method spea2 --checkpoint -",
        "compare a.txt --rankers rankrls -o -",
        "compare a.txt --rankers rankrls -o out --costs out/.lock",
    ] {
        let ran = run(folder.path(), &args.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.status.code(), Some(2), "{args}");
        assert_eq!(content(folder.path()).len(), 1, "{args}");
        assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).unwrap(), ROWS, "{args}");
    }
}
