use clap::{Args, Subcommand};
use stead_context::{EditLog, Lifecycle, RoleName, RoleState, Unsaved, roles, unsaved};
use stead_store::Durability;

use super::{folder, meant, shown, state, unknown};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, now};
use crate::session::calling_session;
use crate::ui::Ui;

/// Take a role through a compaction: active → saving → saved → compacting → recovering → active
///
/// With Stead's hooks installed most of it happens automatically. Each command makes legal transitions only and rejects
/// others, naming the legal ones. State files of an older tool in `$CONFIG_PATH/stateMachines` are imported.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead role lifecycle save code-reviewer\n  stead role lifecycle status")]
pub(super) struct LifecycleArgs {
    #[command(subcommand)]
    command: LifecycleCommand,
}

#[derive(Subcommand)]
enum LifecycleCommand {
    /// Start a role's lifecycle as active; an existing one is not changed
    #[command(after_help = "Example:\n  stead role lifecycle init code-reviewer")]
    Init {
        /// The role; by default the one of this session
        role: Option<String>,
    },
    /// Check the role file and mark it saved; exits with 1 if it is invalid or older than the session's last edit
    #[command(after_help = "Example:\n  stead role lifecycle save code-reviewer")]
    Save {
        /// The role; by default the one of this session
        role: Option<String>,
    },
    Status(StatusArgs),
    /// Check that a role may be compacted and mark it compacting; exits with 1 if its file is not saved
    ///
    /// For clients without hooks: run it before the compaction, and `stead role lifecycle recover` after it.
    #[command(after_help = "Example:\n  stead role lifecycle pre-compact")]
    PreCompact {
        /// The role; by default the one of this session
        role: Option<String>,
    },
    /// Set a role active after a compaction
    #[command(after_help = "Example:\n  stead role lifecycle recover code-reviewer")]
    Recover {
        /// The role; by default the one of this session
        role: Option<String>,
    },
}

/// Show the state of a role, or of all roles
#[derive(Args)]
#[command(after_help = "Example:\n  stead role lifecycle status --json")]
struct StatusArgs {
    /// The role; all by default
    role: Option<String>,
    /// Print the states as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: LifecycleArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let of = |role: Option<String>| meant(role.as_deref(), &project);
    match args.command {
        LifecycleCommand::Init { role } => init(&of(role)?, &project, ui),
        LifecycleCommand::Save { role } => save(&of(role)?, &project, ui),
        LifecycleCommand::Status(args) => status(&args, &project, ui),
        LifecycleCommand::PreCompact { role } => pre_compact(&of(role)?, &project, ui),
        LifecycleCommand::Recover { role } => recover(&of(role)?, &project, ui),
    }
}

fn init(role: &RoleName, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let folder = folder(project);
    if let Some(other) = roles(&folder).into_iter().find(|other| other != role && other.machine() == role.machine()) {
        let (role, other, machine) = (role.to_string(), other.to_string(), role.machine());
        return Err(stead_context::ContextError::RoleClash { role, other, machine }.into());
    }
    if let Some(state) = RoleState::read(&project.indexes(), role)? {
        ui.line(format!("{role}: already {}; nothing to do", state.state));
        return Ok(Exit::Done);
    }
    let state = state(role, project, ui)?.unwrap_or_else(|| RoleState::new(role, &now()));
    state.write(&project.indexes(), Durability::Synced)?;
    ui.line(format!("{role}: {}", state.state));
    if !role.file(&folder).is_file() {
        ui.warning(format!("there is no role file yet; create it with `stead role new {role}`"));
    }
    Ok(Exit::Done)
}

fn save(role: &RoleName, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let mut state = state(role, project, ui)?.unwrap_or_else(|| RoleState::new(role, &now()));
    if state.state != Lifecycle::Saving {
        state.go(Lifecycle::Saving, &now())?;
    }
    let outcome = checked(role, project, None);
    let to = if outcome.is_ok() { Lifecycle::Saved } else { Lifecycle::Active };
    state.go(to, &now())?;
    state.write(&project.indexes(), Durability::Synced)?;
    outcome?;
    ui.line(format!("{role}: {}", state.state));
    Ok(Exit::Done)
}

