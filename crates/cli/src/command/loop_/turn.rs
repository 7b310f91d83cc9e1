use clap::Args;
use serde_json::json;
use stead_context::{Activated, Loop, LoopStatus, NewLimits};

use super::{Here, as_json, session_of};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::ui::Ui;

#[derive(Args)]
pub(super) struct Which {
    /// The loop, or a unique part of its id
    id: String,
    /// Print the loop as JSON
    #[arg(long)]
    json: bool,
}

/// Resume a loop that is paused or reached its limit
///
/// Without options, a loop that used up its iterations or minutes gets as many again.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead loop resume make-every-test-pass\n  stead loop resume make-every-test-pass --max-iterations 60"
)]
pub(super) struct ResumeArgs {
    #[command(flatten)]
    which: Which,
    /// The new maximum of iterations; 0 for no limit
    #[arg(long, value_name = "N")]
    max_iterations: Option<u32>,
    /// The new maximum of minutes; 0 for no limit
    #[arg(long, value_name = "N")]
    max_minutes: Option<u32>,
}

pub(super) fn activate(which: &Which, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.refuse_sub_agents()?;
    let id = here.loops.find(&which.id)?;
    let activated = here.loops.activate(&id, here.caller.as_ref(), here.now)?;
    taken_up(which, &activated, "is in the foreground", ui);
    Ok(Exit::Done)
}

pub(super) fn resume(args: &ResumeArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.refuse_sub_agents()?;
    let id = here.loops.find(&args.which.id)?;
    let state = here.loops.read(&id)?.state;
    let limits = NewLimits { max_iterations: args.max_iterations, max_minutes: args.max_minutes };
    if state.status == LoopStatus::Limit || limits != NewLimits::default() {
        // The limit is whose loop it is.
        refuse_strangers(&id, "raise the limit of a loop that somebody else started", here)?;
    }
    if let Some(most) = args.max_iterations.filter(|most| *most > 0 && *most <= state.iteration) {
        let message = format!("the loop is at iteration {}, so a maximum of {most} leaves nothing", state.iteration);
        return Err(CliError::usage(message));
    }
    let resumed = here.loops.resume(&id, here.caller.as_ref(), limits, here.now)?;
    taken_up(&args.which, &resumed, "resumed", ui);
    Ok(Exit::Done)
}

pub(super) fn pause(which: &Which, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = here.loops.find(&which.id)?;
    refuse_strangers(&id, "end a loop that somebody else started", here)?;
    let state = here.loops.pause(&id, here.caller.as_ref(), here.now)?;
    ended(which, &state, &format!("resume it with `stead loop resume {id}`"), ui);
    Ok(Exit::Done)
}

pub(super) fn cancel(which: &Which, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = here.loops.find(&which.id)?;
    refuse_strangers(&id, "end a loop that somebody else started", here)?;
    let state = here.loops.cancel(&id, here.caller.as_ref(), here.now)?;
    ended(which, &state, "", ui);
    Ok(Exit::Done)
}

/// An agent may decide about the loops that its session started, and no others.
fn refuse_strangers(id: &str, what: &str, here: &Here) -> Result<(), CliError> {
    let own = |caller| here.loops.read(id).is_ok_and(|file| file.state.started_by.is(caller));
    match here.caller.as_ref().is_some_and(own) {
        true => Ok(()),
        false => refuse_agents(what, Whose::Project, &here.project),
    }
}

fn taken_up(which: &Which, activated: &Activated, how: &str, ui: &mut Ui) {
    let state = &activated.state;
    if which.json {
        let mut value = as_json(state);
        value["moved_from"] = json!(activated.moved_from.as_ref().map(ToString::to_string));
        value["paused"] = json!(activated.paused);
        ui.json(answer::LOOP, &value);
        return;
    }
    ui.line(format!("loop {} {how}, iteration {}; {}", state.id, state.progress(), session_of(state)));
    if let Some(owner) = &activated.moved_from {
        ui.line(format!("detached from session {} of {}", owner.session(), owner.harness()));
    }
    if let Some(paused) = &activated.paused {
        ui.line(format!("loop {paused} is paused"));
    }
    if state.lease.is_none() {
        ui.line("not attached to a session; run this command inside one to attach it");
    }
}

fn ended(which: &Which, state: &Loop, then: &str, ui: &mut Ui) {
    if which.json {
        ui.json(answer::LOOP, &as_json(state));
        return;
    }
    let then = if then.is_empty() { String::new() } else { format!("; {then}") };
    ui.line(format!("loop {} is {}{then}", state.id, state.status));
}
