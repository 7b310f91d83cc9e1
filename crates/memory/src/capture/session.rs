//! Follows each session: what was denied, what the agent did next, and whether a prompt took back what it did.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use stead_context::Prompt;
use stead_hook::{Did, HitLine, describe_action};
use stead_ledger::Selection;
use stead_model::{FileId, Op, unix_millis};
use stead_store::Tail;

use super::call::{Call, SessionLine};
use super::cursor::Cursor;
use super::effect::{denied, is_same, is_same_spelling};
use super::negation::negates;
use super::{Capture, Draft, feed};
use crate::anchor::anchor;
use crate::{
    Anchor, MemoryError, Outcome, Trace, TraceContext, TraceEvent, TraceId, TraceKind, TraceSource, TraceStatus,
};

/// The name of the log in the cursor.
const LOG: &str = "sessions";

/// How much of the log is read again for sessions that have not ended.
const WINDOW: u64 = 8 * 1024 * 1024;

/// How long after its last event a session counts as ended.
const IDLE: i64 = 6 * 3600 * 1000;

/// How many prompts are searched, and how many files and effects a trace names.
const PROMPTS: usize = 5_000;
const NAMED: usize = 8;

/// The largest file whose content a captured trace is tied to.
const HASHED: u64 = 1024 * 1024;

pub(super) fn read(capture: &Capture<'_>, cursor: &mut Cursor, drafts: &mut Vec<Draft>) -> Result<(), MemoryError> {
    let path = capture.context.join("indexes").join("sessions.jsonl");
    let new = feed::start(&path, cursor.log(LOG));
    let from = cursor.sessions_from.min(new).max(new.saturating_sub(WINDOW));
    let mut sessions: BTreeMap<String, Vec<Call>> = BTreeMap::new();
    let (mut end, mut has_new) = (new, false);
    for line in feed::lines(&path, from)? {
        (end, has_new) = (end.max(feed::end_of(&line)), has_new || line.offset >= new);
        let Ok(entry) = serde_json::from_str::<SessionLine>(&line.text) else { continue };
        let key = entry.session.clone().unwrap_or_default();
        sessions.entry(key).or_default().push(Call { line: entry, offset: line.offset });
    }
    let prompts = if has_new { prompts(capture, &sessions, new) } else { HashMap::new() };
    let mut needed = end;
    let mut open = BTreeMap::new();
    for (session, calls) in &sessions {
        let walk = Walk { capture, calls, new, prompts: &prompts };
        let violations = if session.is_empty() { walk.unbound(drafts) } else { walk.session(cursor, drafts) };
        if !session.is_empty() && !has_ended(calls, capture.now) {
            needed = needed.min(walk.needed_from(violations.first().map(|one| one.at)));
            for one in &violations {
                open.insert(one.id.clone(), cursor.open.get(&one.id).copied().flatten());
            }
        }
    }
    cursor.open = open;
    cursor.sessions_from = needed;
    cursor.set_log(LOG, end);
    Ok(())
}

fn has_ended(calls: &[Call], now: i64) -> bool {
    // A session may go on after its end, when a person resumes it.
    calls.last().and_then(|last| unix_millis(&last.line.ts)).is_none_or(|ts| now - ts > IDLE)
}

/// The texts of the prompts among the new lines, by session and time.
fn prompts(
    capture: &Capture<'_>,
    sessions: &BTreeMap<String, Vec<Call>>,
    new: u64,
) -> HashMap<(String, String), Prompt> {
    let calls = sessions.values().flatten();
    let asked = calls.filter(|call| call.offset >= new && call.line.event == "prompt").map(|call| &call.line.ts);
    let Some(earliest) = asked.min() else { return HashMap::new() };
    let log = capture.context.join("indexes").join(Prompt::FILE);
    let Ok(lines) = Tail::open(&log) else { return HashMap::new() };
    let read = lines.take(PROMPTS).flatten().filter_map(|line| serde_json::from_str::<Prompt>(&line.text).ok());
    let recent = read.take_while(|prompt| prompt.ts >= *earliest);
    recent.map(|prompt| ((prompt.session.clone().unwrap_or_default(), prompt.ts.clone()), prompt)).collect()
}

