//! Reads the logs with a line for each fact: overrides, appeals, reflections, notes and requests for intents.

use std::collections::HashMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use stead_context::{Note, NoteKind, ReflectionLine, ReflectionStep};
use stead_hook::{Appeal, Override};
use stead_ledger::intent::{Request, RequestState, Requests};

use super::cursor::Cursor;
use super::session::violation_key;
use super::{Capture, Draft, feed};
use crate::refuse::{noise, words};
use crate::{MemoryError, Outcome, Trace, TraceContext, TraceEvent, TraceKind, TraceSource};

pub(super) fn read(capture: &Capture<'_>, cursor: &mut Cursor, drafts: &mut Vec<Draft>) -> Result<(), MemoryError> {
    let indexes = capture.context.join("indexes");
    each(&Appeal::path(&indexes), "appeals", cursor, |appeal: Appeal, _| {
        let none = [String::new()];
        let guards = if appeal.guards.is_empty() { &none[..] } else { &appeal.guards };
        for guard in guards {
            let id = capture.id(&violation_key(&appeal.verdict, guard));
            drafts.push(Draft::Outcome(id, Outcome::Appealed));
        }
    })?;
    each(&Override::path(&indexes), "overrides", cursor, |line: Override, key| {
        drafts.push(Draft::new(approval(capture, &line, key)));
        let id = capture.id(&violation_key(&line.verdict, &line.guard));
        drafts.push(Draft::Outcome(id, Outcome::Overridden));
    })?;
    each(&indexes.join(Note::FILE), "notes", cursor, |note: Note, key| {
        drafts.extend(of_note(capture, &note, key).map(Draft::new));
    })?;
    let requests = capture.intents.join(Requests::FILE);
    let mut asked: HashMap<String, Request> = HashMap::new();
    each(&requests, "requests", cursor, |line: Request, key| {
        match line.state {
            RequestState::Open => _ = asked.insert(line.id.clone(), line),
            _ => drafts.push(Draft::new(decided(capture, &line, asked.get(&line.id), key))),
        };
    })?;
    reflections(capture, cursor, drafts)
}

/// Passes each new line of a log with a key of its own.
fn each<T: DeserializeOwned>(
    path: &Path,
    name: &str,
    cursor: &mut Cursor,
    mut take: impl FnMut(T, &str),
) -> Result<(), MemoryError> {
    let new = feed::start(path, cursor.log(name));
    if feed::length(path) == new {
        return Ok(());
    }
    let mut end = new;
    for line in feed::lines(path, new)? {
        end = feed::end_of(&line);
        if let Ok(value) = serde_json::from_str(&line.text) {
            take(value, &format!("{name} {}", stead_store::sha256(&line.text)));
        }
    }
    cursor.set_log(name, end);
    Ok(())
}

fn approval(capture: &Capture<'_>, line: &Override, key: &str) -> Trace {
    let mut trace = capture.trace(key, &line.ts);
    trace.kind = TraceKind::Approval;
    trace.source = TraceSource::UserCorrection;
    trace.context.guard = Some(line.guard.clone());
    trace.context.verdict = Some(line.verdict.clone());
    trace.context.by = Some("person".to_owned());
    trace.event = TraceEvent {
        what_happened: format!("a person allowed what guard `{}` blocked: {}", line.guard, line.part),
        what_was_correct: String::new(),
        why: line.reason.clone(),
    };
    trace
}

/// The key of a decision: a packet repeats what a note said.
pub(super) fn decision_key(text: &str) -> String {
    format!("decision {}", words(text).collect::<Vec<_>>().join(" "))
}

