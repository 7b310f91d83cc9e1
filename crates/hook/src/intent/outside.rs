//! What a call changed outside the scope of its intent, found after it: the ledger says so, and the session's main agent
//! is told once, at the next event that takes text.

use std::fs;
use std::path::PathBuf;

use stead_model::{Action, EventKind, FileId, Level, Target};
use stead_store::{Durability, Redacted, StoreError, append_line, redact, replace_creating};

use super::gate::is_in_scope;
use super::{INTENT_GATE, compiled_intents, message};
use crate::glance::Glance;
use crate::guard::{Did, HitLine, verdict_id};
use crate::record::{PATIENCE, cut};
use crate::request::Request;
use crate::session_line::SessionLine;

/// The event of the line in the session log.
const EVENT: &str = "out-of-scope";

/// The changed files that an intent does not own, by their paths below the project root. An intent that is gone owned
/// nobody knows what, so it is not judged.
pub(crate) fn outside<'p>(
    request: &Request<'_>,
    intent: Option<&str>,
    paths: impl Iterator<Item = &'p str>,
) -> Vec<String> {
    let (Some(id), Some(root)) = (intent, request.writable_root()) else { return Vec::new() };
    if request.policy.value("value", "intents.mode") == Some("off") {
        return Vec::new();
    }
    let compiled = compiled_intents(request, root);
    let Some(intent) = compiled.find(id) else { return Vec::new() };
    let home = (request.env)("HOME").map(|home| home.to_string_lossy().into_owned());
    let is_outside = |path: &&str| {
        let whole = request.work().join(path).to_string_lossy().into_owned();
        let target = Target { path: whole, inside: Some((*path).to_owned()), ..Target::default() };
        !is_in_scope(request, &compiled, &intent, &target, home.as_deref())
    };
    paths.filter(is_outside).map(str::to_owned).collect()
}

/// Records for a session what it has to be told.
pub(crate) fn owe(
    request: &Request<'_>,
    session: &str,
    intent: &str,
    tool: Option<&str>,
    files: &[String],
    now: &str,
) -> Result<(), StoreError> {
    let Some(first) = files.first() else { return Ok(()) };
    let text = message::changed_outside(intent, tool, files);
    let hit = HitLine {
        guard: INTENT_GATE.to_owned(),
        mode: request.policy.value("value", "intents.mode").unwrap_or("enforce").to_owned(),
        would: Level::Warn.name().to_owned(),
        did: Did::Owed,
        part: cut(&redact(first)).to_owned(),
        say: redact(&text).into_owned(),
        ..HitLine::default()
    };
    append_owed(request, session, SessionLine { event: EVENT, tool, hits: &[hit], ..SessionLine::default() }, now)
}

/// Records a text that a session has to be told, and which is about no rule.
pub(crate) fn owe_text(
    request: &Request<'_>,
    session: &str,
    event: &str,
    text: &str,
    now: &str,
) -> Result<(), StoreError> {
    append_owed(request, session, SessionLine { event, owes: Some(text), ..SessionLine::default() }, now)
}

fn append_owed(request: &Request<'_>, session: &str, line: SessionLine<'_>, now: &str) -> Result<(), StoreError> {
    let Ok(owner) = FileId::check(session) else { return Ok(()) };
    let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
    let id = verdict_id(nanos, std::process::id(), session);
    let line = SessionLine {
        v: 1,
        ts: now,
        harness: request.harness.name(),
        session: Some(session),
        verdict: Level::Allow.name(),
        id: Some(&id),
        ..line
    };
    append_line(&request.session_log(), Redacted::line(&line), Durability::Quick, PATIENCE)?;
    replace_creating(&flag(request, &owner), b"", Durability::Quick)
}

/// Exists while a session has to be told something.
fn flag(request: &Request<'_>, session: &FileId) -> PathBuf {
    request.indexes().join("sessions").join(format!("{}.owed", session.as_str()))
}

/// The flag, if the session's main agent can be told now and something waits. A call that only reads is not bothered.
fn waiting(request: &Request<'_>) -> Option<PathBuf> {
    let event = request.event;
    let takes = match event.kind {
        EventKind::SessionStart | EventKind::Prompt => true,
        EventKind::AfterTool | EventKind::ToolFailed => match event.call.as_ref().map(|call| &call.action) {
            Some(Action::Read(_) | Action::Inert) => false,
            Some(Action::Run { command, .. }) => request.glance(command) != Glance::Reads,
            _ => true,
        },
        _ => false,
    };
    let session = request.session().filter(|_| takes && request.agent_id().is_none() && request.powers().context)?;
    Some(flag(request, session)).filter(|flag| fs::symlink_metadata(flag).is_ok())
}

/// Returns true if the session's main agent has to be told something now.
pub(crate) fn notice_waits(request: &Request<'_>) -> bool {
    waiting(request).is_some()
}

/// The same, once.
pub(crate) fn take_notice(request: &Request<'_>) -> bool {
    waiting(request).is_some_and(|flag| !request.is_by_doctor() && fs::remove_file(flag).is_ok())
}
