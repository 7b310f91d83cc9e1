//! What is recorded after the reply: the session log, the session's state, the files it touched.
//!
//! Recorders fail open. Failures are noted for `stead doctor` in the person's own state folder, and the agent is not
//! told.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use stead_model::{EventKind, Verdict, rfc3339};
use stead_store::{
    Durability, Redacted, StoreError, Tail, UserDirs, append_line, create_parents, keep_private, redact_head,
    rewrite_log,
};

use crate::guard::GuardReport;
use crate::location::Env;
use crate::precedent::Told;
use crate::request::Request;
use crate::{
    evidence, feature_list, intent, ledger, lesson, map, precedent, prompt, relevant_file, session, session_line,
    stale_file, turn,
};

/// How long a recorder waits for another writer of the same file.
pub(crate) const PATIENCE: Duration = Duration::from_millis(300);

/// The notes about failures, in the person's state folder.
const NOTES: &str = "notes.jsonl";

/// How many lines of it are read, and how many notes are reported.
const NOTE_LINES: usize = 500;
const MOST_NOTES: usize = 3;

/// The maximum number of entries and bytes of one field in a line.
pub(crate) const MOST_ENTRIES: usize = 16;
const MOST_BYTES: usize = 300;

/// Records what happened.
pub(crate) fn record(request: &Request<'_>, verdict: &Verdict, report: &GuardReport, told: Option<&Told>) {
    // A marker that this version cannot read belongs to a later version.
    if request.writable_root().is_none() {
        return;
    }
    let now = now();
    let kind = request.event.kind;
    let durability = if kind == EventKind::SessionEnd { Durability::Synced } else { Durability::Quick };
    let attempt = |outcome: Result<(), StoreError>| {
        if let Err(error) = outcome {
            request.note(&error);
        }
    };
    let sessions = request.records("record.sessions", "STEAD_RECORD_SESSIONS");
    // A guard's verdict must be explainable, and appears only once.
    if sessions || !report.is_silent() {
        attempt(session_line::append(request, verdict, report, &now, durability));
    }
    if sessions {
        attempt(session::update(request, &now, durability));
    }
    if kind == EventKind::AfterTool && request.records("record.relevant_files", "STEAD_RECORD_RELEVANT_FILES") {
        attempt(relevant_file::append(request, &now));
    }
    if let Some(told) = told {
        attempt(precedent::record(request, told, &now));
    }
    attempt(stale_file::record(request, &now));
    attempt(intent::begin_session(request));
    attempt(intent::bind(request));
    attempt(prompt::record(request, &now));
    attempt(turn::record(request, &now));
    attempt(ledger::record(request, &now));
    attempt(feature_list::record(request, verdict, &now));
    if let Err(error) = evidence::record(request, verdict, &now) {
        request.note(&error);
    }
    for outcome in [lesson::record(request, &now), map::record(request)] {
        if let Err(error) = outcome {
            request.note(&error);
        }
    }
}

/// The current time as files store it.
pub(crate) fn now() -> String {
    rfc3339(now_millis())
}

/// The current time in milliseconds since 1970.
pub(crate) fn now_millis() -> i64 {
    UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as i64)
}

/// Writes a note about a failure, for `stead doctor`.
pub(crate) fn note(root: &Path, env: &Env, error: &dyn std::fmt::Display) {
    let Some(UserDirs { state, .. }) = UserDirs::from_env(env) else { return };
    keep_private(&state, "");
    let _ = create_parents(&state.join(NOTES));
    let note = serde_json::json!({"v": 1, "ts": now(), "root": root.to_string_lossy(), "note": error.to_string()});
    let _ = append_line(&state.join(NOTES), Redacted::line(&note), Durability::Quick, PATIENCE);
}

/// A line of the log of failures.
#[derive(serde::Deserialize)]
struct NoteLine {
    #[serde(default)]
    ts: String,
    root: String,
    note: String,
}

/// What could not be recorded for this project since a time: newest first, each once, with its time.
pub fn recorder_notes(root: &Path, env: &Env, since: &str) -> Vec<(String, String)> {
    let Some(UserDirs { state, .. }) = UserDirs::from_env(env) else { return Vec::new() };
    let Ok(lines) = Tail::open(&state.join(NOTES)) else { return Vec::new() };
    let mut told: Vec<(String, String)> = Vec::new();
    let lines = lines.take(NOTE_LINES).flatten().filter_map(|line| serde_json::from_str::<NoteLine>(&line.text).ok());
    for line in lines.filter(|line| Path::new(&line.root) == root).take_while(|line| line.ts.as_str() >= since) {
        if told.len() < MOST_NOTES && told.iter().all(|(_, note)| *note != line.note) {
            told.push((line.ts, line.note));
        }
    }
    told
}

/// Removes the notes about a project from the log of all projects.
pub(crate) fn forget_notes(state: &Path, root: &Path) -> Result<(), StoreError> {
    let log = state.join(NOTES);
    let is_about = |text: &str| serde_json::from_str::<NoteLine>(text).is_ok_and(|line| Path::new(&line.root) == root);
    let Ok(mut lines) = Tail::open(&log) else { return Ok(()) };
    if !lines.any(|line| line.is_ok_and(|line| is_about(&line.text))) {
        return Ok(());
    }
    rewrite_log::<StoreError>(&log, PATIENCE, |lines| {
        let mut kept = Vec::new();
        for line in lines {
            let text = line?.text;
            if !is_about(&text) {
                kept.push(text + "\n");
            }
        }
        Ok(kept.into_iter().rev().collect::<String>().into_bytes())
    })?;
    Ok(())
}

/// Truncates a text for a line that is redacted as a whole. A long one is redacted before, so that no half of a secret is
/// left where it ends.
pub(crate) fn kept(text: &str) -> String {
    if text.len() <= MOST_BYTES { text.to_owned() } else { redact_head(text, MOST_BYTES).into_owned() }
}

/// Truncates a text for a line, at a character boundary.
pub(crate) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_BYTES)]
}
