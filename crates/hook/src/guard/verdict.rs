//! Combines self-protection and the guards into one verdict on an event.

use std::cell::RefCell;

use stead_client::{Powers, WarnBy, first};
use stead_guard::{Asked, CompiledView, Excuse, Guard, Hit, Judgement, Mode, SourceTrust, Then, rewritten};
use stead_model::{Capped, Event, EventKind, Level, Verdict};
use stead_store::Room;

use super::cache::GuardText;
use super::consent::ProgramConsent;
use super::deferred::{Late, owed};
use super::describe::kept;
use super::hit::{Did, HitLine};
use super::verdict_id::verdict_id;
use super::world_facts::WorldFacts;
use super::{news, stop_count};
use crate::intent;
use crate::record;
use crate::request::Request;

/// The name of self-protection in the log; it has no mode.
const SELF_PROTECTION: &str = stead_guard::protection::GATE;

/// The maximum length of one text in the log, in bytes.
const BYTES: usize = 400;

/// The hits of gates and guards, for the session log.
#[derive(Debug, Default)]
pub(crate) struct GuardReport {
    /// The verdict's id.
    pub(crate) id: Option<String>,
    pub(crate) hits: Vec<HitLine>,
    /// Earlier verdicts whose warnings the agent reads with this reply.
    pub(crate) delivered: Vec<String>,
    /// What those were about.
    pub(crate) late: Vec<Late>,
    /// The features that hits are about.
    pub(crate) features: Vec<String>,
}

impl GuardReport {
    /// Returns true if there is nothing to record.
    pub(crate) fn is_silent(&self) -> bool {
        self.hits.is_empty() && self.delivered.is_empty()
    }
}

/// Evaluates the guards after self-protection, and gives the verdict an id.
pub(crate) fn judge(request: &Request<'_>, said: Verdict) -> (Verdict, GuardReport) {
    let mut report = GuardReport::default();
    let Request { event, policy, .. } = *request;
    if said.level > Level::Allow {
        let hit = HitLine {
            guard: said.reasons.first().map_or(SELF_PROTECTION, |reason| reason.gate).to_owned(),
            would: said.level.name().to_owned(),
            did: Did::Denied,
            say: kept(&said.reason_text(), BYTES),
            ..HitLine::default()
        };
        report.hits.push(hit);
        return (named(said, event, &mut report), report);
    }
    let mut said = said;
    if let Some(objection) = intent::judge(request) {
        said = said.and(objection.verdict(request.powers()));
        report.hits.push(objection.hit(request.powers()));
    }
    // A marker that cannot be read stops recording, not judging.
    let Some(root) = request.location.root().filter(|_| policy.gates("gate.guards")) else {
        if intent::notice_waits(request) {
            said = said.and(deferred_warnings(request, &mut report));
        }
        return (named(said, event, &mut report), report);
    };
    let text = GuardText::load(root, policy, request.env, &|folder, sum| request.has_seen(folder, sum));
    let Some(view) = text.view() else {
        return (named(said.and(broken(event)), event, &mut report), report);
    };
    if let Some(why) = text.unreadable().filter(|_| event.kind.is_gated()) {
        let text = format!("the guards are not known: {why}; a person has to make the folder readable");
        said = said.and(Verdict::deny(stead_guard::GATE, text));
        return (named(said, event, &mut report), report);
    }
    if event.kind == EventKind::SessionStart {
        said = said.and(problems(&view)).and(not_enabled(request, &view));
    }
    let stops_alike = request.harness.client().facts.stops_alike && view.concerns(EventKind::SubagentStop);
    let sub_agent_stop = stop_count::as_sub_agent_stop(request, stops_alike);
    let sub_agent_stop = sub_agent_stop.as_ref().map(|stop| request.with_event(stop));
    let judged = sub_agent_stop.as_ref().unwrap_or(request);
    if view.concerns(judged.event.kind) {
        said = said.and(ask(judged, &view, &mut report));
    }
    // A guard that warned may have been promoted since; the turn is still summarised.
    let may_warn = text.may_warn() || intent::may_warn(policy);
    if may_warn || event.kind == EventKind::Stop || intent::notice_waits(request) {
        said = said.and(deferred_warnings(request, &mut report));
    }
    (named(said, event, &mut report), report)
}

