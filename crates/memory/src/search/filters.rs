use stead_model::unix_millis;

use crate::index::terms::{each_property, property};
use crate::{Outcome, Trace, TraceKind, TraceStatus};

/// What a trace must be, whatever its text. Of several values of one kind, one suffices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    pub kinds: Vec<TraceKind>,
    pub statuses: Vec<TraceStatus>,
    pub outcomes: Vec<Outcome>,
    pub agents: Vec<String>,
    pub features: Vec<String>,
    pub guards: Vec<String>,
    pub intents: Vec<String>,
    /// Files or folders, relative to the project.
    pub files: Vec<String>,
    /// Milliseconds since 1970, included.
    pub from: Option<i64>,
    /// Milliseconds since 1970, excluded.
    pub to: Option<i64>,
}

impl Filters {
    /// Names and wanted values of properties, only where something is wanted.
    fn wanted(&self) -> Vec<(&'static str, Vec<String>)> {
        let file = |path: &String| path.trim_start_matches("./").trim_matches('/').to_owned();
        let all = [
            ("type", self.kinds.iter().map(|kind| kind.name().to_owned()).collect()),
            ("status", self.statuses.iter().map(|status| status.name().to_owned()).collect()),
            ("outcome", self.outcomes.iter().map(|outcome| outcome.name().to_owned()).collect()),
            ("agent", self.agents.clone()),
            ("feature", self.features.clone()),
            ("guard", self.guards.clone()),
            ("intent", self.intents.clone()),
            ("file", self.files.iter().map(file).collect::<Vec<_>>()),
        ];
        all.into_iter().filter(|(_, values)| !values.is_empty()).collect()
    }

    /// The terms that a trace must have: one of each list.
    pub(crate) fn terms(&self) -> Vec<Vec<String>> {
        let of = |(name, values): (&str, Vec<String>)| values.iter().map(|value| property(name, value)).collect();
        self.wanted().into_iter().map(of).collect()
    }

    pub(crate) fn has_times(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wanted().is_empty() && !self.has_times()
    }

    pub(crate) fn admits(&self, trace: &Trace) -> bool {
        let mut wanted = self.wanted();
        each_property(trace, |name, value| {
            wanted.retain(|(of, values)| *of != name || !values.iter().any(|one| one == value))
        });
        wanted.is_empty() && (!self.has_times() || self.admits_time(unix_millis(&trace.timestamp).unwrap_or_default()))
    }

    fn admits_time(&self, millis: i64) -> bool {
        self.from.is_none_or(|from| millis >= from) && self.to.is_none_or(|to| millis < to)
    }
}
