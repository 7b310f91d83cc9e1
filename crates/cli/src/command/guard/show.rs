use clap::Args;
use serde_json::json;

use super::list::as_json;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::{Guards, state_in_words};
use crate::project::Project;
use crate::ui::Ui;

/// Show one guard: what it is, whether it applies, and its text
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard show tested-needs-evidence")]
pub(super) struct ShowArgs {
    #[arg(value_name = "ID")]
    id: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ShowArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let guard = guards.find(&args.id)?;
    let text = guards.source_of(guard).map(|source| source.text).unwrap_or_default();
    if args.json {
        let mut shown = as_json(guard);
        shown["text"] = json!(text);
        ui.json(&shown);
        return Ok(Exit::Done);
    }
    ui.line(format!("{} ({}, {}): {}", guard.id, guard.mode.name(), guard.then.name(), state_in_words(&guard.state)));
    ui.line(format!("{}, version {}, {} tests\n", guard.file, guard.version, guard.tests));
    ui.raw(&text);
    if !text.ends_with('\n') {
        ui.raw("\n");
    }
    Ok(Exit::Done)
}