/// Evaluates the guards for a request, and again for a rewritten call.
pub(super) fn judge_rewritten(request: &Request<'_>, view: &CompiledView<'_>, facts: &WorldFacts<'_>) -> Judgement {
    let judgement = judge_one(request, view, facts);
    match judgement.verdict.rewrite.as_deref().and_then(|input| rewritten(request.event, input)) {
        Some((moved, path)) => {
            let moved = request.with_event(&moved);
            join(judgement, judge_one(&moved, view, facts), moved.self_protection(), &path)
        }
        None => judgement,
    }
}

fn judge_one(request: &Request<'_>, view: &CompiledView<'_>, facts: &WorldFacts<'_>) -> Judgement {
    let home = (request.env)("HOME").map(|home| home.to_string_lossy().into_owned());
    let asked = Asked {
        event: request.event,
        harness: request.harness.name(),
        root: &request.work().to_string_lossy(),
        home: home.as_deref(),
        can_rewrite: request.powers().rewrite,
        hides_typing: request.harness.client().facts.hides_typing,
        effects: request,
    };
    let (without, with) = facts.for_each_role(|| stead_guard::judge(view, &asked, facts));
    match with {
        Some(with) => narrow(without, with),
        None => without,
    }
}

/// Adds what applies to a role that the agent claims. It permits nothing: grants and rewrites of that role do not count.
fn narrow(mut here: Judgement, there: Judgement) -> Judgement {
    let is_known = |hit: &Hit| here.hits.iter().any(|known| known.guard == hit.guard);
    let new: Vec<Hit> = there.hits.into_iter().filter(|hit| !is_known(hit)).collect();
    if new.is_empty() {
        return here;
    }
    let Verdict { level, mut reasons, context, .. } = there.verdict;
    reasons.retain(|reason| !here.verdict.reasons.contains(reason));
    let objection = Verdict { level, reasons, context, ..Verdict::allow() };
    here.grant &= objection.level == Level::Allow;
    here.verdict = here.verdict.and(objection);
    here.notes.extend(there.notes.into_iter().filter(|note| !here.notes.contains(note)).collect::<Vec<_>>());
    here.hits.extend(new);
    here
}

/// Combines the results for a call and for the rewritten call.
fn join(mut here: Judgement, there: Judgement, own: Verdict, path: &str) -> Judgement {
    let said = Verdict { rewrite: None, ..own.and(there.verdict) };
    let is_new = |hit: &Hit| hit.would != Then::Rewrite && !here.hits.iter().any(|known| known.guard == hit.guard);
    let (new, notes): (Vec<Hit>, Vec<String>) = (
        there.hits.into_iter().filter(is_new).collect(),
        there.notes.into_iter().filter(|note| !here.notes.contains(note)).collect(),
    );
    here.hits.extend(new);
    here.notes.extend(notes);
    if said.level > Level::Warn {
        here.hits.iter_mut().filter(|hit| hit.would == Then::Rewrite).for_each(|hit| hit.overruled = true);
        let redirected = Verdict::deny(stead_guard::GATE, format!("a guard would redirect it to {path}, and there:"));
        here.verdict = Verdict { level: said.level, ..redirected }.and(Verdict { context: Vec::new(), ..said });
    }
    here
}

