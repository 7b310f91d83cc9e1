//! Counts the stops that guards block. The counter is written before the reply, so that an agent is never blocked
//! forever.

use stead_model::{Event, EventKind};
use stead_store::Durability;

use super::caller;
use super::world_facts::WorldFacts;
use crate::record;
use crate::request::Request;
use crate::session::SessionState;

/// The event as guards should see it: the stop of a sub-agent is `subagent-stop`, whatever the client calls it.
pub(super) fn as_sub_agent_stop<'a>(request: &Request<'a>, stops_alike: bool) -> Option<Event<'a>> {
    let event = request.event;
    if event.kind != EventKind::Stop {
        return None;
    }
    let session = event.session.as_deref().unwrap_or_default();
    let by_sub_agent = event.agent.is_some() || (stops_alike && caller::has_sub_agent(&request.session_log(), session));
    by_sub_agent.then(|| Event { kind: EventKind::SubagentStop, ..event.clone() })
}

/// Counts a blocked stop for these guards. Returns false if it cannot be stored: then the stop must not be blocked.
pub(super) fn count(facts: &WorldFacts<'_>, guards: &[&str]) -> bool {
    let request = facts.request;
    let Some(session) = request.session().filter(|_| request.writable_root().is_some()) else { return false };
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
