//! Records what a call changed, in the ledger. Before a tool only the stamps of the files that the call names are noted,
//! in its session line; after it they are compared. It never changes a verdict.

mod before;
mod call_line;
mod changed;
mod human;
mod stamps;
mod sweep;
mod target;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use stead_ledger::trace::{
    Budget, CallFacts, ContributorKind, FileChange, Ledger, Phase, Record, Side, Sight, Spooled, TraceCache, build,
};
use stead_model::{Action, EventKind, FileId, unix_millis};
use stead_store::{Durability, Marker, Room, StoreError, UserDirs, checked_out_revision};

pub(crate) use stamps::Expected;

use crate::intent;
use crate::record::{PATIENCE, cut, now_millis};
use crate::request::Request;
use crate::run_identity::RunIdentity;

use call_line::CallLine;
use changed::Changed;

/// How long a stop works on changes that wait.
const AT_STOP: Duration = Duration::from_millis(200);

/// How often the kept texts are counted: once in so many lines.
const PRUNE: u64 = 64;

/// Records what a call changed, or, at a stop, what the calls before it changed unnamed.
pub(crate) fn record(request: &Request<'_>, now: &str) -> Result<(), StoreError> {
    match request.event.kind {
        EventKind::AfterTool | EventKind::ToolFailed => after_tool(request, now),
        EventKind::Stop | EventKind::SubagentStop | EventKind::SessionEnd => {
            sweep::sweep(request, now)?;
            finish_waiting(request)
        }
        _ => Ok(()),
    }
}

/// Finishes at a stop what was too much for the calls before it, as far as the time allows; a command does the rest.
fn finish_waiting(request: &Request<'_>) -> Result<(), StoreError> {
    let cache = cache(request);
    if !is_on(request) || !Spooled::waits(&cache) {
        return Ok(());
    }
    let until = Some(Instant::now() + AT_STOP);
    Spooled::finish_until(&ledger(request), &cache, request.work(), until).map(drop)
}

fn is_on(request: &Request<'_>) -> bool {
    request.records("record.ledger", "STEAD_RECORD_LEDGER")
}

fn after_tool(request: &Request<'_>, now: &str) -> Result<(), StoreError> {
    let Some(call) = &request.event.call else { return Ok(()) };
    if request.changes_nothing(call) || !is_on(request) {
        return Ok(());
    }
    // Of a command the effects told, before it ran; another tool says itself what it changed.
    let is_shell = matches!(call.action, Action::Run { .. });
    let line = CallLine::find(request);
    let (named, is_open) = match &line {
        Some(line) if is_shell => (line.named(request), line.open),
        _ => (target::named(request), target::leaves_open(request)),
    };
    if named.is_empty() && !is_open {
        return Ok(());
    }
    if is_open {
        sweep::expect(request, line.as_ref(), now)?;
    }
    let cache = cache(request);
    let changed = changed::changed(request, &named, line.as_ref(), &cache);
    if changed.is_empty() {
        return Ok(());
    }
    if let Some(line) = &line {
        human::record(request, line, &changed, &cache)?;
    }
    let mut facts = facts(request, line.as_ref(), now);
    if line.as_ref().is_some_and(|line| changed.iter().any(|file| line.is_shared(&file.change.path))) {
        (facts.contributor, facts.model) = (ContributorKind::Unknown, None);
    }
    facts.out_of_scope = intent::outside(request, facts.intent.as_deref(), paths(&changed));
    write(request, &facts, changed, &cache)?;
    // What the gate said before the call, it need not say again.
    let is_told = line.is_some_and(|line| line.hits.iter().any(|hit| hit.guard == intent::INTENT_GATE));
    match (&facts.session, &facts.intent) {
        (Some(session), Some(id)) if !is_told => {
            intent::owe(request, session, id, facts.tool.as_deref(), &facts.out_of_scope, now)
        }
        _ => Ok(()),
    }
}

/// The paths of changed files below the project's root.
fn paths(changed: &[Changed]) -> impl Iterator<Item = &str> {
    changed.iter().map(|file| file.change.path.as_str())
}

