use clap::Args;
use serde_json::json;
use stead_context::{Activated, Loop};

use super::{Here, as_json, session_of};
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

pub(super) fn activate(which: &Which, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = here.loops.find(&which.id)?;
    let activated = here.loops.activate(&id, here.caller.as_ref(), here.now)?;
    taken_up(which, &activated, "is in the foreground", ui);
    Ok(Exit::Done)
}

pub(super) fn resume(which: &Which, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = here.loops.find(&which.id)?;
    let resumed = here.loops.resume(&id, here.caller.as_ref(), here.now)?;
    taken_up(which, &resumed, "resumed", ui);
    Ok(Exit::Done)
}

pub(super) fn pause(which: &Which, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = here.loops.find(&which.id)?;
    refuse_strangers(&id, here)?;
    let state = here.loops.pause(&id, here.caller.as_ref(), here.now)?;
    ended(which, &state, &format!("resume it with `stead loop resume {id}`"), ui);
    Ok(Exit::Done)
}

pub(super) fn cancel(which: &Which, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = here.loops.find(&which.id)?;
    refuse_strangers(&id, here)?;
    let state = here.loops.cancel(&id, here.caller.as_ref(), here.now)?;
    ended(which, &state, "", ui);
    Ok(Exit::Done)
}

/// An agent may end the loops that its session started, and no others.
fn refuse_strangers(id: &str, here: &Here) -> Result<(), CliError> {
    let own = |caller| here.loops.read(id).is_ok_and(|file| file.state.started_by.is(caller));
    match here.caller.as_ref().is_some_and(own) {
        true => Ok(()),
        false => refuse_agents("end a loop that somebody else started", Whose::Project, &here.project),
    }
}

fn taken_up(which: &Which, activated: &Activated, how: &str, ui: &mut Ui) {
    let state = &activated.state;
    if which.json {
        let mut value = as_json(state);
        value["moved_from"] = json!(activated.moved_from.as_ref().map(ToString::to_string));
        value["paused"] = json!(activated.paused);
        ui.json(&value);
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
        ui.json(&as_json(state));
        return;
    }
    let then = if then.is_empty() { String::new() } else { format!("; {then}") };
    ui.line(format!("loop {} is {}{then}", state.id, state.status));
}
