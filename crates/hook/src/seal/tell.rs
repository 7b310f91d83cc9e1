//! Tells the agent what was put back, and the person what waits for them.

use stead_model::Verdict;

use super::kind::Kind;
use super::project::SealedProject;
use super::tampering::{Outcome, Tampering};
use crate::intent::owe_text;
use crate::record;
use crate::request::Request;

/// The event of the line in the session log, if the agent has to be told later.
const EVENT: &str = "tampered";

/// How many changes are told at once.
const MOST: usize = 5;

/// Tells the agent of an event what a look found.
pub(super) fn tell(request: &Request<'_>, project: &SealedProject<'_>, found: &[Tampering]) -> Verdict {
    let is_agents = |change: &&Tampering| change.outcome != Outcome::TakenOver;
    let own: Vec<&Tampering> = found.iter().filter(is_agents).collect();
    let waits = if project_start(request) { project.pending() } else { Vec::new() };
    let more: Vec<&Tampering> = waits.iter().filter(|change| !found.iter().any(|one| one.id == change.id)).collect();
    let lines: Vec<String> = own.iter().chain(&more).take(MOST).map(|change| sentence(change)).collect();
    let taken = found.iter().filter(|change| change.outcome == Outcome::TakenOver && project_start(request));
    let taken: Vec<String> = taken.take(MOST).map(sentence).collect();
    if lines.is_empty() && taken.is_empty() {
        return Verdict::allow();
    }
    let text = format!("Stead: {}", [lines, taken].concat().join("\n"));
    let mut said = Verdict::allow();
    for change in own.iter().chain(&more).take(MOST) {
        said = said.noticed(in_short(change));
    }
    if request.powers().context {
        return said.and(Verdict::inform(text));
    }
    if let Some(session) = request.event.session.as_deref()
        && let Err(error) = owe_text(request, session, EVENT, &text, &record::now())
    {
        request.note(&error);
    }
    said
}

fn project_start(request: &Request<'_>) -> bool {
    request.event.kind == stead_model::EventKind::SessionStart
}

/// One change in a line for the person.
fn in_short(change: &Tampering) -> String {
    let Tampering { path, why, id, .. } = change;
    match change.outcome {
        Outcome::PutBack if change.is_of_values() => {
            format!("Stead put back what keeps its hooks running in `{path}`, which changed during a call: {why}")
        }
        Outcome::PutBack => {
            format!("Stead put `{path}` back, which a call had weakened (`stead seal accept {id}` keeps the change)")
        }
        Outcome::InForce => format!("Stead: `{path}` changed, which weakens it: {why}; see `stead seal`"),
        Outcome::Lost | Outcome::TakenOver | Outcome::Accepted => format!("Stead: `{path}`: {why}"),
    }
}

/// One change in a sentence.
pub(super) fn sentence(change: &Tampering) -> String {
    let Tampering { path, why, id, .. } = change;
    match change.outcome {
        Outcome::PutBack if change.is_of_values() => format!(
            "what keeps Stead's hooks running in `{path}` was put back, because it changed during a call: {why}. The rest of the \
             change stays. If the person wants it, they can change it there."
        ),
        Outcome::PutBack => {
            let kept = change.displaced.as_ref().map(|kept| format!(" The changed file is kept in `{kept}`."));
            format!(
                "`{path}` was put back, because a call weakened it: {why}.{} If the change is wanted, the person can run \
                 `stead seal accept {id}`.",
                kept.unwrap_or_default()
            )
        }
        // Nobody but the client reads these lines.
        Outcome::InForce if change.kind == Kind::Settings.name() => format!(
            "`{path}` changed, which weakens it: {why}. It was not put back; where the client reads it, Stead may not be \
             called. The person can run `stead init` to insert the lines, or `stead seal accept {id}`."
        ),
        Outcome::InForce if change.by_git => format!(
            "git changed `{path}`, which weakens it: {why}. The sealed version stays in force until a person runs `stead \
             seal accept {id}`."
        ),
        Outcome::InForce => format!(
            "`{path}` changed, which weakens it: {why}. The sealed version stays in force until a person runs `stead seal \
             accept {id}`."
        ),
        Outcome::Lost => format!("`{path}`: {why}. This is recorded."),
        Outcome::TakenOver => format!("`{path}` was changed while no agent was at work, and applies: {why}."),
        Outcome::Accepted => format!("a person accepted the change of `{path}`."),
    }
}
