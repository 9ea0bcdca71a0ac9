//! docs/reliability.md names a test for every promise, and every test that it names exists.

use std::path::Path;

fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn promises_name_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/reliability.md")).unwrap();
    let mut code = String::new();
    sources(&root.join("crates"), &mut code);
    let mut promises = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let tests = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or(row);
        if tests == "test" || tests.starts_with("by construction") {
            continue;
        }
        // Modules have short names or contain colons; functions are sentences.
        let quoted = tests.split('`').skip(1).step_by(2);
        let functions: Vec<&str> =
            quoted.filter(|name| name.contains('_') && !name.contains([':', '.', '/'])).collect();
        let is_test = |name: &&str| code.contains(&format!("fn {name}("));
        let known: Vec<&&str> = functions.iter().filter(|name| is_test(name)).collect();
        assert!(!known.is_empty(), "no test: {row}");
        let unknown: Vec<&&str> = functions.iter().filter(|name| !is_test(name)).collect();
        let modules = ["bad_input", "error_texts", "round_trip"];
        assert!(unknown.iter().all(|name| modules.contains(name)), "{unknown:?}: {row}");
        promises += 1;
    }
    assert!(promises > 20, "{promises}");
}
