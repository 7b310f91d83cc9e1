//! One event before all gates: self-protection has spoken, now the guards, and all of it becomes one verdict.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use stead_client::{Harness, Powers, WarnBy};
use stead_gate::{Place, Policy, effects};
use stead_guard::{Asked, CompiledView, Excuse, Hit, Judgement, Mode, Then, judge, rewritten};
use stead_model::{Capped, Event, EventKind, Level, Verdict, redact};
use stead_store::Room;

use super::cache::GuardText;
use super::facts::WorldFacts;
use super::hand_over::{owed, takes_text};
use super::hit::{Did, HitLine};
use super::override_::Override;
use super::summary::{cut, effects_in_words};
use super::verdict_id::verdict_id;
use super::{hold, news};
use crate::fact::FileFacts;
use crate::policy::PolicyText;
use crate::record;
use crate::standing::{DOCTOR, Env, Standing};

/// The name under which self-protection stands in the log; it has no mode.
const SELF_PROTECTION: &str = stead_gate::GATE;

/// At most so many bytes of one text go into the log.
const BYTES: usize = 400;

/// Everything that gates and guards said, and what of it is written down.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) id: Option<String>,
    pub(crate) hits: Vec<HitLine>,
    pub(crate) effects: Vec<String>,
    /// Verdicts whose words are handed over only now.
    pub(crate) told: Vec<String>,
}

impl Judged {
    /// Says whether there is nothing that must be written down.
    pub(crate) fn is_silent(&self) -> bool {
        self.hits.is_empty() && self.told.is_empty()
    }
}

/// Where an event happens, for all that guards need.
pub(crate) struct Scene<'a> {
    pub(crate) harness: Harness,
    pub(crate) standing: &'a Standing,
    pub(crate) policy: &'a PolicyText,
    pub(crate) env: &'a Env,
    pub(crate) root: &'a Path,
    pub(crate) indexes: PathBuf,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        harness: Harness,
        standing: &'a Standing,
        policy: &'a PolicyText,
        env: &'a Env,
        root: &'a Path,
    ) -> Self {
        Self { harness, standing, policy, env, root, indexes: policy.indexes(root) }
    }

    pub(crate) fn place(&self) -> Place<'_> {
        Place { root: Some(self.root), tree: self.standing.found.tree(), cwd: &self.standing.cwd, env: self.env }
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.indexes.join("sessions.jsonl")
    }

    pub(crate) fn facts<'b>(&'b self, event: &'b Event<'b>) -> WorldFacts<'b> {
        let features = self.policy.room(self.root, Room::Features);
        WorldFacts::new(self.harness, event, [self.root, self.standing.found.work()], &self.indexes, features)
    }

    /// What the call would do.
    pub(crate) fn effects(&self, event: &Event<'_>) -> stead_model::Effects {
        let facts = FileFacts::new(self.indexes.clone(), self.harness, event);
        event.call.as_ref().map(|call| effects(call, &self.place(), &facts)).unwrap_or_default()
    }

    /// Asks the guards.
    pub(crate) fn judge(&self, view: &CompiledView<'_>, event: &Event<'_>, facts: &WorldFacts<'_>) -> Judgement {
        let powers = powers(self.harness, &event.native);
        let root = self.standing.found.work().to_string_lossy();
        let home = (self.env)("HOME").map(|home| home.to_string_lossy().into_owned());
        let asked = Asked {
            event,
            harness: self.harness.name(),
            root: &root,
            home: home.as_deref(),
            can_rewrite: powers.rewrite,
            effects: &|| self.effects(event),
        };
        let judgement = judge(view, &asked, facts);
        match judgement.verdict.rewrite.as_deref().and_then(|input| rewritten(event, input)) {
            Some((moved, path)) => {
                let asked = Asked { event: &moved, effects: &|| self.effects(&moved), ..asked };
                self.judge_moved(judge(view, &asked, facts), &moved, &path, judgement)
            }
            None => judgement,
        }
    }

    /// A call that a guard changed is another call: self-protection and the guards speak about it, too.
    fn judge_moved(&self, there: Judgement, moved: &Event<'_>, path: &str, mut here: Judgement) -> Judgement {
        let own = match self.policy.gates("gate.self_protection") {
            true => {
                let facts = FileFacts::new(self.indexes.clone(), self.harness, moved);
                stead_gate::judge(&Policy::parse(&self.policy.text), moved, &self.place(), &facts)
            }
            false => Verdict::allow(),
        };
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
            let told = Verdict::deny(stead_guard::GATE, format!("a guard would send it to {path}, and there:"));
            here.verdict = Verdict { level: said.level, ..told }.and(Verdict { context: Vec::new(), ..said });
        }
        here
    }
}

