use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use stead_store::{Durability, Exact, replace_creating};

use crate::cli::{Exit, command};
use crate::error::CliError;
use crate::ui::{Ui, counted};

/// Write the manual pages, one for each command
#[derive(Args)]
#[command(after_help = "Example:\n  stead man ~/.local/share/man/man1 && man stead-guard")]
pub(crate) struct ManArgs {
    /// The folder for the pages; it is created if needed
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(args: ManArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let folder = ui.dir()?.join(&args.folder);
    let mut pages = Vec::new();
    let mut program = command();
    // So that options of every command are on every page.
    program.build();
    render(program, "stead", &mut pages)?;
    for (name, text) in &pages {
        replace_creating(&folder.join(format!("{name}.1")), Exact::Own.bytes(text), Durability::Quick)?;
    }
    ui.line(format!("wrote {} to {}", counted(pages.len(), "page"), args.folder.display()));
    Ok(Exit::Done)
}

/// Renders a command and those below it.
fn render(command: Command, name: &str, pages: &mut Vec<(String, String)>) -> Result<(), CliError> {
    let below: Vec<Command> =
        command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set()).cloned().collect();
    let mut page = Vec::new();
    let spoken = name.replace('-', " ");
    Man::new(command.display_name(name).bin_name(spoken))
        .title(name.to_uppercase())
        .render(&mut page)
        .map_err(|source| CliError::internal("cannot render a manual page").because(source))?;
    pages.push((name.to_owned(), String::from_utf8_lossy(&page).into_owned()));
    for command in below {
        let name = format!("{name}-{}", command.get_name());
        render(command, &name, pages)?;
    }
    Ok(())
}
