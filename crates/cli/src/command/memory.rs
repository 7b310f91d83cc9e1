//! `stead memory`: traces of what went wrong and what was decided, stored, found and kept.

mod confirm;
mod export;
mod forget;
mod get;
mod health;
mod import;
mod patterns;
mod promote;
mod propose;
mod query;
mod store;
mod verify;

use clap::{Args, Subcommand};
use stead_memory::Memory;

use crate::cli::Exit;
use crate::error::CliError;
use crate::memory::{capture, memory};
use crate::project::Project;
use crate::ui::Ui;

/// Remember what went wrong and what was decided, across sessions
///
/// Violations, overrides, reflections, decisions and suspected corrections are recorded by themselves. Agents may store
/// and read traces; confirming, promoting, importing and forgetting what others wrote is up to a person.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead memory store --type correction --what \"edited schema.rs\" --correct \"edit schema.sql\" --why \"it is generated\"\n  stead memory query \"generated files\"\n  stead memory get 3f2a --level full\n  stead memory confirm 3f2a"
)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(Subcommand)]
enum MemoryCommand {
    Store(store::StoreArgs),
    Query(query::QueryArgs),
    Get(get::GetArgs),
    Confirm(confirm::ConfirmArgs),
    Forget(forget::ForgetArgs),
    Promote(promote::PromoteArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    Verify(verify::VerifyArgs),
    Health(health::HealthArgs),
    Patterns(patterns::PatternsArgs),
    Propose(propose::ProposeArgs),
}

/// What the commands work on.
struct Here {
    project: Project,
    memory: Memory,
}

pub(crate) fn run(args: MemoryArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    if let Err(error) = capture(&project) {
        ui.warning(format!("what happened since the last time was not captured: {error}"));
    }
    let memory = memory(&project);
    let here = Here { project, memory };
    match args.command {
        MemoryCommand::Store(args) => store::run(args, &here, ui),
        MemoryCommand::Query(args) => query::run(args, &here, ui),
        MemoryCommand::Get(args) => get::run(&args, &here, ui),
        MemoryCommand::Confirm(args) => confirm::run(&args, &here, ui),
        MemoryCommand::Forget(args) => forget::run(&args, &here, ui),
        MemoryCommand::Promote(args) => promote::run(&args, &here, ui),
        MemoryCommand::Export(args) => export::run(&args, &here, ui),
        MemoryCommand::Import(args) => import::run(&args, &here, ui),
        MemoryCommand::Verify(args) => verify::run(&args, &here, ui),
        MemoryCommand::Health(args) => health::run(&args, &here, ui),
        MemoryCommand::Patterns(args) => patterns::run(&args, ui),
        MemoryCommand::Propose(args) => propose::run(&args, ui),
    }
}
