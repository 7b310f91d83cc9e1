//! The agent programs that are known by name: one file each, facts only.

use super::Profile;

mod claude;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod kimi;
mod opencode;
mod qwen;
#[cfg(test)]
mod tests;

const ALL: [&Profile; 9] = [
    &claude::PROFILE,
    &codex::PROFILE,
    &gemini::PROFILE,
    &qwen::PROFILE,
    &opencode::PROFILE,
    &copilot::PROFILE,
    &kimi::PROFILE,
    &droid::PROFILE,
    &cursor::PROFILE,
];

/// Finds a known agent program by its harness name.
pub fn find(name: &str) -> Option<&'static Profile> {
    ALL.into_iter().find(|profile| profile.name == name)
}

/// The names of all known agent programs.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(|profile| profile.name)
}

/// The variables that tell a program it is inside another one's session.
pub(crate) fn session_vars() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().flat_map(|profile| profile.session_vars.iter().copied())
}