fn of_note(capture: &Capture<'_>, note: &Note, key: &str) -> Option<Trace> {
    let (kind, key) = match note.kind {
        NoteKind::Decision => (TraceKind::Decision, decision_key(&note.text)),
        NoteKind::Failed => (TraceKind::Reflection, key.to_owned()),
        NoteKind::Question => return None,
    };
    let event = TraceEvent { what_happened: note.text.clone(), ..TraceEvent::default() };
    if noise(TraceKind::Decision, &event).is_some() {
        return None;
    }
    let mut trace = capture.trace(&key, &note.ts);
    trace.kind = kind;
    trace.source = TraceSource::AutoDetected;
    trace.context = said_in(note.harness.as_ref(), note.session.as_ref());
    trace.event = event;
    Some(trace)
}

fn said_in(harness: Option<&String>, session: Option<&String>) -> TraceContext {
    TraceContext { harness: harness.cloned(), session: session.cloned(), ..TraceContext::default() }
}

/// A person's answer to an agent's request: an approval, or a decision against it.
fn decided(capture: &Capture<'_>, line: &Request, asked: Option<&Request>, key: &str) -> Trace {
    let is_confirmed = line.state == RequestState::Confirmed;
    let text = Some(&line.text).filter(|text| !text.is_empty()).or(asked.map(|asked| &asked.text));
    let scope = if line.scope.is_empty() { asked.map_or(&[][..], |asked| &asked.scope) } else { &line.scope };
    let mut trace = capture.trace(key, &line.ts);
    trace.kind = if is_confirmed { TraceKind::Approval } else { TraceKind::Decision };
    trace.source = TraceSource::UserCorrection;
    let (harness, session) =
        (asked.and_then(|asked| asked.harness.as_ref()), asked.and_then(|asked| asked.session.as_ref()));
    trace.context = said_in(line.harness.as_ref().or(harness), line.session.as_ref().or(session));
    trace.context.intent = line.intent.clone().or_else(|| asked?.intent.clone());
    trace.context.by = Some("person".to_owned());
    let what = text.map_or_else(|| line.id.clone(), Clone::clone);
    let paths = if scope.is_empty() { String::new() } else { format!(" (scope {})", scope.join(", ")) };
    trace.event = TraceEvent {
        what_happened: format!("request `{}` was {}: {what}{paths}", line.id, line.state),
        what_was_correct: String::new(),
        why: line.reason.clone().unwrap_or_default(),
    };
    trace
}

/// What failed attempts taught: the second step completes the first.
fn reflections(capture: &Capture<'_>, cursor: &mut Cursor, drafts: &mut Vec<Draft>) -> Result<(), MemoryError> {
    let path = capture.features.join(ReflectionLine::FILE);
    let name = "reflections";
    let new = feed::start(&path, cursor.log(name));
    if feed::length(&path) == new {
        return Ok(());
    }
    let mut end = new;
    // From the beginning, because a prevention belongs to the last failure of its feature. The file stays small.
    let mut failed: HashMap<Option<String>, String> = HashMap::new();
    for line in feed::lines(&path, 0)? {
        end = end.max(feed::end_of(&line));
        let Ok(said) = serde_json::from_str::<ReflectionLine>(&line.text) else { continue };
        let is_new = line.offset >= new;
        match said.step {
            ReflectionStep::Failed => {
                let key = format!("{name} {}", stead_store::sha256(&line.text));
                failed.insert(said.feature.clone(), key.clone());
                if is_new {
                    let mut trace = capture.trace(&key, &said.ts);
                    trace.kind = TraceKind::Reflection;
                    trace.source = TraceSource::AutoDetected;
                    trace.context = said_in(said.harness.as_ref(), said.session.as_ref());
                    trace.context.feature = said.feature;
                    trace.event = TraceEvent { what_happened: said.text, ..TraceEvent::default() };
                    drafts.push(Draft::new(trace));
                }
            }
            ReflectionStep::Prevent => {
                if let Some(key) = failed.get(&said.feature).filter(|_| is_new) {
                    drafts.push(Draft::Prevention(capture.id(key), said.text));
                }
            }
        }
    }
    cursor.set_log(name, end);
    Ok(())
}
