//! Finds reverts in the ledger: a change that gives a file the content that it had before an agent's change.

use std::collections::HashMap;

use stead_context::Prompt;
use stead_ledger::trace::{ContributorKind, FileNote, Ledger, Record};
use stead_model::unix_millis;
use stead_store::Lines;

use super::cursor::Cursor;
use super::{Capture, Draft, feed};
use crate::{Anchor, MemoryError, Trace, TraceContext, TraceEvent, TraceKind, TraceSource, TraceStatus};

/// The name of the log in the cursor.
const LOG: &str = "ledger";

/// How much of the ledger before the new lines is read for the changes that are taken back.
const WINDOW: u64 = 4 * 1024 * 1024;

/// How long after a change taking it back is a correction, in milliseconds.
const LONGEST: i64 = 24 * 3600 * 1000;

/// An agent's change of one file.
struct Change {
    /// The content before, `None` if there was no file.
    before: Option<String>,
    after: Option<String>,
    at: i64,
    context: TraceContext,
}

pub(super) fn read(capture: &Capture<'_>, cursor: &mut Cursor, drafts: &mut Vec<Draft>) -> Result<(), MemoryError> {
    let ledger = Ledger::of(&capture.intents, None);
    let new = feed::start(ledger.path(), cursor.log(LOG));
    if feed::length(ledger.path()) == new {
        return Ok(());
    }
    let mut end = new;
    let mut changes: HashMap<String, Vec<Change>> = HashMap::new();
    let mut prompts = None;
    for line in feed::lines(ledger.path(), new.saturating_sub(WINDOW))? {
        end = end.max(feed::end_of(&line));
        let Some(record) = Record::parse(&line.text) else { continue };
        let Some(at) = unix_millis(&record.timestamp) else { continue };
        let by_person = record.contributor() == ContributorKind::Human;
        let context = context(&record);
        for file in record.stead().into_iter().flat_map(|note| &note.files) {
            if file.before == file.after {
                continue;
            }
            let earlier = changes.entry(file.path.clone()).or_default();
            let taken_back = earlier.iter().rev().find(|change| {
                let same = change.before == file.after && change.after != file.after;
                same && at >= change.at && at - change.at <= LONGEST
            });
            let mut asked = |change: &Change| {
                let prompts = prompts.get_or_insert_with(|| times(capture));
                let between = |ts: &i64| change.at <= *ts && *ts <= at;
                prompts
                    .get(change.context.session.as_deref().unwrap_or_default())
                    .is_some_and(|all| all.iter().any(between))
            };
            if let Some(change) = taken_back.filter(|_| line.offset >= new)
                && (by_person || context.session == change.context.session && asked(change))
            {
                drafts.push(Draft::new(correction(capture, &record, file, change, by_person)));
            }
            if !by_person {
                let (before, after) = (file.before.clone(), file.after.clone());
                earlier.push(Change { before, after, at, context: context.clone() });
            }
        }
    }
    cursor.set_log(LOG, end);
    Ok(())
}

fn context(record: &Record) -> TraceContext {
    let note = record.stead().cloned().unwrap_or_default();
    TraceContext {
        agent: note.role.or(note.agent),
        harness: note.harness,
        session: note.session,
        call: note.call,
        intent: note.intent,
        ..TraceContext::default()
    }
}

/// When a person wrote a prompt, by session.
fn times(capture: &Capture<'_>) -> HashMap<String, Vec<i64>> {
    let mut times: HashMap<String, Vec<i64>> = HashMap::new();
    let log = capture.context.join("indexes").join(Prompt::FILE);
    for line in Lines::open(&log).into_iter().flatten().flatten() {
        let Ok(prompt) = serde_json::from_str::<Prompt>(&line.text) else { continue };
        if let (Some(session), Some(at)) = (prompt.session, unix_millis(&prompt.ts))
            && prompt.author != "machine"
            && prompt.agent.is_none()
        {
            times.entry(session).or_default().push(at);
        }
    }
    times
}

fn correction(capture: &Capture<'_>, record: &Record, file: &FileNote, change: &Change, by_person: bool) -> Trace {
    let mut trace = capture.trace(&format!("revert {} {}", record.id, file.path), &record.timestamp);
    trace.kind = TraceKind::Correction;
    trace.status = TraceStatus::Suspected;
    trace.source = TraceSource::AutoDetected;
    trace.context.clone_from(&change.context);
    let who = if by_person { "a person" } else { "the agent, asked by a prompt," };
    trace.event = TraceEvent {
        what_happened: format!("changed `{}`", file.path),
        what_was_correct: format!("leave `{}` as it was", file.path),
        why: format!("{who} restored the content that it had before the change"),
    };
    trace.anchors = vec![Anchor { path: file.path.clone(), hash: file.after.clone(), ..Anchor::default() }];
    trace
}
