//! The role of an agent whose client does not report it, and the flags that a person set on a session.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_client::Harness;
use stead_context::{Binding, RoleName};
use stead_hook::{Begun, SessionState};
use stead_model::FileId;
use stead_store::Durability;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, require_person_to_weaken};
use crate::project::{Project, now};
use crate::session::calling_session;
use crate::speaker::Speaker;
use crate::ui::Ui;

/// Manage the role of an agent and the flags of a session
///
/// Guards can apply to some roles only. Most agent programs report the role of a sub-agent. If one does not, the role
/// that the sub-agent was started with counts. A role that the agent gives itself here adds the guards of that role and
/// exempts it from none, unless the orchestrator's current command is for that role. A person can also set a flag on
/// a session that guards check, such as `plan-approved`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead agent begin tester\n  stead agent end\n  stead agent flag plan-approved --session 7c0e"
)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(Subcommand)]
enum AgentCommand {
    Begin(BeginArgs),
    End(EndArgs),
    Flag(FlagArgs),
    Show(ShowArgs),
}

/// Start a role; run by the agent in its own shell
#[derive(Args)]
#[command(after_help = "Example:\n  stead agent begin tester")]
struct BeginArgs {
    /// The role, such as `tester`
    role: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// End the role that was started last
#[derive(Args)]
#[command(after_help = "Example:\n  stead agent end")]
struct EndArgs {
    /// End it only if it is this role
    role: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Set a flag on a session, for guards that check it; agents may not do this
#[derive(Args)]
#[command(after_help = "Example:\n  stead agent flag plan-approved --session 7c0e")]
struct FlagArgs {
    /// The flag, such as `plan-approved`
    flag: String,
    /// The session; by default the last one seen
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Remove the flag
    #[arg(long)]
    remove: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Show the roles and flags of a session
#[derive(Args)]
#[command(after_help = "Example:\n  stead agent show --json")]
struct ShowArgs {
    /// The session; by default the calling one or the last one seen
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: AgentArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    match args.command {
        AgentCommand::Begin(args) => begin(&args, &project, ui),
        AgentCommand::End(args) => end(&args, &project, ui),
        AgentCommand::Flag(args) => flag(&args, &project, ui),
        AgentCommand::Show(args) => show(&args, &project, ui),
    }
}

fn begin(args: &BeginArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let role = RoleName::check(&args.role)?;
    let caller = caller(project)?;
    let (id, mut state) = open(project, &caller.session, Some(&caller.harness))?;
    state.begun.retain(|begun| begun.agent != caller.agent);
    state.begun.push(Begun { agent: caller.agent.clone(), role: role.as_str().to_owned(), at: now() });
    state.write(&project.indexes(), &id, Durability::Synced)?;
    let counts = counts(&caller);
    if args.json {
        ui.json(
            answer::AGENT_BEGIN,
            &json!({"role": role.as_str(), "session": caller.session, "agent": caller.agent, "counts": counts}),
        );
        return Ok(Exit::Done);
    }
    ui.line(format!("{} of session {} now has the role `{role}`", whose(&caller), caller.session));
    if !counts {
        let title = Harness::from_name(&caller.harness).map_or("the client", |known| known.client().facts.title);
        ui.warning(format!("{title} reports which agent makes a call, so guards still see the main agent"));
    }
    Ok(Exit::Done)
}

fn end(args: &EndArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let caller = caller(project)?;
    let (id, mut state) = open(project, &caller.session, Some(&caller.harness))?;
    let own = |begun: &Begun| begun.agent == caller.agent && args.role.as_ref().is_none_or(|role| *role == begun.role);
    let ended: Vec<String> = state.begun.iter().filter(|begun| own(begun)).map(|begun| begun.role.clone()).collect();
    state.begun.retain(|begun| !own(begun));
    if ended.is_empty() {
        return Err(CliError::user(format!(
            "{} of session {} has not started that role",
            whose(&caller),
            caller.session
        ))
        .hinted("`stead agent show` lists the started roles"));
    }
    state.write(&project.indexes(), &id, Durability::Synced)?;
    match args.json {
        true => ui.json(answer::AGENT_END, &json!({"ended": ended, "session": caller.session, "agent": caller.agent})),
        false => {
            ui.line(format!("{} of session {} ended the role `{}`", whose(&caller), caller.session, ended.join("`, `")))
        }
    }
    Ok(Exit::Done)
}

fn flag(args: &FlagArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    if let Err(problem) = FileId::check(&args.flag) {
        return Err(CliError::usage(format!("invalid flag `{}`: {problem}", args.flag))
            .hinted("letters, digits and hyphens, as in `plan-approved`"));
    }
    require_person_to_weaken("set a flag on a session", Whose::Project, project, ui)?;
    let (session, harness) = meant(project, args.session.as_deref())?;
    let (id, mut state) = open(project, &session, harness.as_deref())?;
    state.flags.retain(|flag| *flag != args.flag);
    if !args.remove {
        state.flags.push(args.flag.clone());
    }
    state.write(&project.indexes(), &id, Durability::Synced)?;
    match args.json {
        true => ui.json(answer::AGENT_FLAGS, &json!({"session": session, "flags": state.flags})),
        false if args.remove => ui.line(format!("session {session} no longer has the flag `{}`", args.flag)),
        false => ui.line(format!("session {session} now has the flag `{}`", args.flag)),
    }
    Ok(Exit::Done)
}

fn show(args: &ShowArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let (session, harness) = meant(project, args.session.as_deref())?;
    let (_, state) = open(project, &session, harness.as_deref())?;
    if args.json {
        ui.json(answer::AGENT, &as_json(&session, &state));
        return Ok(Exit::Done);
    }
    ui.line(format!("session {session} of {}", state.harness));
    if let Some(role) = &state.role {
        ui.line(format!("  role   {role} (`stead role use`)"));
    }
    for begun in &state.begun {
        let agent = begun.agent.as_ref().map(|agent| format!(" by sub-agent {agent}")).unwrap_or_default();
        ui.line(format!("  begun  {}{agent} at {}", begun.role, begun.at));
    }
    for flag in &state.flags {
        ui.line(format!("  flag   {flag}"));
    }
    Ok(Exit::Done)
}

fn as_json(session: &str, state: &SessionState) -> Value {
    let begun = state.begun.iter().map(|one| json!({"role": one.role, "agent": one.agent, "begun_at": one.at}));
    json!({
        "session": session,
        "harness": state.harness,
        "role": state.role,
        "begun": begun.collect::<Vec<_>>(),
        "flags": state.flags,
    })
}

/// The session that runs this command.
fn caller(project: &Project) -> Result<Binding, CliError> {
    calling_session(project).ok_or_else(|| {
        CliError::user("no session ran this command")
            .hinted("the agent must run it in its own shell, with Stead's hooks installed")
    })
}

/// The session to use, and its client. A session may be known by its calls only, without a recorded start.
pub(super) fn meant(project: &Project, named: Option<&str>) -> Result<(String, Option<String>), CliError> {
    let Speaker { session, harness, .. } = Speaker::meant(project, named);
    let session = session.ok_or_else(|| CliError::user("no recent session").hinted("name one with `--session`"))?;
    let harness = harness.or_else(|| Speaker::harness_of(project, &session));
    Ok((session, harness))
}

fn whose(caller: &Binding) -> String {
    match &caller.agent {
        Some(agent) => format!("sub-agent {agent}"),
        None => "the agent".to_owned(),
    }
}

/// Returns true if the hook uses this role: it does not if the client reports which agent makes a call.
fn counts(caller: &Binding) -> bool {
    let marks = Harness::from_name(&caller.harness).is_some_and(|known| known.client().facts.marks_calls);
    caller.agent.is_some() || !marks
}

pub(super) fn open(
    project: &Project,
    session: &str,
    harness: Option<&str>,
) -> Result<(FileId, SessionState), CliError> {
    let Ok(id) = FileId::check(session) else {
        return Err(CliError::user(format!("the session id `{session}` cannot be used as a file name")));
    };
    let Ok(state) = SessionState::read(&project.indexes(), &id) else {
        return Err(CliError::user("the session's state was written by a newer version").hinted("update `stead`"));
    };
    match (state, harness) {
        (Some(state), _) => Ok((id, state)),
        (None, Some(harness)) => Ok((id, SessionState::begin(harness, session, project.root(), &now()))),
        (None, None) => Err(CliError::not_found(format!("there is no session `{session}` in this project"))
            .hinted("`stead agent show` without `--session` shows the last one seen")),
    }
}
