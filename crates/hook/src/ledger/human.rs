//! What a person changed between two calls. It is recorded only if the ledger saw the file before and after, and no call
//! was made in between that could have changed it.

use serde::Deserialize;
use stead_ledger::trace::{Budget, CallFacts, ContributorKind, FileChange, Side, Sight, TraceCache, build};
use stead_model::EventKind;
use stead_store::{Durability, StoreError, Tail, checked_out_revision};

use super::call_line::CallLine;
use super::changed::{Changed, TICK};
use super::stamps::Fields;
use super::{ledger, millis};
use crate::record::PATIENCE;
use crate::request::Request;

/// How far the session log is read, from its end. A longer time between is not looked at.
const LINES: usize = 400;

/// Appends a line with contributor `human` for the files that were changed before this call by a person.
pub(super) fn record(
    request: &Request<'_>,
    line: &CallLine,
    changed: &[Changed],
    cache: &TraceCache,
) -> Result<(), StoreError> {
    let mut changes = Vec::new();
    for file in changed {
        let (Some(stamp), Side::Bytes(bytes)) = (&file.stamp_before, &file.change.before) else { continue };
        let Some(sight) = cache.sight(&file.change.path).filter(|sight| sight.stamp != *stamp) else { continue };
        if file.change.before.hash().as_deref() == Some(&sight.hash)
            || !is_by_nobody_else(request, line, &sight, stamp, &file.change.path)
        {
            continue;
        }
        let Some(known) = cache.blob(&sight.hash) else { continue };
        let (before, after) = (Side::Bytes(known), Side::Bytes(bytes.clone()));
        changes.push(FileChange { path: file.change.path.clone(), from: None, before, after });
    }
    let facts = CallFacts {
        timestamp: line.ts.clone(),
        revision: checked_out_revision(request.work()),
        contributor: ContributorKind::Human,
        ..CallFacts::default()
    };
    match build(&facts, &changes, Budget::HOOK) {
        Some(record) => ledger(request).append(&record, Durability::Quick, PATIENCE).map(drop),
        None => Ok(()),
    }
}

/// Returns true if no call could have changed the file between two moments, and it was changed after the next event of
/// the session: what changes right after a call is the client's formatter.
fn is_by_nobody_else(request: &Request<'_>, line: &CallLine, sight: &Sight, stamp: &str, path: &str) -> bool {
    #[derive(Deserialize)]
    struct Between {
        ts: String,
        event: String,
        action: Option<String>,
        #[serde(default)]
        paths: Vec<String>,
    }
    let (Some(begun), Some(fields)) = (millis(&line.ts), Fields::of(stamp)) else { return false };
    let Ok(lines) = Tail::open(&request.session_log()) else { return false };
    let mut first = None;
    for text in lines.unchecked().take(LINES).flatten() {
        let Ok(between) = serde_json::from_str::<Between>(&text.text) else { return false };
        let Some(at) = millis(&between.ts) else { return false };
        if at >= begun {
            continue;
        }
        if at <= sight.at {
            return first.is_some_and(|first| fields.changed_millis() > first + TICK);
        }
        first = Some(at);
        let is_harmless = match between.action.as_deref() {
            None | Some("read" | "inert") => true,
            Some("change") => !between.paths.iter().any(|other| other.ends_with(path)),
            Some(_) => false,
        };
        let is_call = [EventKind::BeforeTool, EventKind::AfterTool, EventKind::ToolFailed].iter();
        if is_call.into_iter().any(|kind| kind.name() == between.event) && !is_harmless {
            return false;
        }
    }
    false
}
