//! Changes that no effect names: a test run that writes files, a generator, a formatter of a whole folder. The windows of
//! such calls are noted; at the stop git tells which files changed, and a file belongs to a call only if it was changed
//! within the call's window. In the windows of two calls it belongs to nobody known.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_ledger::trace::{CallFacts, ContributorKind, FileChange, Side, TraceCache};
use stead_store::{
    Durability, Lines, Redacted, StoreError, append_line, ask_git, create_parents, extend_alarm, file_stamp,
    read_capped, take_turn,
};

use super::call_line::CallLine;
use super::changed::{Changed, TICK};
use super::stamps::Fields;
use super::{cache, facts, millis, paths, write};
use crate::intent;
use crate::record::{PATIENCE, now_millis};
use crate::request::Request;

/// How long git may take, its longest answer, and how many files are looked at.
const GIT: Duration = Duration::from_millis(1_000);
const ANSWER: usize = 1024 * 1024;
const MOST: usize = 500;
const LONGEST: u64 = 1024 * 1024;

/// The reply is already written, but the client waits for the process to end, in seconds.
const ALARM: u32 = 4;

/// The ending of windows that a process has begun to work on.
const BEGUN: &str = "begun";

/// A call that may have changed files it does not name.
#[derive(Serialize, Deserialize)]
struct Window {
    v: u32,
    from: i64,
    to: i64,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    call: Option<String>,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    intent: Option<String>,
    #[serde(default)]
    claim: Option<String>,
    #[serde(default)]
    verdict: Option<String>,
}

/// The windows of calls since the last sweep.
fn path(request: &Request<'_>) -> PathBuf {
    request.dir().join(".agent/cache/windows/calls.jsonl")
}

/// Notes the window of a call.
pub(super) fn expect(request: &Request<'_>, line: Option<&CallLine>, now: &str) -> Result<(), StoreError> {
    // Without its beginning nothing can be said.
    let Some(from) = line.and_then(|line| millis(&line.ts)) else { return Ok(()) };
    let facts = facts(request, line, now);
    let window = Window {
        v: 1,
        from,
        to: now_millis(),
        session: facts.session,
        agent: facts.agent,
        role: facts.role,
        call: facts.call,
        tool: facts.tool,
        model: facts.model,
        intent: facts.intent,
        claim: facts.claim.map(|claim| claim.name().to_owned()),
        verdict: facts.verdict,
    };
    let path = path(request);
    let line = Redacted::line(&window);
    match append_line(&path, line.clone(), Durability::Quick, PATIENCE) {
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            create_parents(&path)?;
            append_line(&path, line, Durability::Quick, PATIENCE)
        }
        done => done,
    }
}

/// Attributes what changed within the noted windows. Returns at once if there is none. One process at a time does this,
/// so windows that somebody has begun with were left by a process that was killed.
pub(super) fn sweep(request: &Request<'_>, now: &str) -> Result<(), StoreError> {
    let path = path(request);
    let begun = path.with_extension(BEGUN);
    if !path.exists() && !begun.exists() || !super::is_on(request) {
        return Ok(());
    }
    let _turn = match take_turn(&path, Duration::ZERO) {
        Err(StoreError::Locked { .. }) => return Ok(()),
        turn => turn?,
    };
    while begun.exists() || std::fs::rename(&path, &begun).is_ok() {
        let windows = Lines::open(&begun)?.flatten().filter_map(|line| serde_json::from_str(&line.text).ok());
        attribute(request, &windows.collect::<Vec<_>>(), now)?;
        if std::fs::remove_file(&begun).is_err() {
            break;
        }
    }
    Ok(())
}

