//! What `make install` puts where.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_command_its_manual_pages_and_completions_are_installed() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let variable = |name: &str, value: &str| format!("{name}={value}");
    let ran = Command::new("make")
        .args(["--no-print-directory", "install"])
        .arg(variable("DESTDIR", folder.path().to_str().unwrap()))
        .arg(variable("PREFIX", "/usr"))
        .arg(variable("BIN", env!("CARGO_BIN_EXE_featherank")))
        .current_dir(root)
        // Tests may be run by make, whose variables must not reach this one.
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .output();
    let ran = match ran {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: `make` is missing");
            return;
        }
        ran => ran.unwrap(),
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let share = folder.path().join("usr/share");
    for (file, says) in [
        ("man/man1/featherank.1", "Feature selection"),
        ("man/man1/featherank-select.1", "budget"),
        ("bash-completion/completions/featherank", "_featherank"),
        ("zsh/site-functions/_featherank", "#compdef featherank"),
        ("fish/vendor_completions.d/featherank.fish", "complete -c featherank"),
    ] {
        let text = std::fs::read_to_string(share.join(file)).unwrap();
        assert!(text.contains(says), "{file}");
    }
    let installed = Command::new(folder.path().join("usr/bin/featherank")).arg("-V").output();
    assert!(installed.unwrap().status.success());
}
