//! What is remembered beyond a session.

mod patterns;
mod propose;

use clap::{Args, Subcommand};

use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Show what went wrong repeatedly, and propose what to do about it
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory patterns\n  stead memory propose p-1f2e3d4c")]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(Subcommand)]
enum MemoryCommand {
    Patterns(patterns::PatternsArgs),
    Propose(propose::ProposeArgs),
}

pub(crate) fn run(args: MemoryArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    match args.command {
        MemoryCommand::Patterns(args) => patterns::run(&args, ui),
        MemoryCommand::Propose(args) => propose::run(&args, ui),
    }
}
