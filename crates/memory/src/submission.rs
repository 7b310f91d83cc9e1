use serde_json::Value;
use stead_model::unix_millis;
use stead_store::{Durability, take_turn};

use crate::memory::PATIENCE;
use crate::refuse::words;
use crate::{
    Anchor, Memory, MemoryError, Repeat, Trace, TraceBook, TraceContext, TraceEvent, TraceId, TraceKind, TraceLine,
    TraceSource, TraceStatus, VERSION, refusal,
};

/// How long the same trace is folded into the first, in milliseconds.
const WINDOW: i64 = 24 * 3600 * 1000;

/// How many of the last lines are compared.
const LINES: usize = 5_000;

/// A trace that a person or an agent wants to be stored.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    pub timestamp: String,
    pub kind: TraceKind,
    pub source: TraceSource,
    pub context: TraceContext,
    pub event: TraceEvent,
    pub anchors: Vec<Anchor>,
    pub supersedes: Vec<TraceId>,
    pub topic: Option<String>,
}

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    New(TraceId),
    /// The same was stored shortly before; that trace now counts this one, too.
    Folded(TraceId),
}

impl Stored {
    pub fn id(&self) -> &TraceId {
        match self {
            Self::New(id) | Self::Folded(id) => id,
        }
    }
}

impl Memory {
    /// Stores a submission, unless it is not worth a trace. What was stored within a day is folded.
    pub fn store(&self, submission: Submission) -> Result<Stored, MemoryError> {
        let Submission { timestamp, kind, source, context, event, anchors, supersedes, topic } = submission;
        let (v, id, project) = (VERSION, TraceId::random(), self.project.clone());
        let trace = Trace {
            v,
            id,
            project,
            timestamp,
            kind,
            source,
            context,
            event,
            anchors,
            supersedes,
            topic,
            ..Trace::default()
        };
        // The texts as they are written, so that a cut or redacted text is recognised again.
        let trace = trace.safe();
        refusal(trace.kind, &trace.event)?;
        if !trace.supersedes.is_empty() {
            let known = self.traces()?;
            if let Some(id) = trace.supersedes.iter().find(|id| known.get(id).is_none()) {
                return Err(MemoryError::UnknownTrace { id: id.to_string(), matching: 0 });
            }
        }
        self.book.prepare()?;
        let _turn = take_turn(self.book.path(), PATIENCE)?;
        if let Some(mut same) = same_in(&self.book, &trace)? {
            let session = trace.context.session.clone();
            same.repeats.push(Repeat { timestamp: trace.timestamp, session });
            self.book.append(&same, Durability::Synced, PATIENCE)?;
            return Ok(Stored::Folded(same.id));
        }
        self.book.append(&trace, Durability::Synced, PATIENCE)?;
        Ok(Stored::New(trace.id))
    }
}

/// The last state of a trace that says the same and was written within the window.
fn same_in(book: &TraceBook, trace: &Trace) -> Result<Option<Trace>, MemoryError> {
    let now = unix_millis(&trace.timestamp).unwrap_or(i64::MAX);
    let wanted = sense(trace);
    let mut forgotten = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for TraceLine { trace: old, .. } in book.mentioning("")?.take(LINES) {
        if old.status == TraceStatus::Forgotten {
            forgotten.extend(old.supersedes);
            continue;
        }
        if !seen.insert(old.id.clone()) || forgotten.contains(&old.id) {
            continue;
        }
        let last = old.repeats.last().map_or(&old.timestamp, |repeat| &repeat.timestamp);
        let is_recent = unix_millis(last).is_some_and(|last| (now - last).abs() <= WINDOW);
        if is_recent && sense(&old) == wanted {
            return Ok(Some(old));
        }
    }
    Ok(None)
}

/// What a trace says, without layout and punctuation.
fn sense(trace: &Trace) -> Value {
    let Trace { kind, event, context, anchors, topic, supersedes, .. } = trace;
    let said = [&event.what_happened, &event.what_was_correct, &event.why].map(|text| words(text).collect::<Vec<_>>());
    let files: Vec<_> = anchors.iter().map(|anchor| (&anchor.path, &anchor.node)).collect();
    serde_json::json!([kind, said, context.feature, files, topic, supersedes])
}
