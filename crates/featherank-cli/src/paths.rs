//! The paths on the command line, checked before any command begins: no output replaces an input or
//! another output, and every output can be written.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory};
use featherank::Result;
use featherank::experiment::ResultsFolder;
use featherank::internals::{PathRole, PathUse, check_paths};

use crate::arguments::READING;

/// The options that name files to write, by command; all other paths are read.
const OUTPUTS: [(&str, &str, PathRole); 14] = [
    ("demo", "output", PathRole::OutputFolder(&[])),
    ("inspect", "output", PathRole::Output),
    ("select", "output", PathRole::Output),
    ("select", "model", PathRole::Output),
    ("select", "checkpoint", PathRole::Checkpoint),
    ("train", "output", PathRole::Output),
    ("rank", "output", PathRole::Output),
    ("export", "output", PathRole::Output),
    ("compare", "output", PathRole::OutputFolder(ResultsFolder::REPLACED)),
    ("report", "output", PathRole::Output),
    ("convert", "to", PathRole::Output),
    ("convert", "names_out", PathRole::Output),
    ("synth", "output", PathRole::OutputFolder(&[])),
    ("man", "output", PathRole::OutputFolder(&[])),
];

/// Commands that print nothing on standard output beside their output file.
const PRINT_NOTHING: [&str; 3] = ["rank", "export", "convert"];

/// Checks all paths of a command line, and the file to which standard output is redirected if
/// results are printed there.
pub fn check(matches: &ArgMatches) -> Result<()> {
    let mut uses = uses(matches);
    let prints = matches.subcommand_name().is_some_and(|name| !PRINT_NOTHING.contains(&name));
    if prints && !writes_to_standard_output(matches) {
        uses.push(PathUse::printed());
    }
    check_paths(&uses)
}

/// Whether an output is standard output: `-` or `/dev/stdout`.
pub fn writes_to_standard_output(matches: &ArgMatches) -> bool {
    uses(matches).iter().any(|used| used.role != PathRole::Input && used.is_stream())
}

/// All paths of a command line.
fn uses(matches: &ArgMatches) -> Vec<PathUse> {
    let Some((name, matches)) = matches.subcommand() else { return Vec::new() };
    let cli = crate::Cli::command();
    let arguments = cli.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments);
    let mut uses = Vec::new();
    for argument in arguments {
        let id = argument.get_id().as_str();
        // Options with other values are not paths.
        let Ok(Some(paths)) = matches.try_get_many::<PathBuf>(id) else { continue };
        for path in paths {
            let role = role(name, id);
            uses.push(PathUse::new(label(argument), path, role));
            if role == PathRole::Input {
                uses.extend(beside(argument, path));
            }
        }
    }
    uses
}

/// The words of a command that repeats this one from any folder: without the options `left_out` and
/// those of all commands, which have no effect on results, and with absolute paths.
pub fn repeatable(matches: &ArgMatches, left_out: &[&str]) -> Vec<String> {
    let mut words = vec!["featherank".to_owned()];
    let Some((name, matches)) = matches.subcommand() else { return words };
    words.push(name.to_owned());
    let cli = crate::Cli::command();
    let arguments = cli.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments);
    for argument in arguments {
        let id = argument.get_id().as_str();
        let given = matches.value_source(id) == Some(ValueSource::CommandLine);
        if !given || left_out.contains(&id) {
            continue;
        }
        let option = argument.get_long().map(|long| format!("--{long}"));
        if !argument.get_action().takes_values() {
            words.extend(option);
            continue;
        }
        for value in values(matches, id) {
            words.extend(option.clone());
            words.push(value);
        }
    }
    words
}

/// The options that say how data is read, as they were given, with absolute paths.
pub fn reading_options(matches: &ArgMatches) -> Vec<String> {
    let is_other = |argument: &Arg| argument.get_help_heading() != Some(READING);
    let cli = crate::Cli::command();
    let arguments = matches
        .subcommand_name()
        .and_then(|name| cli.find_subcommand(name))
        .into_iter()
        .flat_map(clap::Command::get_arguments);
    let others: Vec<&str> =
        arguments.filter(|argument| is_other(argument)).map(|a| a.get_id().as_str()).collect();
    repeatable(matches, &others).into_iter().skip(2).collect()
}

