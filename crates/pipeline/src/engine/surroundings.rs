use std::ffi::OsString;
use std::path::Path;

use stead_store::StoreError;

use crate::EventLine;
use crate::custody::Cancel;
use crate::orchestrate::FeatureSupport;

/// What the engine needs from outside: it uses no clock, environment or terminal of its own.
pub struct Surroundings<'a> {
    /// The project root: agents and commands run here.
    pub root: &'a Path,
    /// A variable of the environment.
    pub env: &'a (dyn Fn(&str) -> Option<OsString> + Sync),
    /// The wall clock, in milliseconds since 1970.
    pub now: &'a (dyn Fn() -> i64 + Sync),
    /// Additional arguments for a known provider, by its name, from the settings.
    pub provider_args: &'a (dyn Fn(&str) -> Vec<String> + Sync),
    /// Binds an intent to the agents of a run and stage that are about to start.
    pub bind_intent: &'a (dyn Fn(&AgentIntent<'_>) -> Result<(), StoreError> + Sync),
    /// Why the hooks of an agent that ended were not heard; `None` if they were, or were not to be expected.
    pub unheard: &'a (dyn Fn(&EndedAgent<'_>) -> Option<String> + Sync),
    /// What a run needs that works on the feature list; others need none.
    pub features: Option<&'a FeatureSupport<'a>>,
    pub observer: &'a dyn Observer,
    /// Cancels the run: agents get time to clean up, and the state says how to continue.
    pub cancel: Cancel,
}

/// An agent that ended its iteration.
#[derive(Clone, Copy, Debug)]
pub struct EndedAgent<'a> {
    pub run: &'a str,
    pub stage: &'a str,
    pub iteration: u32,
    /// The agent program, by its harness name.
    pub provider: &'a str,
    /// The folder it worked in.
    pub dir: &'a Path,
}

/// The intent that the agents of a stage work for.
#[derive(Clone, Copy, Debug)]
pub struct AgentIntent<'a> {
    pub run: &'a str,
    pub stage: &'a str,
    pub intent: &'a str,
}

/// Observes a run. It is called from several threads, one event at a time, after the event was written; it should
/// return quickly.
pub trait Observer: Sync {
    fn event(&self, line: &EventLine);
}

/// Ignores all events.
pub struct Unobserved;

impl Observer for Unobserved {
    fn event(&self, _: &EventLine) {}
}