fn powers(harness: Harness, native: &str) -> Powers {
    harness.doorway().event(native).map_or(Powers::NONE, |fact| fact.powers)
}

/// Lets the guards speak after self-protection has, and names what was said.
pub(crate) fn attend(
    harness: Harness,
    event: &Event<'_>,
    standing: &Standing,
    policy: &PolicyText,
    env: &Env,
    said: Verdict,
) -> (Verdict, Judged) {
    let mut judged = Judged::default();
    if said.level > Level::Allow {
        let hit = HitLine {
            guard: SELF_PROTECTION.to_owned(),
            would: said.level.name().to_owned(),
            did: Did::Denied,
            say: cut(&redact(&said.reason_text()), BYTES),
            ..HitLine::default()
        };
        judged.hits.push(hit);
        return (named(said, event, &mut judged), judged);
    }
    let Some(root) = standing.root().filter(|_| policy.gates("gate.guards")) else { return (said, judged) };
    if policy.value("note", "marker").is_some() {
        return (said, judged);
    }
    let text = GuardText::load(root, policy);
    let Some(view) = text.view() else {
        return (said.and(broken(event)), judged);
    };
    let scene = Scene::new(harness, standing, policy, env, root);
    let mut said = said;
    if event.kind == EventKind::SessionStart {
        said = said.and(problems(&view));
    }
    let alike = harness.doorway().facts.stops_alike;
    let told = hold::as_told(event, alike && view.concerns(EventKind::SubagentStop), &scene.log());
    let heard = told.as_ref().unwrap_or(event);
    if view.concerns(heard.kind) {
        said = said.and(ask(&scene, &view, heard, &mut judged));
    }
    if text.may_warn() {
        said = said.and(late_words(&scene, event, &mut judged));
    }
    if !judged.hits.is_empty() {
        judged.effects = effects_in_words(&scene.effects(event));
    }
    (named(said, event, &mut judged), judged)
}

/// What the guards say about one event.
fn ask(scene: &Scene<'_>, view: &CompiledView<'_>, event: &Event<'_>, judged: &mut Judged) -> Verdict {
    let mut facts = scene.facts(event);
    facts.excused = Some(RefCell::default());
    let Judgement { mut verdict, hits, notes, grant } = scene.judge(view, event, &facts);
    let is_stop = matches!(event.kind, EventKind::Stop | EventKind::SubagentStop);
    let powers = powers(scene.harness, &event.native);
    if is_stop && verdict.level == Level::Deny {
        let holding: Vec<&str> =
            hits.iter().filter(|hit| hit.level == Level::Deny).map(|hit| hit.guard.as_str()).collect();
        if !powers.deny || !(scene.env.is_doctor() || hold::count(&facts, &holding)) {
            verdict = Verdict { context: verdict.context, ..Verdict::allow() };
        }
    }
    let held = verdict.level == Level::Deny;
    let at_once = takes_text(scene.harness, &event.native);
    judged.hits.extend(hits.iter().map(|hit| line(hit, event, powers, is_stop && held)));
    judged.hits.extend(facts.overridden().into_iter().map(|(guard, part)| HitLine {
        guard,
        part,
        mode: Mode::Enforce.name().to_owned(),
        would: Level::Deny.name().to_owned(),
        did: Did::Overridden,
        ..HitLine::default()
    }));
    verdict.grant = grant;
    if verdict.level == Level::Ask && !powers.ask && powers.deny {
        let why = "this client cannot put it to the person, so it is denied";
        verdict = verdict.and(Verdict::ask(stead_guard::GATE, why));
    }
    if at_once {
        verdict.context.extend(notes.iter().map(Capped::new));
    } else if is_stop && powers.warn == WarnBy::Notice && !notes.is_empty() && verdict.level == Level::Allow {
        verdict = verdict.and(Verdict::warn(stead_guard::GATE, notes.join("\n")));
    }
    verdict
}

