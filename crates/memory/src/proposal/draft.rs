use serde_json::Value;
use stead_guard::{DraftFile, ProjectRooms, Source, Trial, free_id, lint, test};
use stead_model::{Op, Severity};
use stead_store::redact;

use super::back_test::{BackTest, back_test};
use super::candidate::{Candidate, candidates, meant};
use super::example::{forms, mentions};
use crate::MemoryError;
use crate::history::{History, Reading};
use crate::pattern::{Incident, Marks, Pattern, PatternKind, Touch};

/// How many incidents and comparable calls become examples, and how many ids are listed.
const MUST: usize = 6;
const MUST_NOT: usize = 3;
const IDS: usize = 20;

/// The longest message of a drafted guard, in bytes.
const SAY: usize = 400;

/// What a guard is drafted from.
pub struct DraftRequest<'a> {
    pub history: &'a History,
    pub pattern: &'a Pattern,
    /// The calls of every incident.
    pub marks: &'a Marks,
    pub rooms: &'a ProjectRooms,
    /// All guard files.
    pub sources: &'a [Source],
    /// The ids of guards that exist.
    pub taken: &'a [String],
    /// How many allowed calls it may have stopped.
    pub limit: usize,
}

/// A guard that was drafted and tried.
#[derive(Clone, Debug)]
pub struct Draft {
    pub id: String,
    pub text: String,
    pub back_test: BackTest,
}

/// Drafts a guard that would have stopped every incident of a pattern and no more allowed calls than the limit.
pub fn draft_guard_of(request: &DraftRequest<'_>, progress: &mut dyn FnMut(Reading)) -> Result<Draft, MemoryError> {
    let DraftRequest { history, pattern, .. } = request;
    let refused = |why: String, hint: String| MemoryError::NotDrafted { id: pattern.id.clone(), why, hint };
    let by_hand = || "write one with `stead guard new`, or add a lesson with `stead lesson add`".to_owned();
    let tried: Vec<(Candidate, Trial)> = candidates(pattern)
        .into_iter()
        .filter_map(|candidate| {
            let text = file(request, &candidate, "trial", &[], &[]).text();
            let trial = Trial::of(&Source::project("trial.yaml", text), request.rooms).ok()?;
            Some((candidate, trial))
        })
        .collect();
    if tried.is_empty() {
        return Err(refused("its incidents have no effect in common that a guard could match".to_owned(), by_hand()));
    }
    let (found, trials): (Vec<Candidate>, Vec<Trial>) = tried.into_iter().unzip();
    let about = |touches: &[Touch]| resembles(pattern, touches);
    let tests = back_test(&trials, history, &pattern.incidents, request.marks, &about, progress)?;
    let mut least: Option<&BackTest> = None;
    for (candidate, result) in found.iter().zip(&tests.results) {
        if result.own_incidents < pattern.incidents.len() {
            continue;
        }
        if result.allowed_stopped > request.limit {
            least = least.filter(|least| least.allowed_stopped <= result.allowed_stopped).or(Some(result));
            continue;
        }
        if let Some((id, text)) = written(request, candidate, result, &tests.comparable) {
            return Ok(Draft { id, text, back_test: result.clone() });
        }
    }
    Err(match least {
        Some(result) => refused(
            format!(
                "it would have stopped {} allowed calls, more than the limit of {}; such as {}",
                result.allowed_stopped,
                request.limit,
                result.stopped.join("; ")
            ),
            format!(
                "`--limit {}` accepts that; or write a narrower one with `stead guard new`",
                result.allowed_stopped
            ),
        ),
        None => refused("no draft stops all of its own incidents".to_owned(), by_hand()),
    })
}

/// Returns true if a call does something to the same kind of thing.
fn resembles(pattern: &Pattern, touches: &[Touch]) -> bool {
    let program = |touch: &Touch| touch.keys().pop();
    let near = |a: &Touch, b: &Touch| match (a.place(), b.place()) {
        (Some(a), Some(b)) => {
            a.folders().last() == b.folders().last() || a.extension().is_some() && a.extension() == b.extension()
        }
        (None, None) => a.verb == b.verb && program(a) == program(b),
        _ => false,
    };
    let known = || pattern.incidents.iter().flat_map(|incident| &incident.touches);
    touches.iter().any(|touch| known().any(|own| near(own, touch)))
}