/// Appends a record of changes, and remembers how the files look now.
fn write(
    request: &Request<'_>,
    facts: &CallFacts,
    changed: Vec<Changed>,
    cache: &TraceCache,
) -> Result<(), StoreError> {
    let changes: Vec<FileChange> = changed.iter().map(|file| file.change.clone()).collect();
    let record = build(facts, &changes, Budget::HOOK);
    // Hashing is most of the work, so what the record has is not hashed again.
    let notes = record.as_ref().and_then(Record::stead).map(|note| note.files.clone()).unwrap_or_default();
    let note = |file: &Changed| notes.iter().find(|note| note.path == file.change.path);
    if let Some(record) = record {
        let ledger = ledger(request);
        let appended = ledger.append(&record, Durability::Quick, PATIENCE);
        let is_provisional = record.stead().is_some_and(|note| note.phase == Phase::Provisional);
        if is_provisional || appended.is_err() {
            for file in &changed {
                let hash = note(file).and_then(|note| note.before.clone()).or_else(|| file.change.before.hash());
                if let (Side::Bytes(bytes), Some(hash)) = (&file.change.before, hash) {
                    cache.keep(&hash, bytes);
                }
            }
            let stamps = changed.iter().map(|file| file.stamp_before.clone().unwrap_or_default()).collect();
            Spooled { v: 1, record, appended: appended.is_ok(), stamps }.put(cache)?;
        }
        match appended {
            Ok(head) if head.seq % PRUNE == 0 => cache.prune(),
            Ok(_) | Err(StoreError::Locked { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    for file in &changed {
        let hash = note(file).and_then(|note| note.after.clone()).or_else(|| file.change.after.hash());
        remember(file, hash, cache);
    }
    Ok(())
}

fn remember(file: &Changed, hash: Option<String>, cache: &TraceCache) {
    let path = &file.change.path;
    if let Some(from) = &file.change.from {
        cache.forget(from);
    }
    match (&file.change.after, &file.stamp_after) {
        (Side::Bytes(bytes), Some(stamp)) => {
            let sight = Sight { stamp: stamp.clone(), hash: hash.unwrap_or_default(), at: now_millis() };
            cache.remember(path, &sight, Some(bytes));
        }
        _ => cache.forget(path),
    }
}

/// The project's ledger.
fn ledger(request: &Request<'_>) -> Ledger {
    Ledger::of(&request.room(Room::Intents), state_dir(request).as_deref())
}

/// The folder for this project in the person's state folder.
fn state_dir(request: &Request<'_>) -> Option<PathBuf> {
    let id = Marker::read(request.dir()).ok()?.project_id;
    let id = FileId::check(&id).ok()?;
    Some(UserDirs::from_env(request.env)?.state.join("projects").join(id.as_str()))
}

fn cache(request: &Request<'_>) -> TraceCache {
    TraceCache::of(&request.dir().join(Room::Cache.default_path()))
}

/// Who made the call, and for what.
fn facts(request: &Request<'_>, line: Option<&CallLine>, now: &str) -> CallFacts {
    let event = request.event;
    // Ids and names, as in the session log: long mixed ones look like secrets, but covered they would identify nothing.
    let own = |text: &str| cut(text).to_owned();
    let work = RunIdentity::from_env(request.env);
    let selected = intent::active(request);
    let call = event.call.as_ref();
    CallFacts {
        timestamp: now.to_owned(),
        revision: checked_out_revision(request.work()),
        contributor: ContributorKind::Ai,
        model: event.model.as_deref().map(own),
        session: event.session.as_deref().map(own),
        harness: Some(request.harness.name().to_owned()),
        agent: request.agent_id().map(own),
        role: event.agent.as_ref().and_then(|agent| agent.role.as_deref()).map(own),
        run: work.run,
        stage: work.stage,
        iteration: work.iteration,
        call: call.and_then(|call| call.id.as_deref()).map(own),
        tool: call.map(|call| own(&call.tool)),
        intent: selected.as_ref().map(|selected| own(&selected.intent)),
        claim: selected.and_then(|selected| selected.claim),
        verdict: line.and_then(|line| line.id.clone()),
        guards: line.map(|line| line.hits.iter().map(|hit| hit.guard.clone()).collect()).unwrap_or_default(),
        out_of_scope: Vec::new(),
        of: None,
    }
}

/// A time of the session log in milliseconds.
fn millis(ts: &str) -> Option<i64> {
    unix_millis(ts)
}
