use std::path::Path;

use clap::Args;
use serde_json::json;
use stead_context::{RoleName, RoleState};
use stead_hook::SessionState;
use stead_model::FileId;
use stead_store::Durability;

use super::{folder, shown};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, now};
use crate::session::calling_session;
use crate::ui::Ui;

/// Register the role of the session that runs this command
///
/// An agent runs it in its own shell; the hook that allows the command identifies the session. A person who starts an
/// agent sets `STEAD_ROLE` instead.
#[derive(Args)]
#[command(after_help = "Example:\n  stead role use code-reviewer")]
pub(super) struct UseArgs {
    /// The role
    role: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &UseArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let role = RoleName::check(&args.role)?;
    let indexes = project.indexes();
    // Rejected here rather than at the compaction, where nobody would see it.
    let in_role = RoleState::read(&indexes, &role)?;
    let binding = calling_session(&project).ok_or_else(|| {
        CliError::user("not attached to a session: no hook saw this command").hinted(
            "let the agent run it in its own shell with Stead's hooks installed, or start the agent with `STEAD_ROLE` set",
        )
    })?;
    let Ok(session) = FileId::check(&binding.session) else {
        return Err(CliError::user(format!("the session id `{}` cannot be kept in a file", binding.session)));
    };
    let Ok(state) = SessionState::read(&indexes, &session) else {
        return Err(CliError::user("the session's state was written by a newer version").hinted("update `stead`"));
    };
    let mut state = state.unwrap_or_else(|| SessionState {
        schema: SessionState::SCHEMA,
        harness: binding.harness.clone(),
        session: binding.session.clone(),
        root: project.root().to_string_lossy().into_owned(),
        cwd: project.root().to_string_lossy().into_owned(),
        started_at: now(),
        last_seen: now(),
        ..SessionState::default()
    });
    let before = state.role.replace(role.as_str().to_owned()).filter(|before| before != role.as_str());
    leave(before.as_deref(), &binding.session, &indexes)?;
    let mut in_role = in_role.unwrap_or_else(|| RoleState::new(&role, &now()));
    in_role.join(&binding.session, &binding.harness, &now());
    let others = in_role.others(&binding.session);
    in_role.write(&indexes, Durability::Synced)?;
    state.write(&indexes, &session, Durability::Synced)?;
    if args.json {
        ui.json(
            answer::ROLE_USE,
            &json!({"role": role.as_str(), "session": binding.session, "harness": binding.harness}),
        );
    } else {
        ui.line(format!("session {} of {} now has the role `{role}`", binding.session, binding.harness));
    }
    if let Some(others) = others {
        ui.warning(others);
    }
    let file = role.file(&folder(&project));
    if !file.is_file() {
        ui.warning(format!(
            "there is no role file `{}` yet; create it with `stead role new {role}`",
            shown(&project, &file)
        ));
    }
    Ok(Exit::Done)
}

/// Removes the session from the role that it had.
fn leave(role: Option<&str>, session: &str, indexes: &Path) -> Result<(), CliError> {
    let Some(role) = role.and_then(|role| RoleName::check(role).ok()) else { return Ok(()) };
    if let Ok(Some(mut state)) = RoleState::read(indexes, &role)
        && state.leave(session)
    {
        state.write(indexes, Durability::Synced)?;
    }
    Ok(())
}
