//! Comments and Markdown wrap at 100 columns.

use std::path::{Path, PathBuf};
use std::process::Command;

const WIDTH: usize = 100;

/// The files under version control; none in a source package, which has no history.
fn tracked_files(root: &Path) -> Vec<PathBuf> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    match listed {
        Ok(listed) if listed.status.success() => String::from_utf8(listed.stdout)
            .unwrap()
            .split_terminator('\0')
            .map(|path| root.join(path))
            .filter(|path| path.is_file())
            .collect(),
        _ => Vec::new(),
    }
}

/// Which lines of Python are prose: comments, and docstrings after their summary, which is one line
/// by convention, and without their examples.
#[derive(Default)]
struct PythonProse {
    /// The string over several lines that is open: whether it is a docstring.
    open: Option<bool>,
}

impl PythonProse {
    fn of<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        let before = self.open;
        if line.matches("\"\"\"").count() % 2 == 1 {
            self.open = before.is_none().then_some(line.starts_with("\"\"\""));
        }
        match before {
            Some(is_docstring) => Some(line).filter(|_| is_docstring && !line.starts_with(">>>")),
            None => line.strip_prefix('#'),
        }
    }
}

/// The line numbers of prose that is too long: comments, docstrings and Markdown. Code, tables and
/// lines with a link, which cannot be broken, are exempt.
fn long_lines(name: &str, text: &str) -> Vec<usize> {
    let ending = name.rsplit('.').next().unwrap_or("");
    let mut is_fenced = false;
    let mut python = PythonProse::default();
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let prose = match ending {
            "rs" => trimmed.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!'])),
            "js" | "css" => ["//", "/*", "*"].iter().find_map(|mark| trimmed.strip_prefix(mark)),
            "toml" | "yml" | "yaml" | "sh" | "Makefile" => trimmed.strip_prefix('#'),
            "py" | "pyi" => python.of(trimmed),
            "md" => {
                let is_border = trimmed.starts_with("```");
                is_fenced ^= is_border;
                (!is_fenced && !is_border && !line.starts_with("    ")).then_some(trimmed)
            }
            _ => None,
        };
        let is_exempt = |prose: &str| {
            prose.trim_start().starts_with('|') || prose.contains("](") || prose.contains("://")
        };
        if prose.is_some_and(|prose| !is_exempt(prose)) && line.chars().count() > WIDTH {
            found.push(index + 1);
        }
    }
    found
}

#[test]
fn comments_and_markdown_wrap_at_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for path in tracked_files(&root) {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        if name.contains("/vendor/") {
            continue;
        }
        // Files that are not text have no prose.
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        found.extend(long_lines(&name, &text).into_iter().map(|line| format!("{name}:{line}")));
    }
    assert!(found.is_empty(), "longer than {WIDTH} columns:\n{}", found.join("\n"));
}

#[test]
fn code_tables_and_links_may_be_long() {
    let long = "word ".repeat(30);
    let lines = |name: &str, text: String| long_lines(name, &text);
    assert_eq!(lines("a.rs", format!("let a = 1;\n    /// {long}\n/// | {long} |\n{long}")), [2]);
    assert_eq!(lines("a.py", format!("\"\"\"One.\n\n{long}\n\"\"\"\n{long}\n# {long}")), [3, 6]);
    assert_eq!(lines("a.md", format!("{long}\n```\n{long}\n```\n| {long} |\n[a](b) {long}")), [1]);
    assert_eq!(lines("Makefile", format!("all:\n\t{long}\n# {long}")), [3]);
    assert_eq!(lines("a.js", format!("f();\n/**\n * {long}\n */\n{long}")), [3]);
    assert_eq!(lines("a.txt", long.clone()), [0; 0]);
}