/// A denial or a hit that was only recorded.
struct Violation {
    id: TraceId,
    /// Which call of the session it is.
    at: usize,
    /// The agent was told. What it did next then says something.
    is_told: bool,
    is_asked: bool,
    guard: String,
    denied: Vec<Op>,
}

/// The calls of one session.
struct Walk<'a> {
    capture: &'a Capture<'a>,
    calls: &'a [Call],
    /// Where the lines start that were not captured before.
    new: u64,
    prompts: &'a HashMap<(String, String), Prompt>,
}

impl Walk<'_> {
    /// Calls without a session: what was denied is known, what followed is not.
    fn unbound(&self, drafts: &mut Vec<Draft>) -> Vec<Violation> {
        for (at, _) in self.calls.iter().enumerate() {
            for (_, trace) in self.violations(at) {
                self.add(at, trace, drafts);
            }
        }
        Vec::new()
    }

    fn session(&self, cursor: &Cursor, drafts: &mut Vec<Draft>) -> Vec<Violation> {
        let mut all = Vec::new();
        for at in 0..self.calls.len() {
            for (violation, mut trace) in self.violations(at) {
                let outcome = self.outcome(&violation);
                trace.outcome = outcome;
                let known = cursor.open.get(&violation.id).copied().flatten();
                let is_approved = violation.is_asked && outcome == Some(Outcome::Overridden) && known != outcome;
                let approval = is_approved.then(|| self.approval(&trace));
                self.add(at, trace, drafts);
                drafts.extend(approval.map(Draft::new));
                if let Some(outcome) = outcome.filter(|outcome| known != Some(*outcome)) {
                    drafts.push(Draft::Outcome(violation.id.clone(), outcome));
                }
                all.push(violation);
            }
        }
        self.corrections(drafts);
        all
    }

    fn add(&self, at: usize, mut trace: Trace, drafts: &mut Vec<Draft>) {
        if self.calls[at].offset >= self.new {
            let line = &self.calls[at].line;
            trace.context.intent = self.intent(line);
            for anchor in &mut trace.anchors {
                if let Some(hashed) = unchanged(&self.capture.root, &anchor.path, &line.ts) {
                    *anchor = hashed;
                }
            }
            drafts.push(Draft::new(trace));
        }
    }

    /// The intent that the agent had selected by then.
    fn intent(&self, line: &SessionLine) -> Option<String> {
        let session = FileId::check(session(line)).ok()?;
        let selected = Selection::read(&self.capture.context.join("indexes"), &session, line.agent.as_deref())?;
        (selected.at <= line.ts).then_some(selected.intent)
    }

    /// From where the session must be read again.
    fn needed_from(&self, first_violation: Option<usize>) -> u64 {
        let last_prompt = self.calls.iter().rposition(|call| call.line.event == "prompt").unwrap_or(0);
        let first = first_violation.map_or(last_prompt, |at| at.min(last_prompt));
        self.calls.get(first).map_or(u64::MAX, |call| call.offset)
    }

    /// The violations of a call, one for each guard, with their traces.
    fn violations(&self, at: usize) -> Vec<(Violation, Trace)> {
        let call = &self.calls[at];
        let line = &call.line;
        let is_stopped = matches!(line.verdict.as_str(), "deny" | "ask");
        let mut hits: Vec<HitLine> = line.hits.iter().filter(|hit| is_violation(hit)).cloned().collect();
        if hits.is_empty() && is_stopped && line.hits.is_empty() {
            let did = if line.verdict == "ask" { Did::Asked } else { Did::Denied };
            hits.push(HitLine { would: line.verdict.clone(), did, ..HitLine::default() });
        }
        if hits.is_empty() {
            return Vec::new();
        }
        let effects = call.effects(&self.capture.root);
        let done: Vec<String> = effects.list.iter().map(|effect| describe_action(&effect.op)).collect();
        let make = |hit: HitLine| {
            let verdict = line.id.clone().unwrap_or_else(|| format!("{} {}", line.ts, session(line)));
            let parts = [hit.part.as_str()];
            let denied = denied(&effects, &parts);
            let mut trace = self.capture.trace(&violation_key(&verdict, &hit.guard), &line.ts);
            trace.kind = TraceKind::Violation;
            trace.source = TraceSource::EnforcementHook;
            trace.context = context(line);
            trace.context.guard = (!hit.guard.is_empty()).then(|| hit.guard.clone());
            trace.context.verdict.clone_from(&line.id);
            if !hit.mode.is_empty() {
                trace.context.more.insert("mode".to_owned(), hit.mode.clone().into());
            }
            trace.context.more.insert("did".to_owned(), hit.did.name().into());
            trace.event = TraceEvent {
                what_happened: describe(line, &done),
                what_was_correct: hit.say.clone(),
                why: line.reason.clone().unwrap_or_default(),
            };
            trace.anchors = anchors(&denied);
            trace.effects.clone_from(&line.effects);
            let is_told = hit.did != Did::Recorded;
            let is_asked = hit.did == Did::Asked;
            (Violation { id: trace.id.clone(), at, is_told, is_asked, guard: hit.guard, denied }, trace)
        };
        hits.into_iter().map(make).collect()
    }

    /// What the agent did after it was told; `None` as long as the session is at it.
    fn outcome(&self, violation: &Violation) -> Option<Outcome> {
        if !violation.is_told {
            return None;
        }
        let denied_call = &self.calls[violation.at];
        let (mut went_on, mut settled) = (false, None);
        let mut last = unix_millis(&denied_call.line.ts);
        for call in &self.calls[violation.at + 1..] {
            let line = &call.line;
            let at = unix_millis(&line.ts);
            if last.zip(at).is_some_and(|(last, at)| at - last > IDLE) {
                break;
            }
            last = at.or(last);
            if violation.is_asked
                && line.event == "after-tool"
                && line.call.is_some()
                && line.call == denied_call.line.call
            {
                return Some(Outcome::Overridden);
            }
            if line.hits.iter().any(|hit| hit.did == Did::Overridden && hit.guard == violation.guard) {
                return Some(Outcome::Overridden);
            }
            if call.passed() {
                let effects = call.effects(&self.capture.root);
                let does = |wanted: &Op| effects.list.iter().any(|effect| is_same(wanted, &effect.op));
                // The same call that passes later met the rule meanwhile.
                if violation.denied.iter().any(does) && !is_same_spelling(denied_call, call) {
                    return Some(Outcome::WentRound);
                }
                went_on = true;
            }
            if matches!(line.event.as_str(), "stop" | "session-end") && settled.is_none() {
                settled = Some(if went_on { Outcome::Complied } else { Outcome::GaveUp });
            }
        }
        let is_over = || has_ended(self.calls, self.capture.now);
        settled.or_else(|| is_over().then_some(if went_on { Outcome::Complied } else { Outcome::GaveUp }))
    }

    /// A person agreed when a guard asked.
    fn approval(&self, violation: &Trace) -> Trace {
        let verdict = violation.context.verdict.as_deref().unwrap_or_default();
        let guard = violation.context.guard.as_deref().unwrap_or_default();
        let mut trace = self.capture.trace(&format!("approval {verdict} {guard}"), &violation.timestamp);
        trace.kind = TraceKind::Approval;
        trace.source = TraceSource::EnforcementHook;
        trace.context.clone_from(&violation.context);
        trace.event = TraceEvent {
            what_happened: violation.event.what_happened.clone(),
            what_was_correct: String::new(),
            why: "a person agreed when the guard asked".to_owned(),
        };
        trace.anchors.clone_from(&violation.anchors);
        trace.effects.clone_from(&violation.effects);
        trace
    }

    /// Prompts that take back what was done since the last one, and calls that a person interrupted.
    fn corrections(&self, drafts: &mut Vec<Draft>) {
        let mut done: Vec<&Call> = Vec::new();
        for (at, call) in self.calls.iter().enumerate() {
            let line = &call.line;
            if call.passed() {
                done.push(call);
            }
            if line.event == "tool-failed" && line.interrupted {
                let key = format!("interrupt {} {}", session(line), line.ts);
                let of_call = |other: &&&Call| other.line.call.is_some() && other.line.call == line.call;
                let interrupted: Vec<&Call> = done.iter().filter(of_call).copied().collect();
                let why = "the person interrupted the call";
                self.add_correction(at, &key, &interrupted, "", why, drafts);
            }
            if line.event != "prompt" || line.agent.is_some() {
                continue;
            }
            let text = self.prompts.get(&(session(line).to_owned(), line.ts.clone()));
            if let Some(prompt) = text.filter(|prompt| prompt.author != "machine" && negates(&prompt.text)) {
                let key = format!("correction {} {}", session(line), line.ts);
                let why = "the person's next prompt";
                self.add_correction(at, &key, &done, &prompt.text, why, drafts);
            }
            done.clear();
        }
    }

    fn add_correction(&self, at: usize, key: &str, done: &[&Call], correct: &str, why: &str, drafts: &mut Vec<Draft>) {
        let changes = |op: &Op| !matches!(op, Op::Read { .. } | Op::Stead(_));
        let effects = done.iter().flat_map(|call| call.effects(&self.capture.root).list);
        let mut ops: Vec<Op> = Vec::new();
        for effect in effects.filter(|effect| changes(&effect.op)) {
            if !ops.contains(&effect.op) {
                ops.push(effect.op);
            }
        }
        // A program that runs without a known effect is told only if there is nothing else.
        if ops.iter().any(|op| !matches!(op, Op::Run { .. })) {
            ops.retain(|op| !matches!(op, Op::Run { .. }));
        }
        if ops.is_empty() {
            return;
        }
        let line = &self.calls[at].line;
        let mut trace = self.capture.trace(key, &line.ts);
        trace.kind = TraceKind::Correction;
        trace.status = TraceStatus::Suspected;
        trace.source = TraceSource::AutoDetected;
        trace.context = context(line);
        trace.context.call = done.last().and_then(|call| call.line.call.clone());
        let what = ops.iter().take(NAMED).map(describe_action).collect::<Vec<_>>().join("; ");
        trace.event = TraceEvent { what_happened: what, what_was_correct: correct.to_owned(), why: why.to_owned() };
        trace.anchors = anchors(&ops);
        self.add(at, trace, drafts);
    }
}