fn file(request: &DraftRequest<'_>, candidate: &Candidate, id: &str, must: &[Value], must_not: &[Value]) -> DraftFile {
    let pattern = request.pattern;
    let ids: Vec<&str> = pattern.evidence.iter().take(IDS).map(String::as_str).collect();
    DraftFile {
        id: id.to_owned(),
        comments: vec![
            format!("Drafted from pattern {}: {}.", pattern.id, pattern.summary),
            format!("Evidence: {}{}", ids.join(", "), if pattern.evidence.len() > IDS { ", …" } else { "" }),
        ],
        about: pattern.summary.clone(),
        matches: candidate.matches.clone(),
        say: say(pattern),
        must: must.to_vec(),
        must_not: must_not.to_vec(),
    }
}

/// What the agent is told: what people said was right, as far as they said it.
fn say(pattern: &Pattern) -> String {
    let last = |pick: fn(&Incident) -> &str| {
        pattern.incidents.iter().rev().map(pick).find(|text| !text.trim().is_empty()).map(str::trim)
    };
    let begin = match (pattern.kind, &pattern.guard) {
        (PatternKind::Route, Some(guard)) => format!("{guard} denies this, and so is every other way to do it"),
        _ => format!("people corrected this {} times", pattern.count),
    };
    let correct = last(|incident| &incident.text.what_was_correct);
    let why = last(|incident| &incident.text.why).map(|why| format!(" ({why})")).unwrap_or_default();
    let text = match correct {
        Some(correct) => format!("{begin}. The last time: \"{correct}\"{why}"),
        None => format!("{begin}{why}. Ask the person before you do it"),
    };
    let plain: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !"{}`".contains(*c)).collect();
    let plain = redact(&plain).into_owned();
    plain[..plain.floor_char_boundary(SAY)].to_owned()
}

/// The finished file: examples that hold, a free id, and what the back-test said. `None` if the file is not sound.
fn written(
    request: &DraftRequest<'_>,
    candidate: &Candidate,
    result: &BackTest,
    comparable: &[(Vec<Touch>, bool)],
) -> Option<(String, String)> {
    let DraftRequest { history, pattern, rooms, .. } = request;
    let role = candidate.matches.get("role").and_then(Value::as_str);
    let about = if pattern.verb == Some(candidate.verb) { pattern.about.as_str() } else { "" };
    let own: Vec<Vec<Value>> = pattern
        .incidents
        .iter()
        .map(|incident| {
            let touches = meant(incident, candidate.verb, about);
            touches.into_iter().flat_map(|touch| forms(touch, is_shell(incident), role, history)).collect()
        })
        .collect();
    let others: Vec<Value> = comparable
        .iter()
        .flat_map(|(touches, is_shell)| touches.iter().flat_map(|touch| forms(touch, *is_shell, role, history)))
        .chain(mentions(&candidate.matches))
        .collect();
    let holding = |must: Vec<Value>, must_not: Vec<Value>| -> Vec<Value> {
        let draft = file(request, candidate, "trial", &must, &must_not);
        let results = test(&Source::project("trial.yaml", draft.text()), rooms).unwrap_or_default();
        let examples = must.into_iter().chain(must_not);
        examples.zip(results).filter(|(_, result)| result.passed).map(|(example, _)| example).collect()
    };
    let mut must: Vec<Value> = Vec::new();
    for forms in own {
        let first = holding(forms, Vec::new()).into_iter().next();
        if let Some(form) = first.filter(|form| must.len() < MUST && !must.contains(form)) {
            must.push(form);
        }
    }
    let mut must_not: Vec<Value> = Vec::new();
    for form in holding(Vec::new(), others) {
        if must_not.len() < MUST_NOT && !must_not.contains(&form) {
            must_not.push(form);
        }
    }
    if must.is_empty() || must_not.is_empty() {
        return None;
    }
    let id = free_id(&candidate.title(), request.taken);
    let mut draft = file(request, candidate, &id, &must, &must_not);
    draft.comments.push(format!("Back-test: {}.", result.summary()));
    let text = draft.text();
    let source = Source::project(format!("{id}.yaml"), text.clone());
    let all: Vec<Source> = request.sources.iter().cloned().chain([source.clone()]).collect();
    let is_sound = lint(&source, &all, rooms).iter().all(|problem| problem.severity != Severity::Error);
    is_sound.then_some((id, text))
}

/// Returns true if the parts of a call's effects are commands.
fn is_shell(incident: &Incident) -> bool {
    let is_run = |op: &Op| matches!(op, Op::Run { .. });
    incident.effects.as_ref().is_some_and(|effects| effects.list.iter().any(|effect| is_run(&effect.op)))
}
