//! Loops: start, inspect, take over and end them.

mod list;
mod log;
mod show;
mod start;
mod turn;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_context::{Loop, Loops, Owner};
use stead_model::unix_millis;
use stead_store::{Layout, Room};

use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, now};
use crate::session::calling_session;
use crate::ui::Ui;

/// Keep an agent working on a task until it is done
///
/// A loop applies to the session it was started or activated in: whenever the agent wants to stop, it gets the task
/// again, until it gives the loop's promise (`<promise>DONE</promise>`), the loop's check passes, or a limit is
/// reached. Other sessions and sub-agents are never blocked.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead loop start \"Make every test pass\" --promise DONE --verify 'cargo test'\n  stead loop list\n  stead loop log"
)]
pub(crate) struct LoopArgs {
    #[command(subcommand)]
    command: LoopCommand,
}

#[derive(Subcommand)]
enum LoopCommand {
    Start(start::StartArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    /// Attach a loop to this session
    ///
    /// If an agent runs it, the loop applies to that agent's session from now on, and to no other. If a person runs it in
    /// a terminal, it only becomes the loop that was chosen last.
    #[command(after_help = "Example:\n  stead loop activate make-every-test-pass")]
    Activate(turn::Which),
    /// Pause a loop until it is resumed
    ///
    /// An agent may pause a loop that its own session started; only a person may pause others.
    #[command(after_help = "Example:\n  stead loop pause 20261115T194530Z-make-every-test-pass")]
    Pause(turn::Which),
    Resume(turn::ResumeArgs),
    /// Cancel a loop for good
    ///
    /// An agent may cancel a loop that its own session started; only a person may cancel others.
    #[command(after_help = "Example:\n  stead loop cancel 20261115T194530Z-make-every-test-pass")]
    Cancel(turn::Which),
    Log(log::LogArgs),
}

pub(crate) fn run(args: LoopArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    match args.command {
        LoopCommand::Start(args) => start::run(args, &here, ui),
        LoopCommand::List(args) => list::run(&args, &here, ui),
        LoopCommand::Show(args) => show::run(&args, &here, ui),
        LoopCommand::Activate(args) => turn::activate(&args, &here, ui),
        LoopCommand::Pause(args) => turn::pause(&args, &here, ui),
        LoopCommand::Resume(args) => turn::resume(&args, &here, ui),
        LoopCommand::Cancel(args) => turn::cancel(&args, &here, ui),
        LoopCommand::Log(args) => log::run(&args, &here, ui),
    }
}

/// The context of the command: project, time and session.
struct Here {
    project: Project,
    loops: Loops,
    /// The session whose main agent called the command.
    caller: Option<Owner>,
    /// A sub-agent called it. Loops hold main agents only.
    is_sub_agent: bool,
    /// In milliseconds since 1970.
    now: i64,
}

impl Here {
    fn find(ui: &Ui) -> Result<Self, CliError> {
        let project = Project::find(ui)?;
        project.require_marker()?;
        let loops = Loops::of_room(&Layout::of(&project.config).dir(project.root(), Room::Context));
        let binding = calling_session(&project);
        let is_sub_agent = binding.as_ref().is_some_and(|binding| binding.agent.is_some());
        let main = binding.filter(|_| !is_sub_agent);
        let caller = main.and_then(|binding| Owner::new(&binding.harness, &binding.session));
        Ok(Self { loops, caller, is_sub_agent, now: unix_millis(&now()).unwrap_or_default(), project })
    }
}

impl Here {
    /// A loop holds a main agent; started by a sub-agent, it would hold the one that waits for it.
    fn refuse_sub_agents(&self) -> Result<(), CliError> {
        match self.is_sub_agent {
            true => Err(CliError::user("a sub-agent cannot be in a loop, and may not put its session into one")
                .hinted("finish the task and return; the main agent or a person may start the loop")),
            false => Ok(()),
        }
    }
}

/// The session of a loop, for people.
fn session_of(state: &Loop) -> String {
    match &state.lease {
        Some(lease) => format!("session {} of {}", lease.owner.session(), lease.owner.harness()),
        None => "no session".to_owned(),
    }
}

fn as_json(state: &Loop) -> Value {
    let lease = state.lease.as_ref();
    json!({
        "id": state.id,
        "status": state.status.name(),
        "reason": state.reason,
        "iteration": state.iteration,
        "max_iterations": state.max_iterations,
        "promises": state.promises,
        "verify": state.verify,
        "then_run": state.then_run,
        "max_minutes": state.max_minutes,
        "max_repeats": state.max_repeats,
        "packet": state.source_packet_id,
        "started_by": state.started_by.to_string(),
        "harness": lease.map(|lease| lease.owner.harness()),
        "session": lease.map(|lease| lease.owner.session()),
        "attached_at": lease.map(|lease| &lease.started),
        "expires_at": lease.map(|lease| &lease.expires),
        "created_at": state.created_at,
        "updated_at": state.updated_at,
    })
}
