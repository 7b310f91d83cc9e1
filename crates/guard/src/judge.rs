//! Evaluates every guard that may match an event, and combines the results.

use std::cell::OnceCell;

use stead_model::{Capped, Detail, EventKind, Level, Reason, Verdict};

use crate::asked::{Asked, Inquiry};
use crate::concern;
use crate::exec::{ExecAnswer, ExecCall};
use crate::expression;
use crate::grant;
use crate::guard::{Guard, OnError};
use crate::guard_facts::{Excuse, GuardFacts};
use crate::judgement::{Hit, Judgement};
use crate::mode::Mode;
use crate::prefilter::{self, Need, Outline};
use crate::rewritten_call;
use crate::say::{because, words};
use crate::scope::{exec_input, scope};
use crate::subject::Subject;
use crate::then::Then;
use crate::view::{CompiledView, Entry};

/// The gate's name in reasons.
pub const GATE: &str = "guard";

/// The id under which an edit with an unknown result is denied, instead of the id of the guard that checks the file,
/// because the edit may not violate that guard.
const UNREADABLE_EDIT: &str = "unreadable-edit";

/// The id under which a program is refused that takes commands from a terminal, because no guard sees them.
const TYPED_INPUT: &str = "typed-input";

/// How many guards are named then.
const SHOWN: usize = 3;

/// Judges an event by the guards that apply.
pub fn judge(view: &CompiledView<'_>, asked: &Asked<'_>, facts: &dyn GuardFacts) -> Judgement {
    if !view.concerns(asked.event.kind) {
        return Judgement::silent();
    }
    let inquiry = Inquiry::new(asked, facts);
    let outline = OnceCell::new();
    let mut sum = Sum::default();
    for entry in view.on(asked.event.kind) {
        let (early, fits) = could_match(&inquiry, &entry, &outline);
        // A call that was not read completely may have effects that are not in the outline.
        if !(fits || early && inquiry.gave_up()) {
            continue;
        }
        match serde_json::from_str::<Guard>(&entry.body()) {
            Ok(guard) => sum.add(&inquiry, &guard),
            Err(_) => sum.unread(asked.event.kind, entry.id),
        }
    }
    if let Some(part) = inquiry.typed() {
        sum.typed(&inquiry, view, part);
    }
    sum.judgement()
}

/// Judges by one guard alone, as if it were enforced.
pub(crate) fn would_act(guard: &Guard, asked: &Asked<'_>, facts: &dyn GuardFacts) -> Option<Hit> {
    enforced_hit(&Guard { mode: Mode::Enforce, ..guard.clone() }, asked, facts)
}

/// Judges by one enforced guard alone.
pub(crate) fn enforced_hit(guard: &Guard, asked: &Asked<'_>, facts: &dyn GuardFacts) -> Option<Hit> {
    let inquiry = Inquiry::new(asked, facts);
    let outcome = ask(&inquiry, guard).filter(|_| !has_held_enough(&inquiry, guard));
    outcome.map(|outcome| outcome.hit)
}

/// Returns true if a guard could match before the effects are known, and with them.
fn could_match<'i>(inquiry: &'i Inquiry<'_>, entry: &Entry<'_>, outline: &OnceCell<Outline<'i>>) -> (bool, bool) {
    let has = |need: Need<'_>| match need {
        Need::Tool(names) => inquiry
            .asked
            .event
            .call
            .as_ref()
            .is_some_and(|call| names.iter().any(|name| crate::pattern::meets(name, &call.tool))),
        Need::Exists(paths) => paths.iter().any(|path| inquiry.exists(path)),
    };
    let early = entry.needs.is_empty() || prefilter::needs(entry.needs).all(has);
    let outline = || outline.get_or_init(|| Outline::of(&inquiry.effects().list));
    (early, early && (entry.atoms.is_empty() || outline().has(entry.atoms)))
}

/// The result of one guard.
struct Outcome {
    hit: Hit,
    act: Act,
}

enum Act {
    /// Recorded only.
    Nothing,
    Note(String),
    Verdict(Verdict),
    Grant,
}

fn ask(inquiry: &Inquiry<'_>, guard: &Guard) -> Option<Outcome> {
    if guard.then == Then::Continue && is_waiting(inquiry) {
        return None;
    }
    let error = match find(inquiry, guard) {
        Ok(Some(subjects)) => return Some(act(inquiry, guard, &subjects, None)),
        Ok(None) if !inquiry.gave_up() => return None,
        Ok(None) => match concern::unreadable(inquiry, guard) {
            Ok(told) => told?,
            Err(error) => error,
        },
        Err(error) => error,
    };
    if is_stopping(guard) && inquiry.facts.is_excused(&guard.id, &Excuse::default()) {
        return None;
    }
    Some(act(inquiry, guard, &[], Some(error)))
}

