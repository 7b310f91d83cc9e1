use clap::Args;
use serde_json::json;

use super::list::as_json;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::{Guards, state_in_words};
use crate::project::Project;
use crate::ui::{Ui, counted};

/// Show one guard: what it does, whether it applies, and its file
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard show tested-needs-evidence")]
pub(super) struct ShowArgs {
    /// The guard, or a pack of them
    #[arg(value_name = "ID")]
    id: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ShowArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let members = guards.members(&args.id)?;
    let Some(first) = members.first() else { return Err(guards.unknown(&args.id)) };
    let text = guards.source_of(first).map(|source| source.text).unwrap_or_default();
    if args.json {
        let mut shown = if first.id == args.id { as_json(first) } else { json!({"id": args.id, "path": first.file}) };
        if first.id != args.id {
            shown["guards"] = members.iter().map(|guard| as_json(guard)).collect();
        }
        shown["text"] = json!(text);
        ui.json(answer::GUARD, &shown);
        return Ok(Exit::Done);
    }
    for guard in &members {
        let state = state_in_words(&guard.state);
        ui.line(format!("{} ({}, {}): {state}", guard.id, guard.mode.name(), guard.then.name()));
    }
    let tests = counted(members.iter().map(|guard| guard.tests).sum(), "test");
    ui.line(format!("{}, version {}, {tests}\n", first.file, first.version));
    ui.raw(&text);
    if !text.ends_with('\n') {
        ui.raw("\n");
    }
    Ok(Exit::Done)
}
