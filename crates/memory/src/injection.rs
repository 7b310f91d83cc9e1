//! Whether telling precedents helps: for each time an agent was told, whether the same happened again in its session.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::{Value, json};
use stead_feature::FeatureList;
use stead_hook::{Did, HitLine, Injection, InjectionCause, Injections, failure_kind, recent_runs};
use stead_ledger::lesson::RunEnd;
use stead_model::EventKind;

use crate::history::{PastCall, read};
use crate::metric::finished;
use crate::pattern::Touch;
use crate::{MemoryError, Reading, Records};

/// How many test runs are looked at.
const RUNS: usize = 20_000;

/// How many precedents are listed.
const LISTED: usize = 20;

stead_model::named! {
    /// What came of telling precedents.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Effect {
        /// Nothing followed yet that would show it.
        #[default]
        Open = "open",
        /// The session went on, and the same did not happen again.
        NotRepeated = "not_repeated",
        Repeated = "repeated",
    }
}

/// How often precedents were told, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InjectionCount {
    pub told: usize,
    pub not_repeated: usize,
    pub repeated: usize,
    pub open: usize,
    /// How often each precedent was told, and how often the same happened again.
    pub by_id: BTreeMap<String, (usize, usize)>,
}

impl InjectionCount {
    /// Counts what was told since a time. Each log is read once.
    pub fn of(
        records: &Records<'_>,
        log: &Injections,
        since: &str,
        progress: &mut dyn FnMut(Reading),
    ) -> Result<Self, MemoryError> {
        let mut told: Vec<Injection> = read(log.path())?;
        told.retain(|line| line.ts.as_str() >= since && !line.ids.is_empty());
        let mut count = Self::default();
        if told.is_empty() {
            return Ok(count);
        }
        let effects = Watch::new(&told).run(records, progress)?;
        for (injection, effect) in told.iter().zip(effects) {
            count.told += 1;
            match effect {
                Effect::Open => count.open += 1,
                Effect::NotRepeated => count.not_repeated += 1,
                Effect::Repeated => count.repeated += 1,
            }
            for id in &injection.ids {
                let one = count.by_id.entry(id.clone()).or_default();
                *one = (one.0 + 1, one.1 + usize::from(effect == Effect::Repeated));
            }
        }
        Ok(count)
    }

    pub fn json(&self) -> Value {
        let mut listed: Vec<_> = self.by_id.iter().collect();
        listed.sort_by(|(a, one), (b, other)| (other.0, a).cmp(&(one.0, b)));
        let one =
            |(id, (told, repeated)): (&String, &(usize, usize))| json!({"id": id, "told": told, "repeated": repeated});
        let precedents: Vec<Value> = listed.into_iter().take(LISTED).map(one).collect();
        json!({
            "told": self.told, "not_repeated": self.not_repeated, "repeated": self.repeated, "open": self.open,
            "precedents": precedents,
        })
    }
}

/// What followed each injection.
struct Watch<'i> {
    told: &'i [Injection],
    by_session: HashMap<&'i str, Vec<usize>>,
    effects: Vec<Effect>,
}

