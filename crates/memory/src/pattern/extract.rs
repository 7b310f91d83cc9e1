use std::collections::{BTreeMap, BTreeSet};

use stead_guard::Mode;
use stead_store::{StoreError, sha256};

use super::gather::gather;
use super::group::{Group, groups, is_enough};
use super::template::templates;
use super::{Cause, Incident, Marks, Pattern, PatternKind, Proposes, VERSION, Verb};
use crate::Trace;
use crate::history::{History, Reading};

/// How many evidence ids a pattern lists.
const MOST_EVIDENCE: usize = 200;

/// What extraction needs to know about the project.
#[derive(Clone, Debug, Default)]
pub struct PatternFacts {
    /// The mode of every guard that applies.
    pub modes: BTreeMap<String, Mode>,
    /// The current time, as files store it.
    pub now: String,
}

/// The patterns that were found, and how the calls of all incidents are recognised.
pub struct Extraction {
    pub patterns: Vec<Pattern>,
    pub marks: Marks,
}

/// Finds what went wrong at least three times in at least two sessions.
pub fn extract_patterns(
    history: &History,
    traces: &[Trace],
    known: &PatternFacts,
    progress: &mut dyn FnMut(Reading),
) -> Result<Extraction, StoreError> {
    let gathered = gather(history, traces, progress)?;
    let mut by_cause: BTreeMap<Cause, Vec<Incident>> = BTreeMap::new();
    for incident in gathered.incidents {
        by_cause.entry(incident.cause.clone()).or_default().push(incident);
    }
    let mut told = by_cause.remove(&Cause::Told).unwrap_or_default();
    let mut patterns = Vec::new();
    for (cause, incidents) in by_cause {
        let found = groups(&incidents);
        let grouped: BTreeSet<usize> = found.iter().flat_map(|group| group.members.iter().copied()).collect();
        patterns.extend(found.iter().map(|group| of_group(&cause, group, &incidents, known)));
        let rest: Vec<&Incident> =
            incidents.iter().enumerate().filter(|(at, _)| !grouped.contains(at)).map(|(_, rest)| rest).collect();
        match &cause {
            Cause::Guard(guard) if is_enough(rest.iter().copied()) => {
                let summary = format!("`{guard}` matched");
                patterns.push(pattern(&cause, None, "", &summary, rest.into_iter().cloned().collect(), known));
            }
            Cause::Correction => told.extend(rest.into_iter().cloned()),
            _ => {}
        }
    }
    for template in templates(told.iter().map(|incident| incident.text.what_happened.as_str()).enumerate()) {
        let members: Vec<Incident> = template.members.iter().map(|at| told[*at].clone()).collect();
        if is_enough(&members) {
            let text = template.text();
            patterns.push(pattern(&Cause::Told, None, &text, &format!("\"{text}\""), members, known));
        }
    }
    patterns.sort_by(|a, b| (b.count, &a.id).cmp(&(a.count, &b.id)));
    Ok(Extraction { patterns, marks: gathered.marks })
}

fn of_group(cause: &Cause, group: &Group, incidents: &[Incident], known: &PatternFacts) -> Pattern {
    let members: Vec<Incident> = group.members.iter().map(|at| incidents[*at].clone()).collect();
    let what = in_words(group.verb, &group.about);
    let summary = match cause {
        Cause::Guard(guard) => format!("`{guard}` matched {what}"),
        Cause::Route(guard) => format!("`{guard}` denied {what}, which was then done in another way"),
        Cause::Correction | Cause::Told => format!("{what} was corrected"),
    };
    pattern(cause, Some(group.verb), &group.about, &summary, members, known)
}

fn in_words(verb: Verb, about: &str) -> String {
    match verb {
        Verb::Change => format!("changing `{about}`"),
        Verb::Git => format!("git {about}"),
        Verb::Network => format!("connecting to {about}"),
        Verb::Mcp => format!("calling {about}"),
        Verb::Spawn => format!("starting the agent {about}"),
        Verb::Read => format!("reading `{about}`"),
        Verb::Run => format!("running `{about}`"),
    }
}

fn pattern(
    cause: &Cause,
    verb: Option<Verb>,
    about: &str,
    summary: &str,
    incidents: Vec<Incident>,
    known: &PatternFacts,
) -> Pattern {
    let (kind, guard) = match cause {
        Cause::Guard(guard) => (PatternKind::Guard, Some(guard.clone())),
        Cause::Route(guard) => (PatternKind::Route, Some(guard.clone())),
        Cause::Correction => (PatternKind::Correction, None),
        Cause::Told => (PatternKind::Text, None),
    };
    let mode = guard.as_ref().and_then(|guard| known.modes.get(guard)).copied();
    let proposes = match (kind, verb, mode) {
        (PatternKind::Guard, _, Some(Mode::Shadow | Mode::Warn)) => Proposes::Mode,
        (PatternKind::Correction | PatternKind::Route, Some(_), _) => Proposes::Guard,
        _ => Proposes::Lesson,
    };
    let key = [kind.name(), guard.as_deref().unwrap_or(""), verb.map_or("", Verb::name), about].join("\n");
    let sessions = incidents.iter().filter_map(|incident| incident.session.as_deref()).collect::<BTreeSet<_>>().len();
    let mut evidence: Vec<String> = Vec::new();
    for id in incidents.iter().flat_map(|incident| &incident.evidence).filter(|id| !id.is_empty()) {
        if evidence.len() < MOST_EVIDENCE && !evidence.contains(id) {
            evidence.push(id.clone());
        }
    }
    let first = incidents.first().and_then(Incident::role);
    let role = first.filter(|role| incidents.iter().all(|incident| incident.role() == Some(role)));
    Pattern {
        v: VERSION,
        ts: known.now.clone(),
        id: format!("p-{}", &sha256(key.as_bytes())[..8]),
        kind,
        verb,
        about: about.to_owned(),
        role: role.map(str::to_owned),
        count: incidents.len(),
        sessions,
        evidence,
        summary: format!("{summary} {} times in {sessions} sessions", incidents.len()),
        proposes,
        guard,
        incidents,
    }
}
