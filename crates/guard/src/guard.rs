use serde::{Deserialize, Serialize};
use stead_model::EventKind;

use crate::condition::Condition;
use crate::exec::Exec;
use crate::mode::Mode;
use crate::source::{Origin, SourceTrust};
use crate::then::Then;

/// One guard, read and checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    pub id: String,
    pub mode: Mode,
    pub then: Then,
    #[serde(rename = "on", with = "event_names")]
    pub events: Vec<EventKind>,
    pub say: String,
    #[serde(default, skip_serializing_if = "OnError::is_closed")]
    pub on_error: OnError,
    /// For [`Then::Rewrite`]: the new path below the root, with `{name}`, `{stem}`, `{ext}` and `{dir}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// For [`Then::Continue`]: how often the stop of one agent may be blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "SourceTrust::is_local")]
    pub trust: SourceTrust,
    pub file: String,
    /// The first twelve digits of the hash of the text it was read from.
    pub version: String,
    #[serde(default, skip_serializing_if = "Condition::is_empty")]
    pub(crate) matches: Condition,
    #[serde(default, skip_serializing_if = "Condition::is_empty")]
    pub(crate) unless: Condition,
    /// An expression in CEL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec: Option<Exec>,
}

stead_model::named! {
    /// What a guard that fails counts as.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum OnError {
        /// Matched.
        #[default]
        Closed = "closed",
        /// Not matched.
        Open = "open",
    }
}

impl Guard {
    /// Returns true if it could permit, change or tell something that would not happen without it.
    pub fn may_loosen(&self) -> bool {
        matches!(self.then, Then::Allow | Then::Rewrite | Then::Inject)
    }

    /// Returns true if both match the same calls, with the same result if they fail.
    pub(crate) fn matches_as(&self, other: &Self) -> bool {
        let judged = |guard: &Self| {
            let Self { on_error, to, at_most, matches, unless, when, exec, .. } = guard.clone();
            (on_error, to, at_most, matches, unless, when, exec)
        };
        judged(self) == judged(other)
    }
}

impl OnError {
    fn is_closed(&self) -> bool {
        *self == Self::Closed
    }
}

/// Event kinds as one number, so that a guard for other events is skipped without reading it.
pub(crate) fn mask(events: &[EventKind]) -> u32 {
    events.iter().fold(0, |mask, kind| mask | bit(*kind))
}

pub(crate) fn bit(kind: EventKind) -> u32 {
    EventKind::ALL.iter().position(|known| *known == kind).map_or(0, |at| 1 << at)
}

mod event_names {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use stead_model::EventKind;

    pub(super) fn serialize<S: Serializer>(events: &[EventKind], serializer: S) -> Result<S::Ok, S::Error> {
        events.iter().map(|kind| kind.name()).collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EventKind>, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        names.iter().map(|name| EventKind::from_name(name).ok_or_else(|| D::Error::custom("unknown event"))).collect()
    }
}