impl<'i> Watch<'i> {
    fn new(told: &'i [Injection]) -> Self {
        let mut by_session: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, injection) in told.iter().enumerate() {
            if let Some(session) = &injection.session {
                by_session.entry(session).or_default().push(at);
            }
        }
        Self { told, by_session, effects: vec![Effect::default(); told.len()] }
    }

    fn run(mut self, records: &Records<'_>, progress: &mut dyn FnMut(Reading)) -> Result<Vec<Effect>, MemoryError> {
        records.history.each(progress, &mut |call| self.take(call, records))?;
        if self.has(InjectionCause::Failure) {
            self.take_runs(records);
        }
        if self.has(InjectionCause::Task) {
            self.take_features(records);
        }
        Ok(self.effects)
    }

    fn has(&self, cause: InjectionCause) -> bool {
        self.told.iter().any(|injection| injection.cause == cause)
    }

    /// Takes a later call of a session that was told something.
    fn take(&mut self, call: &PastCall<'_>, records: &Records<'_>) {
        let Some(told) = call.session.as_deref().and_then(|session| self.by_session.get(session)) else { return };
        // The same call may be seen again, as a request for permission.
        if call.is(EventKind::PermissionRequest) {
            return;
        }
        for at in told.clone() {
            let injection = &self.told[at];
            let is_same_call = call.call.is_some() && call.call.as_deref() == injection.call.as_deref();
            if *call.ts <= *injection.ts || is_same_call {
                continue;
            }
            let found = match injection.cause {
                InjectionCause::Rule => Some(by_rule(injection, call, records)),
                InjectionCause::Failure => by_tool(injection, call),
                InjectionCause::Task | InjectionCause::Other => None,
            };
            self.note(at, found);
        }
    }

    /// What happened again stays so; of a failure, the next try decides.
    fn note(&mut self, at: usize, found: Option<Effect>) {
        let is_decided = match self.told[at].cause {
            InjectionCause::Rule => self.effects[at] == Effect::Repeated,
            _ => self.effects[at] != Effect::Open,
        };
        if let Some(found) = found.filter(|_| !is_decided) {
            self.effects[at] = found;
        }
    }

    /// The next run of the same test in the session.
    fn take_runs(&mut self, records: &Records<'_>) {
        for run in recent_runs(records.ground, RUNS, 0) {
            let Some(told) = run.session.as_deref().and_then(|session| self.by_session.get(session)) else { continue };
            let found = match run.end {
                RunEnd::Failed => Effect::Repeated,
                RunEnd::Passed => Effect::NotRepeated,
                RunEnd::Unknown => continue,
            };
            let kind = failure_kind(&run.command);
            for at in told.clone() {
                let injection = &self.told[at];
                let is_it = injection.cause == InjectionCause::Failure && injection.kinds.contains(&kind);
                if is_it && run.ts > injection.ts {
                    self.note(at, Some(found));
                }
            }
        }
    }

    /// The next attempt at the feature that a task was about.
    fn take_features(&mut self, records: &Records<'_>) {
        let list = FeatureList::read(&records.ground.features).ok().flatten().unwrap_or_default();
        for (at, injection) in self.told.iter().enumerate() {
            if injection.cause != InjectionCause::Task {
                continue;
            }
            let is_meant = |id: &str| injection.kinds.iter().any(|kind| kind == id);
            let is_later = |ts: &str| ts > injection.ts.as_str();
            let failed = records.own().any(|trace| {
                let feature = trace.context.feature.as_deref();
                trace.is_failed_attempt() && feature.is_some_and(is_meant) && is_later(&trace.timestamp)
            });
            let mut done = list.features.iter().filter(|feature| is_meant(&feature.id)).filter_map(finished);
            self.effects[at] = match () {
                () if failed => Effect::Repeated,
                () if done.any(|ts| is_later(&ts)) => Effect::NotRepeated,
                () => Effect::Open,
            };
        }
    }
}

/// Whether a call has a hit of the same rule for the same kind of action.
fn by_rule(injection: &Injection, call: &PastCall<'_>, records: &Records<'_>) -> Effect {
    let is_it = |hit: &&HitLine| {
        let objects = matches!(hit.did, Did::Denied | Did::Asked | Did::Told | Did::Owed | Did::Held);
        hit.guard == injection.rule && objects
    };
    let mut hits = call.hits.iter().filter(is_it).peekable();
    if hits.peek().is_none() {
        return Effect::NotRepeated;
    }
    let effects = call.effects(&records.history.root).unwrap_or_default();
    let touches = Touch::all(&effects, records.history.home());
    let is_same = |hit: &HitLine| {
        let own = Touch::of_part(&touches, &hit.part);
        own.is_empty() && injection.kinds.is_empty() || own.iter().any(|touch| injection.kinds.contains(&touch.kind()))
    };
    if hits.any(is_same) { Effect::Repeated } else { Effect::NotRepeated }
}

/// Whether the same tool failed again. Tests are known by their runs.
fn by_tool(injection: &Injection, call: &PastCall<'_>) -> Option<Effect> {
    let tool = format!("tool {}", call.tool.as_deref()?);
    if !injection.kinds.contains(&tool) {
        return None;
    }
    match () {
        () if call.is(EventKind::ToolFailed) => Some(Effect::Repeated),
        () if call.is(EventKind::AfterTool) => Some(Effect::NotRepeated),
        () => None,
    }
}

#[cfg(test)]
mod tests;
