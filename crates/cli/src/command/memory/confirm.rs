use clap::Args;
use serde_json::json;
use stead_memory::TraceStatus;

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::ui::Ui;

/// Confirm a trace that was only suspected
///
/// Only a person may do this: a confirmed correction counts as the person's word.
#[derive(Args)]
#[command(after_help = "Example:\n  stead memory confirm 3f2a")]
pub(crate) struct ConfirmArgs {
    /// Its id, or a unique beginning of it
    id: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ConfirmArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    refuse_agents("confirm a trace", Whose::Project, &here.project)?;
    let traces = here.memory.traces()?;
    let known = traces.find(&args.id)?;
    let is_new = known.trace.status != TraceStatus::Confirmed;
    if is_new {
        here.memory.confirm(known)?;
    }
    let id = &known.trace.id;
    if args.json {
        ui.json(answer::MEMORY_CHANGE, &json!({"id": id, "status": TraceStatus::Confirmed, "changed": is_new}));
        return Ok(Exit::Done);
    }
    ui.line(if is_new { format!("confirmed {id}") } else { format!("{id} is confirmed already") });
    Ok(Exit::Done)
}