/// Returns what is wrong with the role file. It must be newer than the last edit of the session that calls, or of one that
/// has the role; `saved_at` is when it was last found to be.
fn checked(role: &RoleName, project: &Project, saved_at: Option<&str>) -> Result<(), CliError> {
    let file = role.file(&folder(project));
    let log = project.indexes().join("sessions.jsonl");
    let own = calling_session(project).map(|binding| binding.session);
    let members =
        || RoleState::read(&project.indexes(), role).ok().flatten().map(|state| state.members).unwrap_or_default();
    let sessions = own.map_or_else(|| members().into_iter().map(|member| member.session).collect(), |own| vec![own]);
    let logs: Vec<EditLog<'_>> = sessions.iter().map(|session| EditLog { path: &log, session }).collect();
    let found = logs.iter().find_map(|edits| unsaved(&file, saved_at, Some(edits)));
    match found.or_else(|| unsaved(&file, saved_at, None)) {
        None => Ok(()),
        Some(Unsaved::Missing) => Err(unknown(role, project)),
        Some(why @ Unsaved::Older { .. }) => {
            let shown = shown(project, &file);
            Err(CliError::user(format!("the role file `{shown}` {why}"))
                .hinted("bring it up to date: completed work, what is pending, and `**Updated**`; then save again"))
        }
        Some(why) => Err(CliError::user(format!("the role file `{}` {why}", shown(project, &file)))
            .hinted(format!("`stead role validate {role}` shows all problems; `--fix` repairs what it can"))),
    }
}

fn status(args: &StatusArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let states = match &args.role {
        Some(role) => {
            let role = RoleName::check(role)?;
            let Some(state) = state(&role, project, ui)? else { return Err(not_begun(&role, project)) };
            vec![state]
        }
        None => all(project, ui)?,
    };
    if args.json {
        ui.json(answer::ROLE_STATE, &answer::records(&states));
        return Ok(Exit::Done);
    }
    let width = states.iter().map(|state| state.role.len()).max().unwrap_or(0);
    for state in &states {
        let saved = state.saved_at.as_ref().map(|at| format!(", last saved {at}")).unwrap_or_default();
        ui.line(format!("{:width$}  {:<10}  since {}{saved}", state.role, state.state.name(), state.since));
    }
    if states.is_empty() {
        ui.note("no role has started its lifecycle; start one with `stead role lifecycle init <role>`");
    }
    Ok(Exit::Done)
}

/// Every readable state, of Stead or of an older tool; the others become warnings.
fn all(project: &Project, ui: &mut Ui) -> Result<Vec<RoleState>, CliError> {
    let mut states = Vec::new();
    for found in RoleState::all(&project.indexes()) {
        match found {
            Ok(state) => states.push(state),
            Err(error) => ui.warning(error.to_string()),
        }
    }
    for role in roles(&folder(project)) {
        if !RoleState::path(&project.indexes(), &role).exists() {
            states.extend(state(&role, project, ui)?);
        }
    }
    Ok(states)
}

fn not_begun(role: &RoleName, project: &Project) -> CliError {
    if role.file(&folder(project)).is_file() {
        return CliError::user(format!("the lifecycle of `{role}` has not started"))
            .hinted(format!("start it with `stead role lifecycle init {role}`"));
    }
    unknown(role, project)
}

fn pre_compact(role: &RoleName, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let mut state = state(role, project, ui)?.unwrap_or_else(|| RoleState::new(role, &now()));
    let was_saved = state.state == Lifecycle::Saved;
    // All transitions are made on a copy first, so that an illegal one is rejected whatever the file's content.
    for to in [Lifecycle::Saving, Lifecycle::Saved] {
        if state.state != Lifecycle::Saved && state.state != to {
            state.go(to, &now())?;
        }
    }
    state.go(Lifecycle::Compacting, &now())?;
    checked(role, project, state.saved_at.as_deref().filter(|_| was_saved))?;
    state.write(&project.indexes(), Durability::Synced)?;
    ui.line(format!("{role}: saved, {}", state.state));
    Ok(Exit::Done)
}

fn recover(role: &RoleName, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let Some(mut state) = state(role, project, ui)? else { return Err(not_begun(role, project)) };
    if state.state != Lifecycle::Recovering {
        state.go(Lifecycle::Recovering, &now())?;
    }
    state.go(Lifecycle::Active, &now())?;
    state.write(&project.indexes(), Durability::Synced)?;
    ui.line(format!("{role}: {}", state.state));
    Ok(Exit::Done)
}
