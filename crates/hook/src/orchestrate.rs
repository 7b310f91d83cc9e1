//! The orchestrator in a session, if a person turned it on: the main agent is told what is next, and a stop is blocked
//! while features are ready. It only reads the list and the state of the machine; `stead feature` changes them.
//!
//! A stop is blocked at most [`MOST_REMINDERS`] times for the same command, and a feature has few attempts, so every
//! session can end.

mod returned;
mod told;

use stead_client::{StopCap, WarnBy};
use stead_context::BriefingPart;
use stead_feature::{Action, Command, Document, FeatureError, Rules, SessionState as Machine, next};
use stead_model::{Detail, EventKind, Verdict};
use stead_store::{Durability, Room};

use crate::guard::has_sub_agent;
use crate::look_back;
use crate::precedent;
use crate::record;
use crate::request::Request;
use crate::run_identity::RunIdentity;
use crate::session::SessionState;

pub(crate) use returned::judge_return;

/// The orchestrator's name in verdicts.
const GATE: &str = "orchestrator";

/// How often a stop is blocked for the same command, with nothing done in between.
const MOST_REMINDERS: u32 = 3;

/// The flags of a session: on or off, whatever the project says.
pub const FLAG_ON: &str = "orchestrate";
pub const FLAG_OFF: &str = "no-orchestrate";

/// Where a session counts the stops that were blocked since the agent last worked, and those for one command.
const IN_TURN: &str = "orchestrate";
const FOR_COMMAND: &str = "orchestrate:";

/// Returns true if the orchestrator is on for this session. The agents of a run have their own.
fn is_on(request: &Request<'_>, state: Option<&SessionState>) -> bool {
    let has = |flag: &str| state.is_some_and(|state| state.flags.iter().any(|known| known == flag));
    let by_project = || request.policy.value("value", "orchestrate.in_session") == Some("true");
    request.writable_root().is_some()
        && RunIdentity::from_env(request.env).run.is_none()
        && !has(FLAG_OFF)
        && (has(FLAG_ON) || by_project())
}

fn state_of(request: &Request<'_>) -> Option<SessionState> {
    SessionState::read(request.indexes(), request.session()?).ok().flatten()
}

/// What is next, and the command object for it.
fn look(request: &Request<'_>) -> Result<(Action, Option<Command>, Machine), FeatureError> {
    let room = request.room(Room::Features);
    let machine = Machine::read(&room)?;
    let now = record::now_millis();
    let document = Document::read(&room)?;
    let action = next(document.as_ref().map(Document::outline), &machine, now, &Rules::default());
    let feature = match (&document, action.feature()) {
        (Some(document), Some(id)) => Some(document.feature(id)?),
        _ => None,
    };
    let mut command = Command::of(&action, feature.as_ref(), &machine, now);
    if let Some(command) = &mut command {
        precedent::add_to_task(request, command);
    }
    Ok((action, command, machine))
}

/// Returns true if the orchestrator's current command for this session assigns a role.
pub(crate) fn assigns(request: &Request<'_>, role: &str) -> bool {
    let Ok((_, Some(command), machine)) = look(request) else { return false };
    let is_of_session = is_on(request, request.facts.state()) || told::own_claim(request, &machine).is_some();
    let agent = command.agent.to_string();
    is_of_session && (role == agent || agent.strip_suffix("-agent") == Some(role))
}

/// The feature that the calling agent works on: its session or its run claimed it.
pub(crate) fn own_feature(request: &Request<'_>) -> Option<String> {
    let machine = Machine::read(&request.room(Room::Features)).ok()?;
    let work = RunIdentity::from_env(request.env);
    let of_run = || {
        let run = format!("run:{}/", work.run.as_deref()?);
        let mut own = machine.claims.iter().filter_map(|claim| Some((claim.owner.strip_prefix(&run)?, &claim.feature)));
        let (first, feature) = own.next()?;
        // One of several workers is known by its name.
        let is_only = own.next().is_none() || work.stage.as_deref() == Some(first);
        is_only.then_some(feature.as_str())
    };
    told::own_claim(request, &machine).or_else(of_run).map(str::to_owned)
}

