//! Roles: their files, the session that has one, and compactions.

mod lifecycle;
mod list;
mod new;
mod recover;
mod use_;
mod validate;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use stead_context::{ContextError, ROLE_FORMAT, RoleName, RoleState, old_machine, roles};
use stead_hook::SessionState;
use stead_model::{FileId, nearest};
use stead_store::{Layout, Room};

use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, env, now};
use crate::session::calling_session;
use crate::ui::Ui;

/// The variables that name a role, strongest first. The second is an older tool's.
const ROLE: [&str; 2] = ["STEAD_ROLE", "HIVEMIND_ROLE"];

/// Manage what a role must remember: its file, its state around a compaction, its recovery
///
/// A role file is `<roles>/<role>.context.md`. If no role is given, it is the one this session registered with `stead
/// role use`, else `STEAD_ROLE`, else `HIVEMIND_ROLE`.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead role new code-reviewer\n  stead role validate --all\n  stead role recover")]
pub(crate) struct RoleArgs {
    #[command(subcommand)]
    command: RoleCommand,
}

#[derive(Subcommand)]
enum RoleCommand {
    List(list::ListArgs),
    New(new::NewArgs),
    Validate(validate::ValidateArgs),
    Schema(SchemaArgs),
    Use(use_::UseArgs),
    Recover(recover::RecoverArgs),
    Lifecycle(lifecycle::LifecycleArgs),
}

/// Print the format of a role file and its rules
#[derive(Args)]
#[command(after_help = "Example:\n  stead role schema")]
struct SchemaArgs {}

pub(crate) fn run(args: RoleArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    match args.command {
        RoleCommand::List(args) => list::run(&args, ui),
        RoleCommand::New(args) => new::run(&args, ui),
        RoleCommand::Validate(args) => validate::run(&args, ui),
        RoleCommand::Schema(SchemaArgs {}) => {
            ui.raw(ROLE_FORMAT);
            Ok(Exit::Done)
        }
        RoleCommand::Use(args) => use_::run(&args, ui),
        RoleCommand::Recover(args) => recover::run(&args, ui),
        RoleCommand::Lifecycle(args) => lifecycle::run(args, ui),
    }
}

/// The folder of the role files.
fn folder(project: &Project) -> PathBuf {
    Layout::of(&project.config).dir(project.root(), Room::Roles)
}

/// A path as shown to people, relative to the project root.
fn shown(project: &Project, path: &std::path::Path) -> String {
    path.strip_prefix(project.root()).unwrap_or(path).display().to_string()
}

/// The role that is meant: the given one, else the session's, else the environment's.
fn meant(named: Option<&str>, project: &Project) -> Result<RoleName, CliError> {
    if let Some(named) = named {
        return Ok(RoleName::check(named)?);
    }
    let from_env = || ROLE.iter().find_map(|name| env(name)?.into_string().ok().filter(|role| !role.is_empty()));
    match session_role(project).or_else(from_env) {
        Some(role) => Ok(RoleName::check(&role)?),
        None => {
            let hint = "name one, register one with `stead role use <role>`, or set `STEAD_ROLE`";
            Err(CliError::usage("no role given, and this session has none").hinted(hint))
        }
    }
}

/// The role that the calling session registered.
fn session_role(project: &Project) -> Option<String> {
    let session = FileId::check(&calling_session(project)?.session).ok()?;
    SessionState::read(&project.indexes(), &session).ok()??.role
}

/// The error for a role without a file, with a suggestion.
fn unknown(role: &RoleName, project: &Project) -> CliError {
    let known = roles(&folder(project));
    match nearest(role.as_str(), known.iter().map(RoleName::as_str)) {
        Some(nearest) => {
            let nearest = Some(nearest.to_owned());
            ContextError::UnknownId { kind: "role", id: role.as_str().to_owned(), nearest }.into()
        }
        None => {
            CliError::not_found(format!("there is no role file `{}`", shown(project, &role.file(&folder(project)))))
                .hinted(format!("create it with `stead role new {role}`"))
        }
    }
}

/// The state of a role: our own, else one of an older tool, with a note on what cannot be imported.
fn state(role: &RoleName, project: &Project, ui: &mut Ui) -> Result<Option<RoleState>, CliError> {
    if let Some(state) = RoleState::read(&project.indexes(), role)? {
        return Ok(Some(state));
    }
    let config = env("CONFIG_PATH").map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(config) = config else { return Ok(None) };
    let Some(old) = old_machine(&config, role)? else { return Ok(None) };
    let mut state = RoleState::new(role, &now());
    state.put(old.state, &now());
    ui.note(format!("note: the state of `{role}` was imported from `{}`", old.path.display()));
    for left in &old.left {
        ui.note(format!("note: not imported: {left}"));
    }
    Ok(Some(state))
}