/// Paths as they are recorded: absolute; none if one of them is a stream.
pub fn recorded(paths: &[PathBuf]) -> Vec<String> {
    match paths.iter().any(|path| path.as_os_str() == "-") {
        true => Vec::new(),
        false => paths.iter().map(|path| absolute(path)).collect(),
    }
}

fn absolute(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "-".to_owned(),
        false => std::path::absolute(path).as_deref().unwrap_or(path).display().to_string(),
    }
}

/// The values of an option as text, paths as absolute ones.
fn values(matches: &ArgMatches, id: &str) -> Vec<String> {
    if let Ok(Some(paths)) = matches.try_get_many::<PathBuf>(id) {
        return paths.map(|path| absolute(path)).collect();
    }
    let raw = matches.get_raw(id).into_iter().flatten();
    raw.map(|value| value.to_string_lossy().into_owned()).collect()
}

fn role(command: &str, id: &str) -> PathRole {
    let known = OUTPUTS.iter().find(|(of, output, _)| (*of, *output) == (command, id));
    known.map_or(PathRole::Input, |(_, _, role)| *role)
}

/// The option as it is written, or the placeholder of a positional argument.
fn label(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => argument.get_id().to_string(),
    }
}

/// Files that are read without being named: query sizes beside data, and the documents of a folder
/// of results.
fn beside(argument: &Arg, path: &Path) -> Vec<PathUse> {
    let input = |what: &str, path: PathBuf| {
        PathUse::new(format!("{what} {}", label(argument)), path, PathRole::Input)
    };
    if path.is_dir() {
        let names = ResultsFolder::FILES.iter().chain(&["selection.json"]);
        return names.map(|name| input("a file of", path.join(name))).collect();
    }
    let ending = |ending: &str| {
        let mut sizes = path.as_os_str().to_owned();
        sizes.push(ending);
        input("the query sizes of", sizes.into())
    };
    [".query", ".group"].map(ending).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Options that name files to read. A new option that takes a path belongs here or in
    /// [`OUTPUTS`].
    const INPUTS: [&str; 14] = [
        "train",
        "valid",
        "data",
        "root",
        "input",
        "model",
        "selection",
        "scores",
        "names",
        "group",
        "judgments",
        "costs",
        "featureset",
        "results",
    ];

    #[test]
    fn options_without_effect_are_not_part_of_the_command() {
        let line = "path/featherank --threads 2 compare -q /d/my data --jobs=3 --k 5,10 -o out \
                    --json --threads=1 --no-tune --methods top-k[k=2],gas --costs=/c";
        let line = line.replace("my data", "my\u{a0}data");
        let matches =
            crate::Cli::command().get_matches_from(line.split(' ').filter(|w| !w.is_empty()));
        let words = repeatable(&matches, &["output", "jobs"]);
        let expected = "featherank compare /d/my\u{a0}data --methods top-k[k=2],gas --k 5 --k 10 \
                        --no-tune --costs /c";
        assert_eq!(words.join(" "), expected);
        let line = "featherank select a -q --missing zero --k 3 --clip --names /n --regroup";
        let matches = crate::Cli::command().get_matches_from(line.split(' '));
        let options = reading_options(&matches).join(" ");
        assert_eq!(options, "--missing zero --clip --regroup --names /n");
        let relative = crate::Cli::command().get_matches_from(["featherank", "compare", "data"]);
        let words = repeatable(&relative, &[]);
        assert!(Path::new(&words[2]).is_absolute(), "{words:?}");
    }

    #[test]
    fn every_path_is_known_as_an_input_or_an_output() {
        let cli = crate::Cli::command();
        let mut outputs = 0;
        for command in cli.get_subcommands() {
            for argument in command.get_arguments() {
                if argument.get_value_parser().type_id() != std::any::TypeId::of::<PathBuf>() {
                    continue;
                }
                let (name, id) = (command.get_name(), argument.get_id().as_str());
                match role(name, id) {
                    PathRole::Input => assert!(INPUTS.contains(&id), "{name} {id}"),
                    _ => outputs += 1,
                }
            }
        }
        assert_eq!(outputs, OUTPUTS.len());
    }
}