/// Blocks the main agent's stop while there is work, or a claim of this session is open.
pub(crate) fn judge(request: &Request<'_>) -> Verdict {
    let event = request.event;
    if event.kind != EventKind::Stop || event.agent.is_some() || request.is_by_doctor() {
        return Verdict::allow();
    }
    let (Some(session), Some(mut state)) = (request.session(), state_of(request)) else { return Verdict::allow() };
    let Detail::Stop { again, waiting: 0, .. } = event.detail else { return Verdict::allow() };
    let is_sub_agents =
        || request.harness.client().facts.stops_alike && has_sub_agent(&request.session_log(), session.as_str());
    if !is_on(request, Some(&state)) || !request.powers().deny || is_sub_agents() {
        return Verdict::allow();
    }
    let (key, text) = match look(request) {
        Ok((action, command, machine)) => match told::reminder(request, &action, command.as_ref(), &machine) {
            Some(reminder) => reminder,
            None => return farewell(request, told::end(&action)),
        },
        Err(error) => {
            request.note(&error);
            return farewell(request, Some(format!("Stead: the features cannot be read: {error}")));
        }
    };
    let worked = || look_back::has_worked(&request.session_log(), session.as_str());
    let resets = |cap: StopCap| matches!(cap, StopCap::Blocks { resets_on_tool_use: true, .. });
    let cap = request.harness.client().facts.stop_cap;
    let for_command = format!("{FOR_COMMAND}{key}");
    let reminded = state.holds.get(&for_command).copied().unwrap_or(0);
    let is_new_turn = !again || resets(cap) && worked();
    let in_turn = if is_new_turn { 0 } else { state.holds.get(IN_TURN).copied().unwrap_or(0) };
    if reminded >= MOST_REMINDERS {
        let text =
            format!("Stead: `{key}` was asked for {reminded} times and nothing was reported; `stead feature list`");
        return farewell(request, Some(text));
    }
    if cap.most_in(request.env).is_some_and(|most| in_turn >= most) {
        return Verdict::allow();
    }
    // Written before the reply: a stop that cannot be counted is not blocked.
    state.holds.retain(|name, _| !name.starts_with(FOR_COMMAND));
    state.holds.insert(for_command, reminded + 1);
    state.holds.insert(IN_TURN.to_owned(), in_turn + 1);
    match state.write(request.indexes(), session, Durability::Quick) {
        Ok(()) => Verdict::deny(GATE, text),
        Err(error) => {
            request.note(&error);
            Verdict::allow()
        }
    }
}

/// Tells the person why the agent stops, if the client shows that without continuing the agent.
fn farewell(request: &Request<'_>, text: Option<String>) -> Verdict {
    match (request.powers().warn, text) {
        (WarnBy::Notice, Some(text)) => Verdict::warn(GATE, text),
        _ => Verdict::allow(),
    }
}

/// What a starting session has to know: that it orchestrates, and what is next.
pub(crate) fn briefing_part(request: &Request<'_>) -> Option<BriefingPart> {
    let state = state_of(request);
    if !is_on(request, state.as_ref()) {
        return None;
    }
    let text = match look(request) {
        Ok((action, command, machine)) => told::briefing(request, &action, command.as_ref(), &machine),
        Err(error) => format!("The features cannot be read: {error}."),
    };
    Some(BriefingPart { title: "Orchestrator".into(), text, more: Some("stead feature next".into()) })
}

/// The same at a prompt, for a client that asks about one stop in a turn only.
pub(crate) fn at_prompt(request: &Request<'_>) -> Option<String> {
    let asks_once = request.harness.client().facts.stop_cap.most_in(request.env) == Some(1);
    let part = if asks_once { briefing_part(request)? } else { return None };
    Some(format!("Stead, {}: {}", part.title.to_lowercase(), part.text))
}