/// The verdict of the guards on one event.
fn ask(request: &Request<'_>, view: &CompiledView<'_>, report: &mut GuardReport) -> Verdict {
    let event = request.event;
    let mut facts = WorldFacts::new(request);
    facts.excused = Some(RefCell::default());
    let Judgement { mut verdict, mut hits, notes, grant } = judge_rewritten(request, view, &facts);
    verdict = verdict.and(enforce_constraints(request, &mut hits));
    let is_stop = matches!(event.kind, EventKind::Stop | EventKind::SubagentStop);
    let powers = request.powers();
    if is_stop && verdict.level == Level::Deny {
        let holding: Vec<&str> =
            hits.iter().filter(|hit| hit.level == Level::Deny).map(|hit| hit.guard.as_str()).collect();
        if !powers.deny || !(request.is_by_doctor() || stop_count::count(&facts, &holding)) {
            verdict = Verdict { context: verdict.context, ..Verdict::allow() };
        }
    }
    let held = verdict.level == Level::Deny;
    report.features.extend(hits.iter().filter(|hit| hit.acted()).filter_map(|hit| hit.feature.clone()));
    report.hits.extend(hits.iter().map(|hit| line(hit, event, powers, is_stop && held)));
    report.hits.extend(facts.overridden().into_iter().map(|(guard, part)| HitLine {
        guard,
        part,
        mode: Mode::Enforce.name().to_owned(),
        would: Level::Deny.name().to_owned(),
        did: Did::Overridden,
        ..HitLine::default()
    }));
    verdict.grant = grant;
    if verdict.level == Level::Ask && !powers.ask && powers.deny {
        let why = "this client cannot ask the person, so it is denied; stop and ask them, they can permit it with \
                   `stead allow` and this id";
        verdict = verdict.and(Verdict::ask(stead_guard::GATE, why));
    }
    // The person is told at once, even if the agent reads it later.
    let is_told = !notes.is_empty() && !is_stop;
    verdict
        .notices
        .extend(notes.iter().filter(|_| is_told).map(|note| Capped::new(format!("Stead warns: {}", first(note)))));
    if powers.context {
        verdict.context.extend(notes.iter().map(Capped::new));
    } else if is_stop && powers.warn == WarnBy::Notice && !notes.is_empty() && verdict.level == Level::Allow {
        verdict = verdict.and(Verdict::warn(stead_guard::GATE, notes.join("\n")));
    }
    verdict
}

/// Enforces the guards that the selected intent names as constraints, whatever their mode.
fn enforce_constraints(request: &Request<'_>, hits: &mut [Hit]) -> Verdict {
    let mut verdict = Verdict::allow();
    let is_lenient = |hit: &Hit| hit.mode < Mode::Enforce && matches!(hit.would, Then::Deny | Then::Ask);
    let Some((id, named)) = hits.iter().any(is_lenient).then(|| intent::constraints(request)).flatten() else {
        return verdict;
    };
    for hit in hits.iter_mut().filter(|hit| is_lenient(hit) && named.contains(&hit.guard)) {
        (hit.mode, hit.level) = (Mode::Enforce, hit.would.level());
        let text = format!("`{}`, a constraint of intent {id}: {}", hit.guard, hit.say);
        let denial = Verdict::deny(stead_guard::GATE, text);
        verdict = verdict.and(Verdict { level: hit.level, ..denial });
    }
    verdict
}

/// Deferred warnings, and at the end of a turn what guards did in it.
fn deferred_warnings(request: &Request<'_>, report: &mut GuardReport) -> Verdict {
    let mut said = Verdict::allow();
    for owed in owed(request) {
        said = said.and(Verdict::inform(format!("{} [{}]", owed.text, owed.id)));
        report.delivered.push(owed.id);
        report.late.extend(owed.late);
    }
    if request.event.kind == EventKind::Stop
        && request.powers().warn == WarnBy::Notice
        && let Some(session) = request.event.session.as_deref()
        && let Some(news) = news::of_turn(request.indexes(), &request.room(Room::Guards), session, record::now_millis())
    {
        said = said.and(Verdict::warn(stead_guard::GATE, news));
    }
    said
}

/// Guards whose program is not enabled on this machine, for a starting session.
fn not_enabled(request: &Request<'_>, view: &CompiledView<'_>) -> Verdict {
    let missing = |guard: &Guard| {
        let exec = guard.exec.as_ref()?;
        let holds = ProgramConsent::holds(request.env, request.dir(), &guard.id, guard.origin, exec);
        (!holds && guard.trust < SourceTrust::Trusted).then(|| ProgramConsent::missing(&guard.id, exec))
    };
    let told: Vec<String> = view.guards().iter().filter_map(missing).collect();
    match told.is_empty() {
        true => Verdict::allow(),
        false => shown(format!("A guard of this project cannot run its program: {}.", told.join("; "))),
    }
}

