use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use stead_client::Harness;
use stead_store::Tail;

/// The last call that a client made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Heartbeat {
    pub at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// How far back to search for a client that has not called lately.
const LINES: usize = 20_000;

#[derive(Deserialize)]
struct LogLine {
    harness: String,
    ts: String,
    session: Option<String>,
}

#[derive(Deserialize)]
struct State {
    harness: String,
    last_seen: String,
    session: Option<String>,
}

/// Finds the last call of each client: in the session log, else in the sessions' own files.
pub(crate) fn heartbeats(indexes: &Path) -> Vec<(Harness, Heartbeat)> {
    let mut found: Vec<(Harness, Heartbeat)> = Vec::new();
    if let Ok(tail) = Tail::open(&indexes.join("sessions.jsonl")) {
        for line in tail.take(LINES).flatten() {
            if let Ok(LogLine { harness, ts, session }) = serde_json::from_str(&line.text) {
                note(&mut found, &harness, ts, session);
            }
            if found.len() == Harness::ALL.len() {
                return found;
            }
        }
    }
    let mut states: Vec<State> = fs::read_dir(indexes.join("sessions"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| serde_json::from_str(&stead_store::read_text(&entry.path()).ok()?).ok())
        .collect();
    states.sort_by(|a, b| b.last_seen.cmp(&a.last_seen));
    for State { harness, last_seen, session } in states {
        note(&mut found, &harness, last_seen, session);
    }
    found
}

fn note(found: &mut Vec<(Harness, Heartbeat)>, name: &str, at: String, session: Option<String>) {
    if let Some(harness) = Harness::from_name(name)
        && !found.iter().any(|(known, _)| *known == harness)
    {
        found.push((harness, Heartbeat { at, session }));
    }
}
