//! The `featherank` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(featherank_cli::main(std::env::args_os(), None))
}
