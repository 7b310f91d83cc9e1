//! Collects the mistakes that are on record: in the session log, and in traces.

use std::collections::{HashMap, HashSet, VecDeque};

use stead_guard::{Caller, Then};
use stead_hook::{Did, HitLine, recorded_effects};
use stead_model::{EventKind, Level};
use stead_store::StoreError;

use super::route::Routes;
use super::{Cause, Incident, Marks, Touch};
use crate::history::{CallKey, History, PastCall, Reading, Standing};
use crate::{Trace, TraceEvent, TraceKind, TraceStatus};

/// How many calls of a session are remembered for the corrections in it.
const CALLS: usize = 2_000;

/// Every incident, and how their calls are recognised in the log.
pub(super) struct Gathered {
    pub(super) incidents: Vec<Incident>,
    pub(super) marks: Marks,
}

pub(super) fn gather(
    history: &History,
    traces: &[Trace],
    progress: &mut dyn FnMut(Reading),
) -> Result<Gathered, StoreError> {
    let standing = Standing::read(&history.indexes)?;
    let traces = current(traces);
    let mut log = Log::new(history, standing.wrong(), &traces);
    history.each(progress, &mut |call| log.take(call))?;
    let Log { incidents, asked, routes, calls, verdicts, .. } = log;
    let mut incidents: Vec<Incident> = incidents;
    incidents.extend(asked.into_values().flatten());
    incidents.extend(routes.found);
    for trace in traces {
        let is_known = trace.context.verdict.as_ref().is_some_and(|verdict| verdicts.contains(verdict));
        let is_told = matches!(trace.kind, TraceKind::Correction | TraceKind::Violation | TraceKind::Reflection);
        if is_told && !(is_known && trace.kind == TraceKind::Violation) {
            incidents.push(of_trace(trace, history, &calls));
        }
    }
    incidents.sort_by(|a, b| (&a.ts, &a.evidence).cmp(&(&b.ts, &b.evidence)));
    let marks = Marks::of(incidents.iter().filter(|incident| incident.cause != Cause::Told));
    Ok(Gathered { incidents, marks })
}

/// The traces that hold: the last line of each, without those that were forgotten or replaced.
fn current(traces: &[Trace]) -> Vec<&Trace> {
    let replaced: HashSet<&str> = traces.iter().flat_map(|trace| &trace.supersedes).map(|id| id.as_str()).collect();
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (at, trace) in traces.iter().enumerate() {
        last.insert(trace.id.as_str(), at);
    }
    let holds = |(at, trace): &(usize, &Trace)| {
        last.get(trace.id.as_str()) == Some(at)
            && !replaced.contains(trace.id.as_str())
            && trace.status != TraceStatus::Forgotten
    };
    traces.iter().enumerate().filter(holds).map(|(_, trace)| trace).collect()
}

/// A call of a session in which something was corrected.
struct Remembered {
    ts: String,
    key: Option<CallKey>,
    harness: String,
    tool: String,
    caller: Caller,
    effects: String,
}

/// The log as it goes by.
struct Log<'a> {
    history: &'a History,
    /// Verdicts that a person called wrong.
    wrong: HashSet<&'a str>,
    /// Sessions in which something was corrected.
    corrected: HashSet<&'a str>,
    incidents: Vec<Incident>,
    /// Calls about which a person was asked: if they ran, the person agreed.
    asked: HashMap<CallKey, Vec<Incident>>,
    routes: Routes,
    calls: HashMap<String, VecDeque<Remembered>>,
    verdicts: HashSet<String>,
}

