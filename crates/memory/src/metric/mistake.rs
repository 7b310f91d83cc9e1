//! Finds mistakes that were made again: the same guard and the same kind of place, after an agent was told.

use std::collections::HashSet;

use stead_hook::{Did, recorded_effects};

use crate::history::History;
use crate::pattern::{Place, Touch};
use crate::{Outcome, Trace};

/// Returns true if the agent was told of a violation.
fn is_told(trace: &Trace) -> bool {
    match trace.context.more.get("did").and_then(serde_json::Value::as_str) {
        Some(did) => did != Did::Recorded.name(),
        None => trace.outcome.is_some(),
    }
}

/// Returns the violations that repeat one of which an agent had been told. What a person allowed was no mistake.
pub(super) fn repeated<'t>(violations: impl Iterator<Item = &'t Trace>, history: &History) -> Vec<&'t Trace> {
    let mut violations: Vec<&Trace> = violations.filter(|trace| trace.outcome != Some(Outcome::Overridden)).collect();
    violations.sort_by(|one, other| one.timestamp.cmp(&other.timestamp));
    let mut told = HashSet::new();
    let mut again = Vec::new();
    for trace in violations {
        let key = (trace.context.guard.as_deref(), kind_of_place(trace, history));
        if told.contains(&key) {
            again.push(trace);
        } else if is_told(trace) {
            told.insert(key);
        }
    }
    again
}

/// What a violation is about: the folder of the file, the program, or the name of what is used.
fn kind_of_place(trace: &Trace, history: &History) -> String {
    let effects = trace.effects.as_ref().and_then(|effects| recorded_effects(&effects.to_string(), &history.root));
    let touches = effects.map(|effects| Touch::all(&effects, history.home())).unwrap_or_default();
    let anchor = || trace.anchors.first().and_then(|anchor| Place::new(&anchor.path, false));
    match touches.iter().min_by_key(|touch| touch.verb) {
        Some(touch) => touch.about(),
        None => anchor().map(|place| place.folder()).unwrap_or_default(),
    }
}
