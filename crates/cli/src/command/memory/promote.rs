use clap::Args;
use serde_json::json;
use stead_memory::Scope;

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::ui::Ui;

/// Make a trace available in all your projects
///
/// It is copied into your data folder. Only a person may do this.
#[derive(Args)]
#[command(after_help = "Example:\n  stead memory promote 3f2a")]
pub(crate) struct PromoteArgs {
    /// Its id, or a unique beginning of it
    id: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PromoteArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    refuse_agents("promote a trace", Whose::Person, &here.project)?;
    let traces = here.memory.traces()?;
    let known = traces.find(&args.id)?;
    let is_new = known.trace.scope != Scope::Universal;
    if is_new {
        here.memory.promote(known)?;
    }
    let id = &known.trace.id;
    if args.json {
        ui.json(answer::MEMORY_CHANGE, &json!({"id": id, "scope": Scope::Universal, "changed": is_new}));
        return Ok(Exit::Done);
    }
    ui.line(if is_new { format!("promoted {id}") } else { format!("{id} is universal already") });
    Ok(Exit::Done)
}