impl<'a> Log<'a> {
    fn new(history: &'a History, wrong: HashSet<&'a str>, traces: &[&'a Trace]) -> Self {
        let corrected = traces.iter().filter(|trace| trace.kind == TraceKind::Correction);
        Self {
            history,
            wrong,
            corrected: corrected.filter_map(|trace| trace.context.session.as_deref()).collect(),
            incidents: Vec::new(),
            asked: HashMap::new(),
            routes: Routes::default(),
            calls: HashMap::new(),
            verdicts: HashSet::new(),
        }
    }

    fn take(&mut self, call: &PastCall<'_>) {
        if call.is(EventKind::AfterTool) {
            if let Some(key) = call.key().filter(|_| !self.asked.is_empty()) {
                self.asked.remove(&key);
            }
            return;
        }
        if call.is(EventKind::PermissionRequest) {
            return;
        }
        self.remember(call);
        let hits: Vec<&HitLine> = call.hits.iter().filter(|hit| is_mistake(hit)).collect();
        let session = call.session.as_deref().unwrap_or_default();
        let waits = call.is_judged() && self.routes.waits(session);
        if hits.is_empty() && !waits {
            return;
        }
        let effects = if call.is_judged() { call.effects(&self.history.root) } else { None };
        let touches = effects.as_ref().map(|effects| Touch::all(effects, self.history.home())).unwrap_or_default();
        let id = call.id.as_deref().unwrap_or_default();
        if !id.is_empty() {
            self.verdicts.insert(id.to_owned());
        }
        let incident = |cause, touches, evidence: &str| Incident {
            cause,
            evidence: vec![evidence.to_owned()],
            ts: call.ts.clone().into_owned(),
            session: call.session.as_deref().map(str::to_owned),
            caller: call.caller(),
            harness: call.harness.clone().into_owned(),
            tool: call.tool.as_deref().unwrap_or_default().to_owned(),
            call: call.key(),
            twin: None,
            effects: effects.clone(),
            touches,
            text: TraceEvent::default(),
        };
        let passed = call.verdict != Level::Deny.name() && call.verdict != Level::Ask.name();
        let overridden = call.hits.iter().any(|hit| hit.did == Did::Overridden);
        if waits && passed && !overridden {
            let evidence = call.call.as_deref().unwrap_or(id);
            self.routes.passed(incident(Cause::Told, touches.clone(), evidence));
        }
        for hit in hits {
            if self.wrong.contains(id) {
                continue;
            }
            let own: Vec<Touch> = Touch::of_part(&touches, &hit.part).into_iter().cloned().collect();
            if hit.did == Did::Denied && call.is_judged() {
                self.routes.denied(session, &hit.guard, id, call.tool.as_deref().unwrap_or_default(), &own);
            }
            let found = incident(Cause::Guard(hit.guard.clone()), own, id);
            match call.key().filter(|_| hit.did == Did::Asked) {
                Some(key) => self.asked.entry(key).or_default().push(found),
                None => self.incidents.push(found),
            }
        }
    }

    fn remember(&mut self, call: &PastCall<'_>) {
        let Some(session) = call.session.as_deref().filter(|session| self.corrected.contains(session)) else { return };
        let Some(effects) = call.effects_text().filter(|_| call.is_judged()) else { return };
        let calls = self.calls.entry(session.to_owned()).or_default();
        if calls.len() >= CALLS {
            calls.pop_front();
        }
        calls.push_back(Remembered {
            ts: call.ts.clone().into_owned(),
            key: call.key(),
            harness: call.harness.clone().into_owned(),
            tool: call.tool.as_deref().unwrap_or_default().to_owned(),
            caller: call.caller(),
            effects: effects.to_owned(),
        });
    }
}

/// Returns true if a hit shows a mistake. A person's override, and a guard that only adds or redirects, do not.
fn is_mistake(hit: &HitLine) -> bool {
    let acts = [Then::Deny, Then::Ask, Then::Warn, Then::Continue].iter().any(|then| then.name() == hit.would);
    let did = matches!(hit.did, Did::Denied | Did::Asked | Did::Recorded | Did::Told | Did::Owed | Did::Held);
    acts && did
}

fn of_trace(trace: &Trace, history: &History, calls: &HashMap<String, VecDeque<Remembered>>) -> Incident {
    let context = &trace.context;
    let own = trace.effects.as_ref().map(ToString::to_string);
    let call = context.session.as_ref().and_then(|session| calls.get(session));
    let call = call.and_then(|calls| calls.iter().rev().find(|call| is_meant(call, trace, own.as_deref(), history)));
    let text = own.or_else(|| call.map(|call| call.effects.clone()));
    let effects = text.as_deref().and_then(|text| recorded_effects(text, &history.root));
    let touches = effects.as_ref().map(|effects| Touch::all(effects, history.home())).unwrap_or_default();
    let cause = match (&trace.kind, &context.guard) {
        (TraceKind::Correction, _) if !touches.is_empty() => Cause::Correction,
        (TraceKind::Violation, Some(guard)) => Cause::Guard(guard.clone()),
        _ => Cause::Told,
    };
    let named = || {
        let (session, call) = (context.session.clone()?, context.call.clone()?);
        Some(CallKey { session, call })
    };
    let caller = match &context.agent {
        Some(role) if role != "main" => Caller::Sub { role: Some(role.clone()) },
        _ => call.map_or(Caller::Main { role: None }, |call| call.caller.clone()),
    };
    Incident {
        cause,
        evidence: std::iter::once(trace.id.to_string()).chain(context.verdict.clone()).collect(),
        ts: trace.timestamp.clone(),
        session: context.session.clone(),
        caller,
        harness: context.harness.clone().or_else(|| call.map(|call| call.harness.clone())).unwrap_or_default(),
        tool: call.map(|call| call.tool.clone()).unwrap_or_default(),
        call: named().or_else(|| call.and_then(|call| call.key.clone())),
        twin: call.filter(|call| call.key.is_none()).map(|call| call.effects.clone()),
        effects,
        touches,
        text: trace.event.clone(),
    }
}

/// Returns true if a trace is about a call: it names it, has its effects, or is about a file that the call changed.
fn is_meant(call: &Remembered, trace: &Trace, effects: Option<&str>, history: &History) -> bool {
    if call.ts > trace.timestamp {
        return false;
    }
    if let Some(named) = &trace.context.call {
        return call.key.as_ref().is_some_and(|key| key.call == *named);
    }
    if let Some(effects) = effects {
        return serde_json::from_str::<serde_json::Value>(&call.effects).ok() == serde_json::from_str(effects).ok();
    }
    let Some(known) = recorded_effects(&call.effects, &history.root) else { return false };
    let touches = Touch::all(&known, history.home());
    let changes = |path: &str| {
        let is_it = |touch: &&Touch| touch.verb == super::Verb::Change;
        touches.iter().filter(is_it).filter_map(Touch::place).any(|place| place.path == path)
    };
    trace.anchors.iter().any(|anchor| changes(&anchor.path))
}
