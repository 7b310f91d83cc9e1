use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use stead_store::{Durability, Exact, replace};

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::ui::{Ui, counted};

/// Write this machine's traces as JSON lines, oldest first
///
/// What was forgotten and what belongs to others is left out.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory export ann.jsonl\n  stead memory export --json > traces.json")]
pub(crate) struct ExportArgs {
    /// The file; without it, standard output
    file: Option<PathBuf>,
    /// Write one JSON list instead of lines
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ExportArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let traces = here.memory.export()?;
    let count = traces.len();
    let Some(file) = &args.file else {
        match args.json {
            true => ui.json(answer::MEMORY_EXPORT, &Value::Array(traces)),
            false => traces.iter().for_each(|trace| ui.raw(format!("{trace}\n"))),
        }
        return Ok(Exit::Done);
    };
    // A file that this command writes is written past the guards.
    refuse_agents("export traces into a file", Whose::Project, &here.project)?;
    let text = match args.json {
        true => format!("{:#}\n", Value::Array(traces)),
        false => traces.iter().map(|trace| format!("{trace}\n")).collect(),
    };
    replace(&ui.dir()?.join(file), Exact::Redacted.bytes(&text), Durability::Synced)?;
    ui.note(format!("wrote {} to {}", counted(count, "trace"), file.display()));
    Ok(Exit::Done)
}
