//! Reads the files that are replaced as a whole: packets with their decisions, the feature list with its failures, and
//! the intents. Only what changed since the last capture is read.

use std::path::Path;

use stead_context::{Heading, Shelf};
use stead_feature::FeatureList;
use stead_ledger::intent::{INTENTS, IntentFile};
use stead_model::rfc3339;
use stead_store::{file_stamp, sha256};

use super::Capture;
use super::cursor::Cursor;
use super::record::decision_key;
use crate::refuse::noise;
use crate::{Trace, TraceEvent, TraceKind, TraceSource};

pub(super) fn read(capture: &Capture<'_>, cursor: &mut Cursor) -> Vec<Trace> {
    let mut traces = Vec::new();
    let shelf = Shelf::new(&capture.context);
    for id in shelf.ids() {
        if has_changed(&shelf.path(&id), cursor) {
            traces.extend(decisions(capture, &shelf, &id));
        }
    }
    let list = capture.features.join(FeatureList::FILE);
    if has_changed(&list, cursor) {
        traces.extend(failures(capture));
    }
    let intents = capture.intents.join(INTENTS);
    if has_changed(&intents, cursor) {
        traces.extend(intent_states(capture));
    }
    traces
}

/// Returns true if a file is not what it was at the last capture.
fn has_changed(path: &Path, cursor: &mut Cursor) -> bool {
    let Ok(data) = std::fs::metadata(path) else { return false };
    let name = path.to_string_lossy().into_owned();
    let stamp = file_stamp(&data).text;
    cursor.files.insert(name, stamp.clone()).as_deref() != Some(&stamp)
}

/// What a packet says was decided, one trace for each entry of the list.
fn decisions(capture: &Capture<'_>, shelf: &Shelf, id: &str) -> Vec<Trace> {
    let Ok(packet) = shelf.read(id) else { return Vec::new() };
    let Some(section) = packet.section(Heading::Decisions) else { return Vec::new() };
    let made = packet.get("created_at").or(packet.get("created"));
    let when = made.map_or_else(|| rfc3339(capture.now), str::to_owned);
    let mut traces = Vec::new();
    for text in entries(section) {
        let event = TraceEvent { what_happened: text.clone(), ..TraceEvent::default() };
        if text == stead_context::NOTHING || noise(TraceKind::Decision, &event).is_some() {
            continue;
        }
        let mut trace = capture.trace(&decision_key(&text), &when);
        trace.kind = TraceKind::Decision;
        trace.source = TraceSource::AutoDetected;
        trace.context.task = Some(id.to_owned());
        trace.event = event;
        traces.push(trace);
    }
    traces
}

/// The entries of a list, each with the lines that belong to it.
fn entries(section: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in section.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
        let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
        match (item, entries.last_mut()) {
            (Some(item), _) => entries.push(item.trim().to_owned()),
            (None, Some(last)) if line.starts_with(' ') => *last = format!("{last} {}", line.trim()),
            (None, _) => {}
        }
    }
    entries
}

/// The last failure of each feature.
fn failures(capture: &Capture<'_>) -> Vec<Trace> {
    let Ok(Some(list)) = FeatureList::read(&capture.features) else { return Vec::new() };
    let mut traces = Vec::new();
    for feature in &list.features {
        let Some(failure) = &feature.last_failure else { continue };
        let mut trace =
            capture.trace(&format!("failure {} {} {}", feature.id, failure.at, failure.summary), &failure.at);
        // What was learned from it makes it a correction; a failure alone is something to reflect on.
        let is_learned = failure.prevention.is_some();
        trace.kind = if is_learned { TraceKind::Correction } else { TraceKind::Reflection };
        trace.source = TraceSource::AutoDetected;
        trace.context.feature = Some(feature.id.clone());
        trace.context.more.insert(Trace::ATTEMPT.to_owned(), feature.attempts.into());
        trace.context.task = Some(feature.title.clone()).filter(|title| !title.is_empty());
        trace.event = TraceEvent {
            what_happened: format!(
                "attempt {} at feature `{}` failed: {}",
                feature.attempts, feature.id, failure.summary
            ),
            what_was_correct: failure.prevention.clone().unwrap_or_default(),
            why: failure.assumption.clone().unwrap_or_default(),
        };
        traces.push(trace);
    }
    traces
}

/// The intents as a person left them: each state of an intent is a decision.
fn intent_states(capture: &Capture<'_>) -> Vec<Trace> {
    let Ok(file) = IntentFile::read(&capture.intents) else { return Vec::new() };
    let mut traces = Vec::new();
    for intent in &file.intents {
        let scope = intent.owned_scope.join(", ");
        let mut trace = capture.trace(&format!("intent {} {}", intent.id, sha256(&scope)), &rfc3339(capture.now));
        trace.kind = TraceKind::Decision;
        trace.source = TraceSource::UserCorrection;
        trace.context.intent = Some(intent.id.clone());
        trace.topic = Some(format!("intent {}", intent.id));
        trace.event = TraceEvent {
            what_happened: format!("intent `{}` ({}) owns {scope}", intent.id, intent.name),
            ..TraceEvent::default()
        };
        traces.push(trace);
    }
    traces
}
