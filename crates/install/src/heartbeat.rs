use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use stead_client::Harness;
use stead_model::rfc3339;
use stead_store::Tail;

/// The last call that a client made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Heartbeat {
    pub at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl Heartbeat {
    /// Returns true if the call came after a file last changed.
    pub(crate) fn is_after(&self, file: &Path) -> bool {
        let changed = fs::metadata(file).and_then(|data| data.modified()).ok();
        let changed = changed.and_then(|time| i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok());
        changed.is_some_and(|millis| self.at >= rfc3339(millis))
    }
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
