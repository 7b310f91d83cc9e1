//! Stops that guards hold: bounded by a counter that is written down before anything is said, so that an agent is never
//! held without end.

use std::path::Path;

use stead_model::{Event, EventKind, FileId};
use stead_store::Durability;

use super::caller;
use super::facts::WorldFacts;
use crate::record;
use crate::session::SessionState;

/// The event as guards should see it: the stop of a sub-agent is one, whatever the client calls it.
pub(super) fn as_told<'a>(event: &Event<'a>, stops_alike: bool, log: &Path) -> Option<Event<'a>> {
    if event.kind != EventKind::Stop {
        return None;
    }
    let session = event.session.as_deref().unwrap_or_default();
    let by_sub_agent = event.agent.is_some() || (stops_alike && caller::has_sub_agent(log, session));
    by_sub_agent.then(|| Event { kind: EventKind::SubagentStop, ..event.clone() })
}

/// Counts a hold by these guards. `false` when it cannot be remembered: then nobody may be held.
pub(super) fn count(facts: &WorldFacts<'_>, guards: &[&str]) -> bool {
    let Some(session) = facts.event.session.as_deref().and_then(|id| FileId::check(id).ok()) else { return false };
    let now = record::now();
    let mut state = match SessionState::read(facts.indexes, &session) {
        Ok(Some(state)) => state,
        Ok(None) => SessionState::begin(facts.harness.name(), session.as_str(), facts.root, &now),
        Err(_) => return false,
    };
    for guard in guards {
        *state.holds.entry(facts.hold_key(guard)).or_default() += 1;
    }
    state.write(facts.indexes, &session, Durability::Quick).is_ok()
}
