use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use stead_guard::command_matches;

use super::general::common;
use crate::pattern::{Incident, Pattern, Place, Subject, Touch, Verb};

/// The most files that a guard lists one by one.
const MOST_FILES: usize = 8;

/// What a guard could match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) verb: Verb,
    /// The key `match` of the guard.
    pub(super) matches: Map<String, Value>,
}

impl Candidate {
    fn new(verb: Verb, key: &str, value: Value) -> Self {
        Self { verb, matches: Map::from_iter([(key.to_owned(), value)]) }
    }

    /// What it is about, for an id.
    pub(super) fn title(&self) -> String {
        let parts = self.matches.iter().map(|(key, value)| match value {
            Value::String(text) => format!("{key} {text}"),
            Value::Array(items) => format!("{key} {}", items.first().and_then(Value::as_str).unwrap_or_default()),
            _ => key.clone(),
        });
        parts.collect::<Vec<_>>().join(" ")
    }
}

/// What guards could match all incidents of a pattern, the best first: what the pattern is about, then other effects that
/// all of them have, then the same for one role only.
pub(super) fn candidates(pattern: &Pattern) -> Vec<Candidate> {
    let verbs = pattern.verb.into_iter().chain(Verb::ALL.into_iter().filter(|verb| Some(*verb) != pattern.verb));
    let mut found: Vec<Candidate> = verbs.flat_map(|verb| of_verb(pattern, verb)).collect();
    if let Some(role) = &pattern.role {
        let narrowed: Vec<Candidate> = found
            .iter()
            .map(|candidate| {
                let mut narrow = candidate.clone();
                narrow.matches.insert("role".to_owned(), json!(role));
                narrow
            })
            .collect();
        found.extend(narrowed);
    }
    found
}

fn of_verb(pattern: &Pattern, verb: Verb) -> Vec<Candidate> {
    let incidents = &pattern.incidents;
    match verb {
        Verb::Change | Verb::Read => files(pattern, verb),
        Verb::Run => commands(incidents),
        Verb::Git | Verb::Network | Verb::Mcp | Verb::Spawn => {
            let names = |incident: &Incident| -> BTreeSet<String> {
                incident.touches.iter().filter(|touch| touch.verb == verb).flat_map(Touch::keys).collect()
            };
            shared(incidents.iter().map(names))
                .into_iter()
                .map(|name| Candidate::new(verb, verb.name(), json!(name)))
                .collect()
        }
    }
}

/// What is in all sets.
fn shared(sets: impl Iterator<Item = BTreeSet<String>>) -> BTreeSet<String> {
    sets.reduce(|shared, set| shared.intersection(&set).cloned().collect()).unwrap_or_default()
}

fn files(pattern: &Pattern, verb: Verb) -> Vec<Candidate> {
    let about = if pattern.verb == Some(verb) { pattern.about.as_str() } else { "" };
    let touches: Vec<Vec<&Touch>> = pattern.incidents.iter().map(|incident| meant(incident, verb, about)).collect();
    if touches.is_empty() || touches.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let all = || touches.iter().flatten();
    let key = match verb {
        Verb::Read => "reads",
        _ if all().all(|touch| touch.deletes) => "deletes",
        _ => "writes",
    };
    let places: Vec<Vec<&Place>> =
        touches.iter().map(|touches| touches.iter().filter_map(|touch| touch.place()).collect()).collect();
    let exact: BTreeSet<&str> =
        all().filter_map(|touch| touch.place()).filter(|place| !place.tree).map(|place| place.path.as_str()).collect();
    let is_listable = exact.len() > 1
        && exact.len() <= MOST_FILES
        && all().all(|touch| touch.place().is_some_and(|place| !place.tree));
    let listed = is_listable.then(|| Candidate::new(verb, key, json!(exact)));
    let general = common(&places).map(|path| Candidate::new(verb, key, json!(path)));
    general.into_iter().chain(listed).collect()
}

/// The touches of an incident that a pattern is about; if there are none, all of that verb.
pub(super) fn meant<'i>(incident: &'i Incident, verb: Verb, about: &str) -> Vec<&'i Touch> {
    let all: Vec<&Touch> = incident.touches.iter().filter(|touch| touch.verb == verb).collect();
    let is_about = |touch: &&&Touch| match &touch.subject {
        Subject::Place(place) => match (about.strip_suffix('/'), about.strip_prefix("*.")) {
            (Some(folder), _) => place.is_in(folder),
            (None, Some(ending)) => place.extension() == Some(ending),
            (None, None) => place.name() == Some(about),
        },
        _ => touch.keys().iter().any(|key| key == about),
    };
    let own: Vec<&Touch> = all.iter().filter(is_about).copied().collect();
    if own.is_empty() { all } else { own }
}

/// Command patterns: program and sub-command; if that is too much, also the flags that all have, in any spelling.
fn commands(incidents: &[Incident]) -> Vec<Candidate> {
    let words = |incident: &Incident| -> Vec<Vec<String>> {
        let runs = incident.touches.iter().filter_map(|touch| match &touch.subject {
            Subject::Words(argv) => Some(argv.clone()),
            _ => None,
        });
        runs.collect()
    };
    let runs: Vec<Vec<Vec<String>>> = incidents.iter().map(words).collect();
    let keys = |incident: &Incident| -> BTreeSet<String> {
        incident.touches.iter().filter(|touch| touch.verb == Verb::Run).flat_map(Touch::keys).collect()
    };
    let is_plain = |key: &String| !key.contains(['|', '!', '*', '\'', '"']);
    let mut names: Vec<String> = shared(incidents.iter().map(keys)).into_iter().filter(is_plain).collect();
    // A sub-command says more than its program.
    names.sort_by_key(|name| !name.contains(' '));
    let has_sub = names.iter().any(|name| name.contains(' '));
    names.retain(|name| name.contains(' ') || !has_sub);
    let mut found = Vec::new();
    for name in names {
        let is_common = |pattern: &str| runs.iter().all(|runs| runs.iter().any(|argv| command_matches(pattern, argv)));
        let flags: BTreeSet<String> = runs
            .first()
            .into_iter()
            .flatten()
            .flatten()
            .filter(|word| word.starts_with('-') && word.len() > 1 && !word.contains(char::is_whitespace))
            .map(|word| word.split('=').next().unwrap_or(word).to_owned())
            .filter(|flag| flag != "--" && is_common(&format!("{name} {flag}")))
            .collect();
        found.push(Candidate::new(Verb::Run, "runs", json!(name)));
        if !flags.is_empty() {
            let flags: Vec<String> = flags.into_iter().collect();
            found.push(Candidate::new(Verb::Run, "runs", json!(format!("{name} {}", flags.join(" ")))));
        }
    }
    found
}
