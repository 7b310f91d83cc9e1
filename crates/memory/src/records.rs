use std::path::Path;

use stead_evidence::Ground;
use stead_hook::{Did, HitLine};

use crate::{History, Origin, Trace, TraceKind, Traces};

/// What a project has on record, for whoever counts it.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    pub history: &'a History,
    pub ground: &'a Ground,
    /// The folder of the intents, which has the ledger.
    pub intents: &'a Path,
    pub traces: &'a Traces,
    /// In milliseconds since 1970.
    pub now: i64,
}

impl Records<'_> {
    /// The guard that refuses `tested` without evidence.
    const TESTED_GUARD: &'static str = "tested-needs-evidence";

    /// Returns true if a hit kept an agent from marking a feature as tested.
    pub(crate) fn is_premature(hit: &HitLine) -> bool {
        hit.guard == Self::TESTED_GUARD && matches!(hit.did, Did::Denied | Did::Held)
    }

    /// The traces of this machine.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Trace> {
        self.traces.iter().filter(|known| known.origin == Origin::Own).map(|known| &known.trace)
    }

    pub(crate) fn own_of(&self, kind: TraceKind) -> impl Iterator<Item = &Trace> {
        self.own().filter(move |trace| trace.kind == kind)
    }
}

impl Trace {
    /// The name under which the trace of a failed attempt at a feature has its number.
    pub(crate) const ATTEMPT: &'static str = "attempt";

    /// Returns true if it records that an attempt at a feature failed.
    pub fn is_failed_attempt(&self) -> bool {
        self.context.more.contains_key(Self::ATTEMPT)
    }
}