/// Overrides are looked up only if something would be blocked, because they are in a file.
fn is_stopping(guard: &Guard) -> bool {
    guard.mode == Mode::Enforce && matches!(guard.then, Then::Deny | Then::Ask | Then::Rewrite)
}

/// Sub-agents are still running: the client continues by itself.
fn is_waiting(inquiry: &Inquiry<'_>) -> bool {
    matches!(inquiry.asked.event.detail, Detail::Stop { waiting, .. } if waiting > 0)
}

/// What the guard matches, after `unless`, `when` and its program.
fn find(inquiry: &Inquiry<'_>, guard: &Guard) -> Result<Option<Vec<Subject>>, String> {
    let Some(subjects) = inquiry.matches(&guard.matches)? else { return Ok(None) };
    let mut left = Vec::new();
    for subject in subjects {
        if !guard.unless.is_empty() && inquiry.condition(&guard.unless, Some(&subject))?.is_some() {
            continue;
        }
        if let Some(when) = &guard.when
            && !expression::holds(when, &scope(inquiry, &subject))?
        {
            continue;
        }
        if let Some(to) = &guard.to
            && (rewritten_call::is_there(to, &subject) || !rewritten_call::brings_a_file(inquiry, &subject))
        {
            continue;
        }
        left.push(subject);
    }
    if is_stopping(guard) {
        left.retain(|found| !inquiry.facts.is_excused(&guard.id, &found.excuse()));
    }
    if left.is_empty() || (guard.then == Then::Allow && !grant::is_whole(inquiry, guard, &left)) {
        return Ok(None);
    }
    if let Some(exec) = &guard.exec {
        let input = exec_input(inquiry, guard, &left);
        let call = ExecCall { guard: &guard.id, origin: guard.origin, trust: guard.trust, exec, input };
        match inquiry.facts.run(&call)? {
            ExecAnswer::Abstain => return Ok(None),
            ExecAnswer::Deny { reason } if !reason.trim().is_empty() => left[0].because = reason,
            ExecAnswer::Deny { .. } => {}
        }
    }
    if guard.then == Then::Continue {
        inquiry.facts.holds(&guard.id)?;
    }
    Ok(Some(left))
}

/// How often one guard blocks the stop of one agent by default.
pub(crate) const DEFAULT_HOLDS: u64 = 3;

/// Returns true if the guard has reached its limit for this agent. Its hit is still recorded.
fn has_held_enough(inquiry: &Inquiry<'_>, guard: &Guard) -> bool {
    let most = guard.at_most.unwrap_or(DEFAULT_HOLDS);
    guard.then == Then::Continue && inquiry.facts.holds(&guard.id).is_ok_and(|held| held >= most)
}

fn act(inquiry: &Inquiry<'_>, guard: &Guard, subjects: &[Subject], error: Option<String>) -> Outcome {
    let first = subjects.first().cloned().unwrap_or_default();
    let broken = error.is_some();
    let say = words(inquiry, guard, &first, error.as_deref());
    let mut hit = Hit {
        guard: guard.id.clone(),
        file: guard.file.clone(),
        version: guard.version.clone(),
        mode: guard.mode,
        would: guard.then,
        level: Level::Allow,
        part: first.part.clone(),
        because: because(subjects, error.as_deref()),
        path: first.path.clone(),
        command: first.command.clone(),
        feature: first.feature.clone(),
        say: say.clone(),
        error,
        overruled: false,
    };
    // A failing guard blocks only what it would have blocked otherwise, and never prevents an agent from stopping.
    let passes =
        broken && (guard.on_error == OnError::Open || !matches!(guard.then, Then::Deny | Then::Ask | Then::Rewrite));
    if guard.mode <= Mode::Shadow || passes || has_held_enough(inquiry, guard) {
        return Outcome { hit, act: Act::Nothing };
    }
    let name = if first.unknown && !broken { UNREADABLE_EDIT } else { &guard.id };
    let text = format!("`{name}`: {say}");
    if guard.mode == Mode::Warn || guard.then == Then::Warn {
        hit.level = Level::Warn;
        return Outcome { hit, act: Act::Note(text) };
    }
    let objection = |level| Verdict { level, reasons: vec![reason(&text)], ..Verdict::allow() };
    let verdict = match guard.then {
        Then::Deny | Then::Continue => objection(Level::Deny),
        Then::Ask => objection(Level::Ask),
        Then::Rewrite if broken => objection(Level::Deny),
        Then::Rewrite => rewritten_call::verdict(inquiry, guard, &first, &text),
        Then::Inject => Verdict::inform(&text),
        Then::Allow => {
            hit.level = Level::Allow;
            return Outcome { hit, act: Act::Grant };
        }
        Then::Warn => Verdict::allow(),
    };
    hit.level = verdict.level;
    Outcome { hit, act: Act::Verdict(verdict) }
}

pub(crate) fn reason(text: &str) -> Reason {
    Reason { gate: GATE, text: Capped::new(text) }
}