fn attribute(request: &Request<'_>, windows: &[Window], now: &str) -> Result<(), StoreError> {
    if windows.is_empty() {
        return Ok(());
    }
    extend_alarm(ALARM);
    let words = ["-c", "core.quotePath=false", "status", "--porcelain", "-z", "-uall", "--no-renames"];
    let Some(answer) = ask_git(request.work(), &words, GIT, ANSWER) else { return Ok(()) };
    let mut found: Vec<(Vec<usize>, Changed)> = Vec::new();
    let cache = cache(request);
    for (status, path) in entries(&answer).take(MOST) {
        let absolute = request.work().join(path);
        let Some(data) = std::fs::metadata(&absolute).ok().filter(|data| data.is_file()) else { continue };
        let stamp = file_stamp(&data).text;
        if path.starts_with(".agent/") || cache.sight(path).is_some_and(|sight| sight.stamp == stamp) {
            continue;
        }
        let Some(fields) = Fields::of(&stamp) else { continue };
        let at = fields.changed_millis();
        let within = |one: &&Window| one.from - TICK <= at && at <= one.to + TICK;
        let owners: Vec<usize> = (0..windows.len()).filter(|at| within(&&windows[*at])).collect();
        if owners.is_empty() {
            continue;
        }
        let bytes = (data.len() <= LONGEST).then(|| read_capped(&absolute, LONGEST as usize).ok().flatten()).flatten();
        let sight = cache.sight(path);
        let before = match (&sight, status) {
            (Some(sight), _) => match cache.blob(&sight.hash) {
                Some(bytes) => Side::Bytes(bytes),
                None => Side::Unknown { hash: Some(sight.hash.clone()) },
            },
            // Untracked and never seen: new in this window, unless it was there before and is older than the ledger.
            (None, "??") if born_within(&data, at, windows) => Side::Absent,
            (None, _) => Side::Unknown { hash: None },
        };
        let after = bytes.map_or(Side::Unknown { hash: None }, Side::Bytes);
        let change = FileChange { path: path.to_owned(), from: None, before, after };
        found.push((owners, Changed { change, stamp_before: None, stamp_after: Some(stamp) }));
    }
    while let Some((owners, _)) = found.first() {
        let owners = owners.clone();
        let own: Vec<Changed> = found.extract_if(.., |(other, _)| *other == owners).map(|(_, file)| file).collect();
        let calls: Vec<&Window> = owners.iter().map(|at| &windows[*at]).collect();
        settle(request, &calls, own, now, &cache)?;
    }
    Ok(())
}

/// Records files that one of these calls changed. Which of several it was is not known, but a file that no intent of
/// theirs owns is out of scope for each.
fn settle(
    request: &Request<'_>,
    calls: &[&Window],
    changed: Vec<Changed>,
    now: &str,
    cache: &TraceCache,
) -> Result<(), StoreError> {
    let [first, others @ ..] = calls else { return Ok(()) };
    let mut facts = window_facts(request, others.is_empty().then_some(*first), now);
    facts.out_of_scope = intent::outside(request, first.intent.as_deref(), paths(&changed));
    for other in others {
        let outside = intent::outside(request, other.intent.as_deref(), paths(&changed));
        facts.out_of_scope.retain(|path| outside.contains(path));
    }
    write(request, &facts, changed, cache)?;
    let is_one_session = others.iter().all(|other| other.session == first.session);
    match (&first.session, &first.intent) {
        (Some(session), Some(id)) if is_one_session => {
            let tool = first.tool.as_deref();
            intent::owe(request, session, id, tool, &facts.out_of_scope, now)
        }
        _ => Ok(()),
    }
}

/// Returns true if a file was created in the window in which it last changed.
fn born_within(data: &std::fs::Metadata, changed: i64, windows: &[Window]) -> bool {
    let born = data.created().ok().and_then(|born| born.duration_since(std::time::UNIX_EPOCH).ok());
    let Some(born) = born.and_then(|born| i64::try_from(born.as_millis()).ok()) else { return false };
    windows.iter().any(|one| one.from - TICK <= born && born <= one.to + TICK && changed <= one.to + TICK)
}

/// The facts of the call that a window belongs to; without one, nobody is known.
fn window_facts(request: &Request<'_>, window: Option<&Window>, now: &str) -> CallFacts {
    let facts = facts(request, None, now);
    let Some(window) = window else {
        return CallFacts {
            timestamp: facts.timestamp,
            revision: facts.revision,
            contributor: ContributorKind::Unknown,
            ..CallFacts::default()
        };
    };
    CallFacts {
        session: window.session.clone(),
        agent: window.agent.clone(),
        role: window.role.clone(),
        call: window.call.clone(),
        tool: window.tool.clone(),
        model: window.model.clone(),
        intent: window.intent.clone(),
        claim: window.claim.as_deref().and_then(stead_ledger::MutationClaim::from_name),
        verdict: window.verdict.clone(),
        ..facts
    }
}

/// The entries of `git status -z`: two signs and a path.
fn entries(answer: &[u8]) -> impl Iterator<Item = (&str, &str)> {
    let records = answer.split(|byte| *byte == 0).filter_map(|record| std::str::from_utf8(record).ok());
    records.filter_map(|record| Some((record.get(..2)?, record.get(3..)?)))
}
