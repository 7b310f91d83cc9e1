use std::path::Path;

use stead_context::reflection_things;
use stead_hook::{Did, Precedent, PrecedentKey, recorded_effects};

use crate::pattern::Touch;
use crate::search::{Freshness, Tree};
use crate::{Anchor, Outcome, Trace, TraceKind, TraceStatus};

/// How many effects of a call, files and names of a trace are keys.
const TOUCHES: usize = 8;
const PATHS: usize = 4;
const WORDS: usize = 6;

/// How long a name is that can be looked for in an output.
const WORD: std::ops::RangeInclusive<usize> = 4..=80;

/// A trace that may be told, and by what it is found.
pub(super) struct Choice<'t> {
    trace: &'t Trace,
    pub(super) keys: Vec<String>,
    /// The anchors that must be as they were.
    anchors: Vec<Anchor>,
}

impl<'t> Choice<'t> {
    /// Returns nothing for a trace that is only suspected, of which no agent was told, or that is about nothing in
    /// particular. The files of another project's trace say nothing here.
    pub(super) fn of(trace: &'t Trace, is_here: bool, root: &Path, home: Option<&str>) -> Option<Self> {
        if !matches!(trace.status, TraceStatus::Recorded | TraceStatus::Confirmed) {
            return None;
        }
        let anchors: &[Anchor] = if is_here { &trace.anchors } else { &[] };
        let keys = match trace.kind {
            TraceKind::Violation => of_violation(trace, root, home),
            TraceKind::Correction | TraceKind::Reflection => of_lesson(trace, anchors, is_here),
            TraceKind::Decision => of_paths(anchors),
            TraceKind::Approval | TraceKind::Other => Vec::new(),
        };
        // The file of a denied call need not exist, and no content of it is meant.
        let is_bound = |anchor: &&Anchor| {
            trace.kind != TraceKind::Violation || anchor.hash.is_some() || anchor.node_hash.is_some()
        };
        let anchors = anchors.iter().filter(is_bound).cloned().collect();
        (!keys.is_empty() && !trace.event.what_happened.trim().is_empty()).then_some(Self { trace, keys, anchors })
    }

    pub(super) fn is_fresh(&self, tree: &mut Tree<'_>) -> bool {
        matches!(tree.freshness(&self.anchors), Freshness::Fresh | Freshness::Unanchored)
    }

    /// The precedent. It depends on the files whose content the trace is about, as they are in the work tree.
    pub(super) fn precedent(&self, work: &Path) -> Precedent {
        let bound = self.anchors.iter().filter(|anchor| anchor.hash.is_some() || anchor.node_hash.is_some());
        let files = bound.filter_map(|anchor| Some((anchor.path.clone(), Precedent::stamp(work, &anchor.path)?)));
        Precedent { files: files.collect(), ..self.trace.precedent() }
    }
}

impl Trace {
    /// The trace as an agent is told.
    pub fn precedent(&self) -> Precedent {
        // Of a violation, both are the words of the rule, which says them itself.
        let (correct, why) = match (self.kind, self.outcome) {
            (TraceKind::Violation, Some(Outcome::Complied)) => ("", "the agent then complied"),
            (TraceKind::Violation, Some(Outcome::GaveUp)) => ("", "the agent then gave up"),
            (TraceKind::Violation, Some(Outcome::Appealed)) => ("", "the agent then objected"),
            (TraceKind::Violation, _) => ("", ""),
            _ => (self.event.what_was_correct.as_str(), self.event.why.as_str()),
        };
        Precedent {
            ts: self.timestamp.clone(),
            id: self.id.to_string(),
            kind: self.kind.to_string(),
            session: self.context.session.clone(),
            what: self.event.what_happened.clone(),
            correct: correct.to_owned(),
            why: why.to_owned(),
            files: Vec::new(),
        }
    }
}

/// The rule and the kinds of action, of which an agent was told. What a person allowed was no mistake.
fn of_violation(trace: &Trace, root: &Path, home: Option<&str>) -> Vec<String> {
    let did = trace.context.more.get("did").and_then(serde_json::Value::as_str);
    let is_told = did.is_some_and(|did| did != Did::Recorded.name()) && trace.outcome != Some(Outcome::Overridden);
    let Some(rule) = trace.context.guard.as_deref().filter(|_| is_told) else { return Vec::new() };
    let effects = trace.effects.as_ref().and_then(|effects| recorded_effects(&effects.to_string(), root));
    let touches = effects.map(|effects| Touch::all(&effects, home)).unwrap_or_default();
    // The anchors are what was denied; the call may have done more.
    let is_denied = |touch: &&Touch| {
        touch.place().is_some_and(|place| trace.anchors.iter().any(|anchor| anchor.path == place.path))
    };
    let denied: Vec<&Touch> = touches.iter().filter(is_denied).collect();
    let denied = if denied.is_empty() { touches.iter().collect() } else { denied };
    let mut keys: Vec<String> = Vec::new();
    for touch in denied.into_iter().take(TOUCHES) {
        for kind in touch.exact_kind().into_iter().chain([touch.kind()]) {
            let key = PrecedentKey::Rule { rule, kind: &kind }.to_string();
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

/// What somebody learned: about files, a feature, or the names in it.
fn of_lesson(trace: &Trace, anchors: &[Anchor], is_here: bool) -> Vec<String> {
    let mut keys = of_paths(anchors);
    let feature = trace.context.feature.as_deref().filter(|_| is_here);
    keys.extend(feature.map(|id| PrecedentKey::Feature(id).to_string()));
    let event = &trace.event;
    let mut words: Vec<String> = Vec::new();
    for text in [&event.what_happened, &event.what_was_correct] {
        for word in reflection_things(text).into_iter().filter(|word| WORD.contains(&word.len())) {
            if !words.iter().any(|known| known == word) && Some(word) != feature {
                words.push(word.to_owned());
            }
        }
    }
    keys.extend(words.iter().take(WORDS).map(|word| PrecedentKey::Word(word).to_string()));
    keys
}

fn of_paths(anchors: &[Anchor]) -> Vec<String> {
    anchors.iter().take(PATHS).map(|anchor| PrecedentKey::Path(&anchor.path).to_string()).collect()
}
