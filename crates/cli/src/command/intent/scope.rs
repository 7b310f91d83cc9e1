use std::path::Path;

use clap::Args;
use serde_json::json;
use stead_ledger::intent::{IntentIgnore, Reach, Scope};
use stead_model::clean;

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::Project;
use crate::ui::Ui;

/// Show which intents own a path
///
/// Only reads. Exits with 1 if no intent owns it.
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent scope src/auth/login.rs")]
pub(super) struct ScopeArgs {
    path: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// The path below the project root, with links resolved as far as they exist.
fn inside(project: &Project, dir: &Path, typed: &str) -> Result<String, CliError> {
    let named = clean(&dir.join(typed));
    let real = named.ancestors().find_map(|above| {
        let rest = named.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    });
    let root = project.found.work();
    let real_root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let below = real.as_deref().unwrap_or(&named);
    let below = below.strip_prefix(&real_root).or_else(|_| named.strip_prefix(root));
    match below {
        Ok(below) => Ok(below.to_string_lossy().replace('\\', "/")),
        Err(_) => Err(CliError::user(format!("`{typed}` is outside the project"))),
    }
}

pub(super) fn run(args: &ScopeArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let path = inside(&here.project, &ui.dir()?, &args.path)?;
    let file = here.file()?;
    let ignore = IntentIgnore::read(&here.room).map_err(|fault| CliError::config(fault.message))?;
    let reach = Reach { path: "", inside: Some(&path), tree: false, open: false };
    let is_free = ignore.frees(&reach);
    let owners: Vec<_> = file
        .intents
        .iter()
        .filter_map(|intent| Some((intent, Scope::new(&intent.owned_scope).owner_of(&path)?.to_owned())))
        .collect();
    match args.json {
        true => {
            let list: Vec<_> = owners
                .iter()
                .map(|(intent, pattern)| json!({"id": intent.id, "status": intent.status, "pattern": pattern}))
                .collect();
            ui.json(answer::INTENT_OWNERS, &json!({"path": path, "free": is_free, "items": list}));
        }
        false => {
            for (intent, pattern) in &owners {
                ui.line(format!("{:<11}  {}  {pattern}", intent.status.name(), intent.id));
            }
            if is_free {
                ui.line("free for every intent (`.intentignore`)");
            }
            if owners.is_empty() && !is_free {
                ui.line(format!("no intent owns `{path}`"));
            }
        }
    }
    Ok(if owners.is_empty() && !is_free { Exit::Failed } else { Exit::Done })
}