/// Problems in guard files, for a starting session.
fn problems(view: &CompiledView<'_>) -> Verdict {
    let problems: Vec<&str> = view.problems().collect();
    match problems.first() {
        None => Verdict::allow(),
        Some(first) => {
            let more = match problems.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            shown(format!("A guard of this project is not applied: {first}{more}. `stead guard lint` shows details."))
        }
    }
}

/// Tells the agent, and the person.
fn shown(text: String) -> Verdict {
    Verdict::inform(&text).noticed(format!("Stead: {}", first(&text)))
}

/// The compiled guards cannot be read even right after compilation.
fn broken(event: &Event<'_>) -> Verdict {
    match event.kind.is_gated() {
        true => Verdict::deny(stead_guard::GATE, "the compiled guards could not be read; `stead doctor` shows details"),
        false => Verdict::allow(),
    }
}

/// Gives a verdict with hits its id, and appends it to the reason.
fn named(mut verdict: Verdict, event: &Event<'_>, report: &mut GuardReport) -> Verdict {
    if report.hits.is_empty() {
        return verdict;
    }
    let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
    let id = verdict_id(nanos, std::process::id(), event.session.as_deref().unwrap_or_default());
    // At a stop the reason is the agent's next prompt; it has the id as well, because it can be appealed.
    if let Some(last) = verdict.reasons.last_mut() {
        last.text = Capped::new(format!("{} [{id}]", last.text.as_str()));
    } else if let Some(last) = verdict.context.last_mut().filter(|_| report.hits.iter().any(|hit| hit.did == Did::Told))
    {
        *last = Capped::new(format!("{} [{id}]", last.as_str()));
    }
    // Some windows show the first line only.
    if let Some(start) = verdict.reasons.first_mut() {
        let (line, rest) = start.text.as_str().split_at(first(start.text.as_str()).len());
        if !line.ends_with(&format!("[{id}]")) {
            start.text = Capped::new(format!("{line} [{id}]{rest}"));
        }
    } else if let Some(last) = verdict.notices.last_mut() {
        *last = Capped::new(format!("{} [{id}]", last.as_str()));
    }
    report.id = Some(id);
    verdict
}

fn line(hit: &Hit, event: &Event<'_>, powers: Powers, held: bool) -> HitLine {
    let tells = hit.level == Level::Warn || (hit.acted() && hit.would == Then::Inject);
    let did = match hit.level {
        _ if !hit.acted() => Did::Recorded,
        _ if tells && powers.context => Did::Told,
        _ if tells => Did::Owed,
        Level::Deny if hit.would == Then::Continue && held => Did::Held,
        Level::Deny if hit.would == Then::Continue => Did::Recorded,
        Level::Ask if powers.ask => Did::Asked,
        Level::Deny | Level::Ask => Did::Denied,
        _ if hit.would == Then::Rewrite => Did::Rewritten,
        _ if hit.would == Then::Allow => Did::Allowed,
        _ => Did::Recorded,
    };
    let owed = if did == Did::Owed { format!("`{}`: {}", hit.guard, hit.say) } else { hit.say.clone() };
    let part = if hit.part.is_empty() { &hit.because } else { &hit.part };
    HitLine {
        guard: hit.guard.clone(),
        mode: hit.mode.name().to_owned(),
        version: hit.version.clone(),
        would: hit.would.name().to_owned(),
        did,
        part: kept(part, BYTES),
        say: kept(&owed, BYTES * 4),
        about: about(&hit.guard, event, &hit.excuse()),
    }
}

/// The hash of a guard and its subject: a file, or a feature in it, else a command, else the whole call.
pub(super) fn about(guard: &str, event: &Event<'_>, what: &Excuse<'_>) -> String {
    let whole = || event.call.as_ref().map_or("", |call| call.input.as_ref());
    let (kind, subject) = match (what.path, what.command) {
        (Some(path), _) => ("path", path),
        (None, Some(command)) => ("command", command),
        (None, None) => ("call", whole()),
    };
    let feature = what.feature.map(|feature| format!("\u{1}{feature}")).unwrap_or_default();
    let text = format!("{guard}\u{1}{kind}\u{1}{subject}{feature}");
    format!("{:016x}", crate::policy::hash(text.as_bytes()))
}
