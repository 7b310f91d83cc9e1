use std::path::Path;

use clap::Args;
use serde_json::json;
use stead_model::unix_millis;
use stead_pipeline::{Engine, RunFolder, RunView, ViewStatus, list_runs};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::project::{env, now, now_millis};
use crate::run_room::RunRoom;
use crate::span::seconds;
use crate::ui::{Ui, counted};

/// Remove the files of old runs
///
/// Removes runs that ended before the given time, and keeps the newest ones. Without `--yes` it only lists them. A run that is
/// running or interrupted is never removed, nor is one with worktrees, which may contain work.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead runs prune\n  stead runs prune --older-than 7d --keep 5 --yes")]
pub(crate) struct PruneArgs {
    /// Only runs that ended longer ago than this
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "30d")]
    older_than: u64,
    /// Keep at least this many of the newest runs
    #[arg(long, value_name = "N", default_value_t = 10)]
    keep: usize,
    /// Remove them
    #[arg(long, short)]
    yes: bool,
    /// Only list them, which is the default
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What became of a run.
struct Outcome {
    run: String,
    status: ViewStatus,
    bytes: u64,
    /// Why it was kept.
    kept: Option<String>,
}

pub(crate) fn run(args: &PruneArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    if args.yes {
        refuse_agents("remove runs", Whose::Project, &room.project)?;
    }
    let (runs, _) = list_runs(&room.dir());
    let before = now_millis().saturating_sub(i64::try_from(args.older_than).unwrap_or(i64::MAX).saturating_mul(1000));
    let old = runs.into_iter().skip(args.keep).filter(|view| is_old(view, before));
    let outcomes = old.map(|view| remove(&view, args.yes, &room)).collect::<Result<Vec<_>, CliError>>()?;
    if args.json {
        ui.json(answer::RUN_PRUNE, &as_json(&outcomes, args.yes));
        return Ok(Exit::Done);
    }
    let verb = if args.yes { "removed" } else { "would remove" };
    for one in &outcomes {
        match &one.kept {
            None => ui.line(format!("{verb} {} ({}, {} kB)", one.run, one.status.name(), one.bytes.div_ceil(1000))),
            Some(why) => ui.warning(format!("kept {}: {why}", one.run)),
        }
    }
    let removed: Vec<&Outcome> = outcomes.iter().filter(|one| one.kept.is_none()).collect();
    if removed.is_empty() {
        ui.note("no run is old enough to be removed");
    } else if !args.yes {
        let size: u64 = removed.iter().map(|one| one.bytes).sum();
        let text = format!("{}, {} kB; add `--yes` to remove", counted(removed.len(), "run"), size.div_ceil(1000));
        ui.note(text);
    }
    Ok(Exit::Done)
}

fn as_json(outcomes: &[Outcome], for_real: bool) -> serde_json::Value {
    let item = |one: &Outcome| {
        let is_removed = for_real && one.kept.is_none();
        json!({"run": one.run, "status": one.status, "bytes": one.bytes, "removed": is_removed, "kept": one.kept})
    };
    json!({"dry_run": !for_real, "items": outcomes.iter().map(item).collect::<Vec<_>>()})
}

fn is_old(view: &RunView, before: i64) -> bool {
    let has_ended = !matches!(view.status, ViewStatus::Running | ViewStatus::Interrupted);
    has_ended && view.state.ended_at.as_deref().and_then(unix_millis).is_some_and(|end| end < before)
}

fn remove(view: &RunView, for_real: bool, room: &RunRoom) -> Result<Outcome, CliError> {
    let folder: RunFolder = room.folder(&view.run)?;
    let bytes = size(folder.path());
    let has_work = folder.worktrees().map(|_| "it has worktrees, which may contain work".to_owned());
    let kept = match (has_work, for_real) {
        (None, true) => Engine::discard_ended(&folder, &env, &now()).err().map(|error| error.to_string()),
        (has_work, _) => has_work,
    };
    Ok(Outcome { run: view.run.clone(), status: view.status, bytes, kept })
}

/// The size of all files below a folder. Links are not followed.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size_of = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        Ok(_) => entry.metadata().map_or(0, |data| data.len()),
        Err(_) => 0,
    };
    entries.map(size_of).sum()
}
