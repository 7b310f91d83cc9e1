//! Other live sessions that have intents selected.

use serde::{Deserialize, Serialize};
use stead_hook::SessionState;
use stead_ledger::Selection;
use stead_ledger::intent::{Intent, IntentFile, Scope};
use stead_model::{FileId, unix_millis};
use stead_store::Tail;

use super::Here;
use crate::project::now_millis;

/// A session that has not ended but was last seen longer ago is taken for dead.
const ALIVE: i64 = 4 * 3600 * 1000;

/// How many lines of the session log are searched for its last call.
const LINES: usize = 5_000;

/// A selection of another session.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Other {
    pub(super) session: String,
    pub(super) harness: Option<String>,
    pub(super) intent: String,
    pub(super) selected_at: String,
}

/// The live sessions other than the caller's that have this intent selected.
pub(super) fn with_selection(here: &Here, id: &str) -> Vec<Other> {
    all(here).into_iter().filter(|other| other.intent == id).collect()
}

/// Those whose intents share paths with an intent.
pub(super) fn overlapping(here: &Here, file: &IntentFile, intent: &Intent) -> Vec<Other> {
    let scope = Scope::new(&intent.owned_scope);
    let shares = |other: &Other| {
        other.intent == intent.id
            || file.find(&other.intent).is_ok_and(|theirs| scope.overlaps(&Scope::new(&theirs.owned_scope)))
    };
    all(here).into_iter().filter(shares).collect()
}

fn all(here: &Here) -> Vec<Other> {
    let indexes = here.project.indexes();
    let own = here.caller.as_ref().map(|binding| binding.session.as_str());
    let mut found = Vec::new();
    for (session, text) in Selection::sessions(&indexes) {
        let selections = Selection::all_in(&text);
        if own == Some(session.as_str()) || selections.is_empty() {
            continue;
        }
        let state = FileId::check(&session).ok().and_then(|id| SessionState::read(&indexes, &id).ok().flatten());
        let selected_at = selections.iter().filter_map(|one| unix_millis(&one.selected.at)).max();
        if !is_alive(here, &session, state.as_ref(), selected_at) {
            continue;
        }
        found.extend(selections.into_iter().map(|one| Other {
            session: session.clone(),
            harness: state.as_ref().map(|state| state.harness.clone()),
            intent: one.selected.intent,
            selected_at: one.selected.at,
        }));
    }
    found
}

fn is_alive(here: &Here, session: &str, state: Option<&SessionState>, selected_at: Option<i64>) -> bool {
    if state.is_some_and(|state| state.ended_at.is_some()) {
        return false;
    }
    let earliest = now_millis() - ALIVE;
    let recent = |time: Option<i64>| time.is_some_and(|time| time >= earliest);
    recent(selected_at)
        || recent(state.and_then(|state| unix_millis(&state.last_seen)))
        || recent(last_line(here, session))
}

/// When the session log last mentions a session.
fn last_line(here: &Here, session: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Line {
        ts: String,
        session: Option<String>,
    }
    let lines = Tail::open(&here.project.indexes().join("sessions.jsonl")).ok()?;
    let own = lines.take(LINES).flatten().filter(|line| line.text.contains(session));
    let mut own = own.filter_map(|line| serde_json::from_str::<Line>(&line.text).ok());
    unix_millis(&own.find(|line| line.session.as_deref() == Some(session))?.ts)
}
