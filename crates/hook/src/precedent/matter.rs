use std::path::Path;

use stead_guard::ReadEffects;
use stead_guard::touch::{Touch, Verb};
use stead_model::Effects;

use super::entry::Precedent;
use super::failure::Failed;
use super::file::Precedents;
use super::injection::{Injection, InjectionCause, InjectionWay};
use super::key::PrecedentKey;
use crate::effects_line::recorded_effects;
use crate::guard::{Did, GuardReport, HitLine};
use crate::record::cut;
use crate::request::Request;
use crate::stale_file::STALE_FILE;

/// How many effects of a call are looked at.
const TOUCHES: usize = 8;

/// Something for which there may be precedents: a rule that matched, or a failure.
#[derive(Debug, Default)]
pub(super) struct Matter {
    pub(super) rule: String,
    cause: InjectionCause,
    /// How it is told, if that is known already.
    way: InjectionWay,
    kinds: Vec<String>,
    /// The most specific first.
    keys: Vec<String>,
    /// Names that were found in the output of what failed are looked for in it.
    output: Option<String>,
    /// The stale file.
    pub(super) stale: Option<String>,
}

/// Everything that the agent is told with this reply.
pub(super) fn all(request: &Request<'_>, report: &GuardReport, failed: Option<&Failed>) -> Vec<Matter> {
    let mut matters = Vec::new();
    let tells = |hit: &&HitLine| matches!(hit.did, Did::Denied | Did::Asked | Did::Told | Did::Held);
    let mut hits = report.hits.iter().filter(tells).peekable();
    if hits.peek().is_some() {
        let effects = request.effects();
        matters.extend(hits.map(|hit| of_hit(request, hit, effects, &report.features)));
    }
    for late in &report.late {
        let effects = late.effects.as_ref().and_then(|text| recorded_effects(&text.to_string(), request.work()));
        let matter = of_hit(request, &late.hit, &effects.unwrap_or_default(), &[]);
        matters.push(Matter { way: InjectionWay::Later, ..matter });
    }
    matters.extend(failed.map(|failed| of_failure(request, failed)));
    matters
}

fn of_hit(request: &Request<'_>, hit: &HitLine, effects: &Effects, features: &[String]) -> Matter {
    let touches = touches(request, effects);
    let own = Touch::of_part(&touches, &hit.part);
    let rule = hit.guard.as_str();
    let mut keys: Vec<String> = Vec::new();
    let exact = |touch: &&Touch| touch.exact_kind();
    // What somebody said about the file tells more than that the rule was broken before.
    keys.extend(paths(&own));
    keys.extend(features.iter().map(|id| PrecedentKey::Feature(id).to_string()));
    keys.extend(own.iter().filter_map(exact).map(|kind| PrecedentKey::Rule { rule, kind: &kind }.to_string()));
    let mut kinds: Vec<String> = Vec::new();
    for kind in own.iter().map(|touch| touch.kind()) {
        if !kinds.contains(&kind) {
            keys.push(PrecedentKey::Rule { rule, kind: &kind }.to_string());
            kinds.push(kind);
        }
    }
    let stale = (rule == STALE_FILE).then(|| changed_path(&own)).flatten();
    Matter { rule: rule.to_owned(), cause: InjectionCause::Rule, kinds, keys, stale, ..Matter::default() }
}

fn of_failure(request: &Request<'_>, failed: &Failed) -> Matter {
    let mut keys: Vec<String> = failed.feature.iter().map(|id| PrecedentKey::Feature(id).to_string()).collect();
    if failed.is_about_files {
        let touches = touches(request, request.effects());
        keys.extend(paths(&touches.iter().collect::<Vec<_>>()));
    }
    Matter {
        rule: InjectionCause::Failure.name().to_owned(),
        cause: InjectionCause::Failure,
        kinds: vec![failed.kind.clone()],
        keys,
        output: Some(failed.output.clone()),
        ..Matter::default()
    }
}

fn touches(request: &Request<'_>, effects: &Effects) -> Vec<Touch> {
    let home = (request.env)("HOME").and_then(|home| home.into_string().ok()).filter(|home| home.len() > 1);
    let mut touches = Touch::all(effects, home.as_deref().map(|home| home.trim_end_matches('/')));
    touches.truncate(TOUCHES);
    touches
}

fn paths(touches: &[&Touch]) -> Vec<String> {
    let places = touches.iter().filter_map(|touch| touch.place()).filter(|place| place.is_in_project());
    places.map(|place| PrecedentKey::Path(&place.path).to_string()).collect()
}

fn changed_path(touches: &[&Touch]) -> Option<String> {
    let changed = touches.iter().filter(|touch| touch.verb == Verb::Change).filter_map(|touch| touch.place());
    changed.map(|place| place.path.clone()).find(|path| Path::new(path).is_relative())
}

impl Matter {
    /// The precedents for it, the most specific first; of several, the newest first.
    pub(super) fn find(&self, known: &Precedents) -> Vec<Precedent> {
        let mut found: Vec<Precedent> = self.keys.iter().flat_map(|key| known.under(key)).collect();
        if let Some(output) = &self.output {
            found.extend(by_word(known, output));
        }
        found
    }

    pub(super) fn injection(&self, request: &Request<'_>, verdict: Option<&str>, ids: Vec<String>) -> Injection {
        Injection {
            harness: Some(request.harness.name().to_owned()),
            session: request.event.session.as_deref().map(|session| cut(session).to_owned()),
            agent: request.agent_id().map(|agent| cut(agent).to_owned()),
            call: request.event.call.as_ref().and_then(|call| call.id.as_deref()).map(|id| cut(id).to_owned()),
            cause: self.cause,
            way: self.way,
            rule: self.rule.clone(),
            kinds: self.kinds.iter().map(|kind| cut(kind).to_owned()).collect(),
            verdict: verdict.map(str::to_owned),
            ids,
            ..Injection::default()
        }
    }
}

/// The precedents that name something which an output contains: those with the most such names first.
fn by_word(known: &Precedents, output: &str) -> Vec<Precedent> {
    let mut found: Vec<(usize, Precedent)> = Vec::new();
    for (word, one) in known.with_prefix(PrecedentKey::WORD) {
        if !has_word(output, word) {
            continue;
        }
        match found.iter_mut().find(|(_, known)| known.id == one.id) {
            Some((count, _)) => *count += 1,
            None => found.push((1, one)),
        }
    }
    found.sort_by(|(a, one), (b, other)| (b, &other.ts).cmp(&(a, &one.ts)));
    found.into_iter().map(|(_, one)| one).collect()
}

/// Returns true if a name is in a text, and not inside of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_as_a_whole() {
        let check = |text: &str, expected: bool| assert_eq!(has_word(text, "parse_date"), expected, "{text}");
        check("thread panicked in parse_date at", true);
        check("date::parse_date(x)", true);
        check("reparse_date parse_dates", false);
        check("parse_dates, then parse_date", true);
        check("", false);
    }
}