/// The combined result so far.
#[derive(Default)]
struct Sum {
    hits: Vec<Hit>,
    notes: Vec<String>,
    verdicts: Vec<(String, Verdict)>,
    grants: Vec<String>,
}

impl Sum {
    fn add(&mut self, inquiry: &Inquiry<'_>, guard: &Guard) {
        let Some(outcome) = ask(inquiry, guard) else { return };
        match outcome.act {
            Act::Nothing => {}
            Act::Note(text) if self.notes.contains(&text) => {}
            Act::Note(text) => self.notes.push(text),
            // Several guards of one file report the same unreadable edit.
            Act::Verdict(verdict) if self.verdicts.iter().any(|(_, known)| *known == verdict) => {}
            Act::Verdict(verdict) => self.verdicts.push((guard.id.clone(), verdict)),
            Act::Grant => self.grants.push(guard.id.clone()),
        }
        self.hits.push(outcome.hit);
    }

    /// A body that cannot be read: the compiled file is corrupt, so the guard's result is unknown.
    fn unread(&mut self, kind: EventKind, id: &str) {
        if kind.is_gated() {
            let text = format!("`{id}`: its compiled form is corrupt; delete .agent/cache and try again");
            self.verdicts.push((
                id.to_owned(),
                Verdict { reasons: vec![reason(&text)], level: Level::Deny, ..Verdict::allow() },
            ));
        }
    }

    /// What is typed later could be what an enforced guard is there for, and no guard will see it.
    fn typed(&mut self, inquiry: &Inquiry<'_>, view: &CompiledView<'_>, part: &str) {
        let guards =
            view.on(inquiry.asked.event.kind).filter_map(|entry| serde_json::from_str::<Guard>(&entry.body()).ok());
        let blind: Vec<String> =
            guards.filter(concern::judges_effects).map(|guard| format!("`{}`", guard.id)).collect();
        let excuse = Excuse { command: Some(part), ..Excuse::default() };
        if blind.is_empty() || inquiry.facts.is_excused(TYPED_INPUT, &excuse) {
            return;
        }
        let (then, level) = match inquiry.asked.hides_typing {
            true => (Then::Deny, Level::Deny),
            false => (Then::Ask, Level::Ask),
        };
        let shown = blind.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        let more = blind.len().saturating_sub(SHOWN);
        let guards = if more == 0 { shown } else { format!("{shown} and {more} more") };
        let say = format!(
            "what is typed into `{part}` later cannot be checked by {guards}. Run each command in a call of its own, or give \
             them as a text: a script, `-c`, a here-document."
        );
        self.hits.push(Hit {
            guard: TYPED_INPUT.to_owned(),
            file: String::new(),
            version: String::new(),
            mode: Mode::Enforce,
            would: then,
            level,
            part: part.to_owned(),
            because: String::new(),
            path: None,
            command: Some(part.to_owned()),
            feature: None,
            say: say.clone(),
            error: None,
            overruled: false,
        });
        let reasons = vec![reason(&format!("`{TYPED_INPUT}`: {say}"))];
        self.verdicts.push((TYPED_INPUT.to_owned(), Verdict { level, reasons, ..Verdict::allow() }));
    }

    fn judgement(mut self) -> Judgement {
        let strongest = self.verdicts.iter().map(|(_, verdict)| verdict.level).max().unwrap_or(Level::Allow);
        let objects = strongest > Level::Allow;
        let mut overruled: Vec<String> = Vec::new();
        let mut sum = Verdict::allow();
        let mut rewriter = None;
        // The strongest first; among equals by id, so that the order is always the same.
        let (first, rest): (Vec<_>, Vec<_>) =
            self.verdicts.into_iter().partition(|(_, verdict)| verdict.level == strongest);
        for (id, verdict) in first.into_iter().chain(rest) {
            if verdict.rewrite.is_some() {
                if objects || rewriter.is_some() {
                    // Its message would describe something that does not happen.
                    overruled.push(format!("`{id}` would rewrite"));
                    self.hits.iter_mut().filter(|hit| hit.guard == id).for_each(|hit| hit.overruled = true);
                    continue;
                }
                rewriter = Some(id);
            } else if objects && verdict.level > Level::Allow && verdict.level < strongest {
                overruled.push(format!("`{id}` would {}", verdict.level.name()));
            }
            sum = sum.and(verdict);
        }
        if objects {
            overruled.extend(self.grants.iter().map(|id| format!("`{id}` would allow")));
        }
        if !overruled.is_empty() {
            let told = overruled.join(", ");
            match rewriter {
                None if objects => sum.reasons.push(reason(&format!("{told}; the strongest applies"))),
                Some(first) => sum.context.push(Capped::new(format!("{told}, too; `{first}` comes first and applies"))),
                None => {}
            }
        }
        let grant = !self.grants.is_empty() && !objects;
        Judgement { verdict: sum, hits: self.hits, notes: self.notes, grant }
    }
}
