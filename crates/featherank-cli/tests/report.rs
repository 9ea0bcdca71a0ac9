//! `featherank report` as a process: what it accepts, what it refuses, and that existing files are
//! preserved.

use std::path::Path;
use std::process::{Command, Output};

fn report(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_featherank"))
        .arg("report")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = report(folder, arguments);
    assert!(!output.status.success(), "{arguments:?} succeeds");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

/// Results of an experiment that has not started.
const EMPTY: &str = r#"{"featherank":"results","version":1,"title":"t","release":"0.1.0","command":[],"seed":1,"choose":"ndcg@10",
    "measures":["ndcg@10"],"features":[{"id":1}],"folds":[{"number":1,"queries":["a","b"],"documents":[3,3,3],"baselines":{}}],"cells":[]}"#;

#[test]
fn files_folders_and_selections_are_rendered() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("found")).unwrap();
    std::fs::write(at("found/results.json"), EMPTY).unwrap();
    for arguments in
        [&["found"][..], &["found/results.json"], &["found", "-o", "found/other page.html"]]
    {
        let output = report(folder.path(), arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let page = std::fs::read(at("report.html")).unwrap();
    assert_eq!(
        page,
        std::fs::read(at("found/other page.html")).unwrap(),
        "the same results, the same bytes"
    );
    std::fs::write(
        at("data.txt"),
        "1 qid:1 1:2 2:1\n0 qid:1 1:1 2:2\n1 qid:2 1:2 2:1\n0 qid:2 1:1 2:2\n",
    )
    .unwrap();
    let select = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args([
            "select",
            "data.txt",
            "--method",
            "top-k",
            "--k",
            "1",
            "-o",
            "selection.json",
            "--quiet",
        ])
        .current_dir(folder.path())
        .output();
    assert!(select.unwrap().status.success());
    assert!(report(folder.path(), &["selection.json", "-o", "selection.html"]).status.success());
    assert!(
        std::fs::read_to_string(at("selection.html")).unwrap().contains("top-k: 1 of 2 features")
    );
}

#[test]
fn unreadable_input_is_refused_and_keeps_the_old_page() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("report.html"), "old").unwrap();
    std::fs::create_dir(at("empty")).unwrap();
    std::fs::write(at("newer.json"), EMPTY.replace("\"version\":1", "\"version\":99")).unwrap();
    std::fs::write(at("model.json"), r#"{"featherank":"model","version":1}"#).unwrap();
    std::fs::write(at("cut.json"), &EMPTY[..200]).unwrap();
    let cell = r#""cells":[{"method":"m","fold":1,"seed":1,"done":{"features":[1],"cost":1,"selecting":{},"ranking":{},"valid":1,
        "test":[[0.5]],"measured":{"select_seconds":0,"seconds":0}}}]"#;
    std::fs::write(at("other.json"), EMPTY.replace("\"cells\":[]", cell)).unwrap();
    for (name, words) in [
        ("missing.json", "there is no such file"),
        ("empty", "neither results.json nor selection.json"),
        ("newer.json", "use the newer featherank that wrote it"),
        ("model.json", "this is a featherank model, not a results"),
        ("cut.json", "this is not a featherank results"),
        ("other.json", "`m` on fold 1 has 1 values for 2 queries"),
    ] {
        let message = refused(folder.path(), &[name]);
        assert!(
            message.contains(words) && message.contains(name) && message.contains("help: "),
            "{message}"
        );
    }
    assert_eq!(std::fs::read_to_string(at("report.html")).unwrap(), "old");
}

#[test]
fn a_failed_write_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("results.json"), EMPTY).unwrap();
    std::fs::create_dir(at("page")).unwrap();
    assert!(
        refused(folder.path(), &["results.json", "-o", "nowhere/report.html"]).contains("nowhere")
    );
    assert!(refused(folder.path(), &["results.json", "-o", "page"]).contains("folder"));
    let message = refused(folder.path(), &["results.json", "-o", "./results.json"]);
    assert!(message.contains("are the same file") && message.contains("help: "), "{message}");
    assert_eq!(std::fs::read_to_string(at("results.json")).unwrap(), EMPTY);
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

/// A read-only folder; the superuser can write anywhere.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    std::fs::write(folder.path().join("results.json"), EMPTY).unwrap();
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(closed.join("probe"), "").is_ok() {
        println!("skipped: this user may write to folders that are closed");
        return;
    }
    assert!(
        refused(folder.path(), &["results.json", "-o", "closed/report.html"]).contains("closed")
    );
}
