use clap::Args;
use serde_json::json;
use stead_memory::version_of;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::patterns::versions;
use crate::project::Project;
use crate::ui::Ui;

/// Show how a guard came to be: each change of its file, who made it and why
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard history infra-is-reviewed")]
pub(super) struct HistoryArgs {
    /// The guard, or a pack of them
    #[arg(value_name = "ID")]
    id: String,
    /// Print the changes as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &HistoryArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let id = args.id.split('.').next().unwrap_or(&args.id);
    let changes = versions(&project).changes(id)?;
    let current = match guards.members(id) {
        Ok(members) => members.first().and_then(|guard| guards.source_of(guard)).map(|source| version_of(&source.text)),
        Err(unknown) if changes.is_empty() => return Err(unknown),
        Err(_) => None,
    };
    if args.json {
        ui.json(answer::GUARD_HISTORY, &json!({"id": id, "current": current, "items": answer::records(&changes)}));
        return Ok(Exit::Done);
    }
    for change in &changes {
        let modes = match (change.mode_from.as_str(), change.mode_to.as_str()) {
            (from, to) if from == to || from.is_empty() => to.to_owned(),
            (from, to) => format!("{from} to {to}"),
        };
        let why = if change.why.is_empty() { String::new() } else { format!(": {}", change.why) };
        let is_current = if current.as_ref() == Some(&change.to) { "  (current)" } else { "" };
        let (at, to, what, by) = (&change.ts, &change.to, &change.what, &change.by);
        ui.line(format!("{at}  {to}  {what} by {by}, {modes}{why}{is_current}"));
    }
    if !changes.iter().any(|change| current.as_ref() == Some(&change.to)) {
        ui.line("The file was changed by hand since, or never by Stead.");
    }
    Ok(Exit::Done)
}
