//! The session in whose shell a command was called, if a hook saw it.

use std::time::UNIX_EPOCH;

use stead_context::{Binding, bound_session};

use crate::project::Project;

/// Finds the session that called this command. `None` in a person's own shell.
pub(crate) fn calling_session(project: &Project) -> Option<Binding> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let now = UNIX_EPOCH.elapsed().map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    bound_session(&project.indexes().join("sessions.jsonl"), &words, now)
}
