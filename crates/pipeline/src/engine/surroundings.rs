use std::ffi::OsString;
use std::path::Path;

use crate::EventLine;
use crate::custody::Cancel;

/// What the engine needs from outside: it takes no clock, no environment and no terminal by itself.
pub struct Surroundings<'a> {
    /// The project's root: agents and commands work here.
    pub root: &'a Path,
    /// A variable of the environment.
    pub env: &'a (dyn Fn(&str) -> Option<OsString> + Sync),
    /// The wall clock, in milliseconds since 1970.
    pub now: &'a (dyn Fn() -> i64 + Sync),
    /// Further arguments for a known provider, by its name, from the settings.
    pub provider_args: &'a (dyn Fn(&str) -> Vec<String> + Sync),
    pub observer: &'a dyn Observer,
    /// Ends the run: agents get their grace, and the state says how to go on.
    pub cancel: Cancel,
}

/// Whoever watches a run. It is told from several threads, one event at a time, after the event was written down; it
/// should not take long.
pub trait Observer: Sync {
    fn event(&self, line: &EventLine);
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn event(&self, _: &EventLine) {}
}
