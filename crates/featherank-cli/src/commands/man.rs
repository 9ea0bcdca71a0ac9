//! `featherank man`: the manual pages.

use std::path::PathBuf;

use clap::Command;
use featherank::Error;
use featherank::internals::write_bytes;

use crate::errors::{CommandResult, Failure};
use crate::output::Output;

#[derive(clap::Args)]
pub struct ManArgs {
    /// Write one page per command to DIR, for example /usr/local/share/man/man1; created if
    /// necessary [default: print the page of featherank]
    #[arg(value_name = "DIR")]
    output: Option<PathBuf>,
}

pub fn run(args: &ManArgs, command: Command, output: &Output) -> CommandResult {
    let Some(folder) = &args.output else {
        return output.print_bytes(&page(command)?);
    };
    std::fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
    let mut built = command.clone();
    // Names the pages of commands featherank-select and so on.
    built.build();
    let commands = built.get_subcommands().filter(|command| command.get_name() != "help");
    for command in std::iter::once(command).chain(commands.cloned()) {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        write_bytes(&folder.join(format!("{name}.1")), &page(command)?)?;
    }
    output.note(format!("wrote manual pages to {}", folder.display()));
    Ok(())
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Failure::Output)?;
    Ok(page)
}
