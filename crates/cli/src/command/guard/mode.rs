//! Moves a guard between its modes, by one line of its file. A guard that comes with Stead gets a file of its own then.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use stead_guard::{Listed, Mode, Shipped, enable_text, mode_of, set_mode};
use stead_store::{Durability, Layout, Room, UserDirs, create_parents, replace};

use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::{Guards, path_of};
use crate::project::{Project, env};
use crate::ui::Ui;

/// Take a guard into use; one that comes with Stead gets its file
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead guard enable destructive\n  stead guard enable orchestrator-does-not-edit --with paths='src/**,lib/**'"
)]
pub(super) struct EnableArgs {
    #[arg(value_name = "ID")]
    id: String,
    /// A value that the guard takes, as NAME=VALUE; may be repeated
    #[arg(long = "with", value_name = "NAME=VALUE")]
    values: Vec<String>,
    /// Start in this mode
    #[arg(long, value_enum, default_value_t = Start::Enforce)]
    mode: Start,
    /// For all projects of this person
    #[arg(long)]
    user: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Start {
    Shadow,
    Warn,
    Enforce,
}

impl Start {
    fn mode(self) -> Mode {
        match self {
            Self::Shadow => Mode::Shadow,
            Self::Warn => Mode::Warn,
            Self::Enforce => Mode::Enforce,
        }
    }
}

/// Switch a guard off
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard disable destructive")]
pub(super) struct DisableArgs {
    #[command(flatten)]
    which: Which,
}

/// Move a guard one step up: off, shadow, warn, enforce
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard promote infra-is-reviewed")]
pub(super) struct PromoteArgs {
    #[command(flatten)]
    which: Which,
}

/// Move a guard one step down: enforce, warn, shadow
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard demote infra-is-reviewed")]
pub(super) struct DemoteArgs {
    #[command(flatten)]
    which: Which,
}

#[derive(Args)]
struct Which {
    #[arg(value_name = "ID")]
    id: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn enable(args: &EnableArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let own = guards.list.iter().find(|guard| guard.id == args.id && path_of(&project, guard).is_some());
    if let Some(guard) = own.filter(|_| args.values.is_empty()) {
        return put(guard, &guards, &project, args.mode.mode(), args.json, ui);
    }
    if Shipped::named(&args.id).is_none() {
        return Err(match guards.find(&args.id) {
            Ok(_) => CliError::usage(format!("`{}` takes no values", args.id)).hinted("edit its file instead"),
            Err(unknown) => unknown,
        });
    }
    let mut values = Vec::new();
    for value in &args.values {
        match value.split_once('=') {
            Some((name, value)) => values.push((name.trim().to_owned(), value.to_owned())),
            None => return Err(CliError::usage(format!("`{value}` has no `=`")).hinted("write it as NAME=VALUE")),
        }
    }
    let text = enable_text(&args.id, &values).map_err(|error| {
        let told = CliError::usage(error.to_string());
        match error.hint() {
            Some(hint) => told.hinted(hint),
            None => told,
        }
    })?;
    let path = match own.and_then(|guard| path_of(&project, guard)) {
        Some(path) => path,
        None => fresh_path(&args.id, args.user, &project)?,
    };
    write(&path, &set_mode(&text, args.mode.mode()))?;
    tell(&args.id, args.mode.mode(), &path, &project, args.json, ui);
    Ok(Exit::Done)
}

pub(super) fn disable(args: &DisableArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    step(&args.which, ui, |_| Some(Mode::Off))
}

pub(super) fn promote(args: &PromoteArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    step(&args.which, ui, Mode::promoted)
}

pub(super) fn demote(args: &DemoteArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    step(&args.which, ui, Mode::demoted)
}

fn step(which: &Which, ui: &mut Ui, next: impl Fn(Mode) -> Option<Mode>) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    // A pack is known by its own name, and so is a file that states the mode for all guards in it.
    let pack = |guard: &&Listed| guard.id.split('.').next() == Some(which.id.as_str());
    let guard = match guards.find(&which.id) {
        Ok(guard) => guard,
        Err(unknown) => guards.list.iter().find(pack).ok_or(unknown)?,
    };
    let stated = guards.source_of(guard).and_then(|source| mode_of(&source.text));
    let now = stated.unwrap_or(guard.mode);
    let Some(mode) = next(now) else {
        return Err(CliError::user(format!("`{}` is in mode `{}` already", which.id, now.name()))
            .hinted("`stead guard disable` switches one off"));
    };
    put(guard, &guards, &project, mode, which.json, ui)
}

/// Writes the mode into the guard's file, or into a new one for a guard that has none.
fn put(
    guard: &Listed,
    guards: &Guards,
    project: &Project,
    mode: Mode,
    json: bool,
    ui: &mut Ui,
) -> Result<Exit, CliError> {
    let id = guard.id.split('.').next().unwrap_or(&guard.id);
    let (path, text) = match (path_of(project, guard), guards.source_of(guard)) {
        (Some(path), Some(source)) => (path, source.text),
        _ => {
            let text = enable_text(id, &[]).map_err(|error| {
                CliError::user(error.to_string()).hinted(error.hint().unwrap_or_else(|| "enable it first".to_owned()))
            })?;
            (fresh_path(id, false, project)?, text)
        }
    };
    write(&path, &set_mode(&text, mode))?;
    tell(id, mode, &path, project, json, ui);
    Ok(Exit::Done)
}

fn fresh_path(id: &str, user: bool, project: &Project) -> Result<PathBuf, CliError> {
    let folder = match user {
        true => UserDirs::from_env(&env)
            .map(|dirs| dirs.config.join("guards"))
            .ok_or_else(|| CliError::user("there is no home folder").hinted("set `HOME` to an absolute path"))?,
        false => Layout::of(&project.config).dir(project.root(), Room::Guards),
    };
    Ok(folder.join(format!("{id}.yaml")))
}

fn write(path: &std::path::Path, text: &str) -> Result<(), CliError> {
    create_parents(path)?;
    Ok(replace(path, text.as_bytes(), Durability::Synced)?)
}

fn tell(id: &str, mode: Mode, path: &std::path::Path, project: &Project, json: bool, ui: &mut Ui) {
    let file = project.short(path).display().to_string();
    match json {
        true => ui.json(&json!({"id": id, "mode": mode.name(), "file": file})),
        false => ui.line(format!("`{id}` is in mode `{}` now, by {file}", mode.name())),
    }
}
