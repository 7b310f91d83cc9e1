//! Notices when an agent was denied something and then did it in another way.

use std::collections::{HashMap, VecDeque};

use stead_hook::{INTENT_GATE, STALE_FILE};

use super::{Cause, Incident, Touch};

/// How many calls of the session after a denial are compared, and how many denials are remembered.
const CALLS: u64 = 30;
const DENIALS: usize = 8;

/// How many sessions are followed at the same time.
const SESSIONS: usize = 256;

/// The denials of each session, as its calls go by.
#[derive(Default)]
pub(super) struct Routes {
    sessions: HashMap<String, Session>,
    pub(super) found: Vec<Incident>,
}

#[derive(Default)]
struct Session {
    calls: u64,
    denials: VecDeque<Denial>,
}

struct Denial {
    at: u64,
    guard: String,
    verdict: String,
    tool: String,
    touches: Vec<Touch>,
}

impl Routes {
    /// Takes a call that was denied. The gates of intents and stale files say how to go on, and that is no other way.
    pub(super) fn denied(&mut self, session: &str, guard: &str, verdict: &str, tool: &str, touches: &[Touch]) {
        if matches!(guard, INTENT_GATE | STALE_FILE) {
            return;
        }
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(session) {
            self.sessions.clear();
        }
        let session = self.sessions.entry(session.to_owned()).or_default();
        session.calls += 1;
        if session.denials.len() >= DENIALS {
            session.denials.pop_front();
        }
        session.denials.push_back(Denial {
            at: session.calls,
            guard: guard.to_owned(),
            verdict: verdict.to_owned(),
            tool: tool.to_owned(),
            touches: touches.to_vec(),
        });
    }

    /// Returns true if the session has a denial that a later call could go round.
    pub(super) fn waits(&self, session: &str) -> bool {
        self.sessions.get(session).is_some_and(|session| !session.denials.is_empty())
    }

    /// Takes a call that passed.
    pub(super) fn passed(&mut self, incident: Incident) {
        let Some(session) = incident.session.as_deref().and_then(|id| self.sessions.get_mut(id)) else { return };
        session.calls += 1;
        let now = session.calls;
        session.denials.retain(|denial| now - denial.at <= CALLS);
        let Some(at) = session.denials.iter().position(|denial| is_other_way(denial, &incident)) else { return };
        let Some(denial) = session.denials.remove(at) else { return };
        let is_same = |touch: &Touch| denial.touches.iter().any(|denied| is_same_thing(denied, touch));
        let touches = incident.touches.iter().filter(|touch| is_same(touch)).cloned().collect();
        let evidence = std::iter::once(denial.verdict).chain(incident.evidence.iter().cloned()).collect();
        self.found.push(Incident { cause: Cause::Route(denial.guard), evidence, touches, ..incident });
    }
}

/// Returns true if a call does what was denied, with another tool or another program.
fn is_other_way(denial: &Denial, incident: &Incident) -> bool {
    let is_same = |denied: &Touch| incident.touches.iter().any(|touch| is_same_thing(denied, touch));
    let ways = |touches: &[Touch]| -> Vec<String> { touches.iter().flat_map(Touch::keys).collect() };
    denial.touches.iter().any(is_same)
        && (denial.tool != incident.tool || ways(&denial.touches) != ways(&incident.touches))
}

/// Returns true if both do the same to the same thing. Running the same program is none.
fn is_same_thing(denied: &Touch, touch: &Touch) -> bool {
    match (denied.place(), touch.place()) {
        (Some(a), Some(b)) => denied.verb == touch.verb && a.overlaps(b),
        (None, None) => denied.verb == touch.verb && denied.verb != super::Verb::Run && denied.subject == touch.subject,
        _ => false,
    }
}