/// What an agent could not be told before, and at a turn's end what only the log knows.
fn late_words(scene: &Scene<'_>, event: &Event<'_>, judged: &mut Judged) -> Verdict {
    let mut said = Verdict::allow();
    for owed in owed(scene.harness, event, &scene.log()) {
        said = said.and(Verdict::inform(format!("{} [{}]", owed.text, owed.id)));
        judged.told.push(owed.id);
    }
    let by_notice = powers(scene.harness, &event.native).warn == WarnBy::Notice;
    if event.kind == EventKind::Stop
        && by_notice
        && let Some(session) = event.session.as_deref()
        && let Some(news) = news::of_turn(&scene.indexes, session)
    {
        said = said.and(Verdict::warn(stead_guard::GATE, news));
    }
    said
}

/// What is wrong with guard files, for an arriving session.
fn problems(view: &CompiledView<'_>) -> Verdict {
    let problems: Vec<&str> = view.problems().collect();
    match problems.first() {
        None => Verdict::allow(),
        Some(first) => {
            let more = match problems.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            Verdict::inform(format!(
                "A guard of this project is not applied: {first}{more}. `stead guard lint` says more."
            ))
        }
    }
}

/// The compiled guards cannot be read even right after compilation.
fn broken(event: &Event<'_>) -> Verdict {
    match event.kind.is_gated() {
        true => Verdict::deny(stead_guard::GATE, "the compiled guards could not be read; `stead doctor` says more"),
        false => Verdict::allow(),
    }
}

/// Gives a verdict that says something its name, and lets the reason end with it.
fn named(mut verdict: Verdict, event: &Event<'_>, judged: &mut Judged) -> Verdict {
    if judged.hits.is_empty() {
        return verdict;
    }
    let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
    let id = verdict_id(nanos, std::process::id(), event.session.as_deref().unwrap_or_default());
    // At a stop the reason is the agent's next prompt; it is named there as well, because it can be appealed against.
    if let Some(last) = verdict.reasons.last_mut() {
        last.text = Capped::new(format!("{} [{id}]", last.text.as_str()));
    } else if let Some(last) = verdict.context.last_mut().filter(|_| judged.hits.iter().any(|hit| hit.did == Did::Told))
    {
        *last = Capped::new(format!("{} [{id}]", last.as_str()));
    }
    judged.id = Some(id);
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
        part: cut(&redact(part), BYTES),
        say: cut(&redact(&owed), BYTES * 4),
        about: about(&hit.guard, event, &hit.excuse()),
    }
}

/// The mark of a guard and what it is about: a file, or a feature in it, else a command, else the whole call.
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

/// The overrides that hold now, by the marks they are about.
pub(super) fn in_force(indexes: &Path) -> Vec<Override> {
    Override::in_force(indexes, record::now_millis())
}

/// A call of `stead doctor` leaves nothing behind.
trait Calls {
    fn is_doctor(&self) -> bool;
}

impl Calls for Env {
    fn is_doctor(&self) -> bool {
        self(DOCTOR).is_some()
    }
}