/// The key of the trace of a verdict.
pub(super) fn violation_key(verdict: &str, guard: &str) -> String {
    format!("violation {verdict} {guard}")
}

/// A hit that objected, or would have.
fn is_violation(hit: &HitLine) -> bool {
    let objects = matches!(hit.would.as_str(), "deny" | "ask" | "warn" | "continue");
    objects && matches!(hit.did, Did::Recorded | Did::Told | Did::Owed | Did::Asked | Did::Denied | Did::Held)
}

fn session(line: &SessionLine) -> &str {
    line.session.as_deref().unwrap_or_default()
}

fn context(line: &SessionLine) -> TraceContext {
    TraceContext {
        agent: line.role.clone().or_else(|| line.agent.clone()),
        harness: Some(line.harness.clone()),
        session: line.session.clone(),
        call: line.call.clone(),
        ..TraceContext::default()
    }
}

fn describe(line: &SessionLine, done: &[String]) -> String {
    let tool = line.tool.as_deref().unwrap_or(&line.event);
    match done {
        [] => format!("`{tool}` was called"),
        done => format!("`{tool}`: {}", done.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ")),
    }
}

/// A file as it was at a moment, if it was not changed since. A large one is not read: many traces may name it.
fn unchanged(root: &Path, path: &str, moment: &str) -> Option<Anchor> {
    let data = fs::metadata(root.join(path)).ok().filter(|data| data.is_file() && data.len() <= HASHED)?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_millis();
    let is_old = unix_millis(moment).is_some_and(|moment| i128::try_from(changed).is_ok_and(|at| at <= moment.into()));
    if is_old { anchor(root, path, None).ok() } else { None }
}

/// The files of the project that effects concern.
fn anchors(ops: &[Op]) -> Vec<Anchor> {
    let mut paths: Vec<&str> = Vec::new();
    for op in ops {
        let targets = match op {
            Op::Read { target, .. } | Op::Write { target, .. } | Op::Delete(target) => vec![target],
            Op::Rename { from, to } => vec![from, to],
            _ => Vec::new(),
        };
        let inside = targets.into_iter().filter(|target| !target.glob).filter_map(|target| target.inside.as_deref());
        paths.extend(inside.filter(|path| !path.is_empty()));
    }
    paths.dedup();
    paths.into_iter().take(NAMED).map(|path| Anchor { path: path.to_owned(), ..Anchor::default() }).collect()
}
