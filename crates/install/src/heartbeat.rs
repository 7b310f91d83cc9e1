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
    #[serde(rename = "last_called_at")]
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

/// How far back to search for a client that has not called lately, and in how many of the sessions' own files.
const LINES: usize = 2_000;
const STATES: usize = 200;

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

/// Finds the last call of each of these clients: in the end of the session log, else in the newest of the sessions' own
/// files.
pub fn heartbeats(indexes: &Path, wanted: &[Harness]) -> Vec<(Harness, Heartbeat)> {
    let is_complete =
        |found: &[(Harness, Heartbeat)]| wanted.iter().all(|one| found.iter().any(|(known, _)| known == one));
    let mut found: Vec<(Harness, Heartbeat)> = Vec::new();
    if let Ok(tail) = Tail::open(&indexes.join("sessions.jsonl")) {
        for line in tail.unchecked().take(LINES).flatten() {
            if let Ok(LogLine { harness, ts, session }) = serde_json::from_str(&line.text) {
                note(&mut found, &harness, ts, session);
            }
            if is_complete(&found) {
                return found;
            }
        }
    }
    let entries = fs::read_dir(indexes.join("sessions")).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    let newest = files.iter().take(STATES);
    let mut states: Vec<State> =
        newest.filter_map(|(_, path)| serde_json::from_str(&stead_store::read_text(path).ok()?).ok()).collect();
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
