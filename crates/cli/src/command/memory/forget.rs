use clap::Args;
use serde_json::json;
use stead_memory::{Known, Mark, Origin, Scope};

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::project::now;
use crate::session::calling_session;
use crate::ui::Ui;

/// Forget traces: they are never shown, found or exported again
///
/// An agent may forget what it stored in the same session; only a person may forget others. Captured again they are not.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory forget 3f2a\n  stead memory forget 3f2a 77b0 --why \"outdated\"")]
pub(crate) struct ForgetArgs {
    /// Their ids, or unique beginnings of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The reason
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    why: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ForgetArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let traces = here.memory.traces()?;
    let known = args.ids.iter().map(|id| traces.find(id)).collect::<Result<Vec<&Known>, _>>()?;
    let session = calling_session(&here.project).map(|binding| binding.session);
    let is_own = |known: &&Known| {
        let context = &known.trace.context;
        let stored_by_it = context.by.as_deref() == Some("agent") && context.session == session && session.is_some();
        stored_by_it && known.origin == Origin::Own && known.trace.scope == Scope::Project
    };
    if !known.iter().all(is_own) {
        let is_universal = known.iter().any(|known| known.trace.scope == Scope::Universal);
        let whose = if is_universal { Whose::Person } else { Whose::Project };
        refuse_agents("forget what somebody else recorded", whose, &here.project)?;
    }
    here.memory.forget(&known, &Mark { timestamp: now(), session, why: args.why.clone() })?;
    let ids: Vec<&str> = known.iter().map(|known| known.trace.id.as_str()).collect();
    if args.json {
        ui.json(answer::MEMORY_FORGET, &json!({"forgotten": ids}));
        return Ok(Exit::Done);
    }
    ids.iter().for_each(|id| ui.line(format!("forgot {id}")));
    Ok(Exit::Done)
}
