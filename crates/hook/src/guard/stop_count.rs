//! Stops that guards hold: bounded by a counter that is written down before anything is said, so that an agent is never
//! held without end.

use stead_model::{Event, EventKind};
use stead_store::Durability;

use super::caller;
use super::world_facts::WorldFacts;
use crate::record;
use crate::request::Request;
use crate::session::SessionState;

/// The event as guards should see it: the stop of a sub-agent is one, whatever the client calls it.
pub(super) fn as_sub_agent_stop<'a>(request: &Request<'a>, stops_alike: bool) -> Option<Event<'a>> {
    let event = request.event;
    if event.kind != EventKind::Stop {
        return None;
    }
    let session = event.session.as_deref().unwrap_or_default();
    let by_sub_agent = event.agent.is_some() || (stops_alike && caller::has_sub_agent(&request.session_log(), session));
    by_sub_agent.then(|| Event { kind: EventKind::SubagentStop, ..event.clone() })
}

/// Counts a hold by these guards. `false` when it cannot be remembered: then nobody may be held.
pub(super) fn count(facts: &WorldFacts<'_>, guards: &[&str]) -> bool {
    let request = facts.request;
    let Some(session) = request.session() else { return false };
    let mut state = match SessionState::read(request.indexes(), session) {
        Ok(Some(state)) => state,
        Ok(None) => SessionState::begin(request.harness.name(), session.as_str(), request.dir(), &record::now()),
        Err(_) => return false,
    };
    for guard in guards {
        *state.holds.entry(facts.hold_key(guard)).or_default() += 1;
    }
    state.write(request.indexes(), session, Durability::Quick).is_ok()
}
