use clap::Args;
use serde_json::json;
use stead_context::{Lifecycle, Recovery, RoleState, check_role_file, read_role_file, role_documents};
use stead_store::{Durability, ItemKind};

use super::{folder, meant, shown, unknown};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, now};
use crate::trusting::{as_data, trusted};
use crate::ui::Ui;

/// Print everything a role needs to continue after a compaction, and set it active
///
/// Prints a checklist, the role's documents and its whole file. Works from any state or none.
#[derive(Args)]
#[command(after_help = "Example:\n  stead role recover code-reviewer")]
pub(super) struct RecoverArgs {
    /// The role; by default the one of this session
    role: Option<String>,
    /// Print the parts as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &RecoverArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let role = meant(args.role.as_deref(), &project)?;
    let file = role.file(&folder(&project));
    let Some(text) = read_role_file(&file)? else { return Err(unknown(&role, &project)) };
    let is_trusted = trusted(&project).trusts_file(ItemKind::Role, &file);
    let mut state = RoleState::read_or_new(&project.indexes(), &role, &now())?;
    let (before, notes) = (state.state, state.notes());
    let (skill, architecture) =
        (project.config.text("context.role_skill"), project.config.text("context.architecture"));
    let documents = role_documents(project.root(), &role, skill, architecture);
    let shown = shown(&project, &file);
    let recovery = Recovery { role: &role, file: &shown, text: Some(&text), documents: &documents, notes: &notes };
    // The last line says that the role is active, so that must be true first.
    state.put(Lifecycle::Active, &now());
    state.write(&project.indexes(), Durability::Synced)?;
    if args.json {
        ui.json(
            answer::ROLE_RECOVERY,
            &json!({
                "role": role.as_str(),
                "path": shown,
                "before": before.name(),
                "state": state.state.name(),
                "documents": documents.iter()
                    .map(|document| json!({"name": document.name, "path": document.path, "exists": document.exists}))
                    .collect::<Vec<_>>(),
                "notes": notes,
                "text": text,
                "trusted": is_trusted,
            }),
        );
    } else {
        let text = recovery.render(usize::MAX);
        ui.raw(if is_trusted { text } else { as_data("role file", &text) });
    }
    for finding in check_role_file(&text).iter().filter(|finding| finding.is_error()) {
        ui.warning(format!("{shown}: {finding}"));
    }
    Ok(Exit::Done)
}
