use clap::Args;
use serde_json::json;
use stead_guard::Origin;
use stead_memory::{MemoryError, version_of};
use stead_model::FileId;

use super::mode::{file_text, fresh_path, refuse_broken, write};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::{Guards, path_of};
use crate::patterns::versions;
use crate::person::{Whose, require_person_to_weaken};
use crate::project::Project;
use crate::ui::Ui;

/// Put an earlier version of a guard back; only a person at a terminal may do this
///
/// Without `--to`, the version before the last change. `stead guard history` lists the versions. The rollback is a change
/// like any other and can be rolled back.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead guard rollback infra-is-reviewed\n  stead guard rollback infra-is-reviewed --to 1f2e3d4c5b6a"
)]
pub(super) struct RollbackArgs {
    /// The guard, or a pack of them
    #[arg(value_name = "ID")]
    id: String,
    /// The version, as `stead guard history` shows it
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &RollbackArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let id = args.id.split('.').next().unwrap_or(&args.id);
    let member = guards.members(id).ok().and_then(|members| members.first().copied());
    let whose = match member {
        Some(guard) if guard.origin == Origin::User => Whose::Person,
        _ => Whose::Project,
    };
    require_person_to_weaken("roll a guard back", whose, &project, ui)?;
    let broken = |_| CliError::usage(format!("`{id}` is not a guard's id"));
    let guard = FileId::check(id).map_err(broken)?;
    let versions = versions(&project);
    let changes = versions.changes(id)?;
    let source = member.and_then(|guard| guards.source_of(guard));
    let current = source.as_ref().map(|source| version_of(&source.text));
    let known = || -> Vec<String> {
        let mut known: Vec<String> =
            changes.iter().flat_map(|change| change.from.iter().chain([&change.to])).cloned().collect();
        known.dedup();
        known
    };
    let wanted = match &args.to {
        Some(typed) => {
            let found: Vec<String> = known().into_iter().filter(|version| version.starts_with(typed.trim())).collect();
            found.into_iter().next_back().filter(|_| !typed.trim().is_empty()).ok_or_else(|| {
                MemoryError::UnknownVersion { guard: id.to_owned(), version: typed.clone(), known: known() }
            })?
        }
        None => {
            let earlier = changes.iter().rev().find(|change| current.as_ref().is_none_or(|now| *now == change.to));
            let earlier = earlier.and_then(|change| change.from.clone());
            // A file that was changed by hand goes back to the last version on record.
            let last = || changes.last().map(|change| change.to.clone()).filter(|last| Some(last) != current.as_ref());
            earlier.or_else(last).ok_or_else(|| MemoryError::NoVersion { guard: id.to_owned() })?
        }
    };
    let text = versions.text(&guard, &wanted).ok_or_else(|| MemoryError::UnknownVersion {
        guard: id.to_owned(),
        version: wanted.clone(),
        known: known(),
    })?;
    refuse_broken("this version", id, &text, &guards)?;
    let path = match member.and_then(|guard| path_of(&project, guard)) {
        Some(path) => path,
        None => fresh_path(id, false, &project)?,
    };
    let why = format!("from {} back to {wanted}", current.as_deref().unwrap_or("no file"));
    write(id, &path, (file_text(&path)?.as_deref(), &text), "rollback", &why, &[], &project)?;
    let file = project.short(&path).display().to_string();
    match args.json {
        true => ui.json(answer::GUARD_ROLLBACK, &json!({"id": id, "version": wanted, "before": current, "path": file})),
        false => ui.line(format!("`{id}` is at version {wanted} again, in {file}")),
    }
    Ok(Exit::Done)
}
