//! Judges a hypothetical call: the same gates and guards, and nothing is recorded.

use std::path::Path;

use stead_client::Harness;
use stead_guard::{Hit, Judgement, ReadEffects};
use stead_model::{Effects, Event, Level, Verdict};

use super::cache::GuardText;
use super::caller::Caller;
use super::verdict::judge_rewritten;
use super::world_facts::WorldFacts;
use crate::intent::{self, Objection};
use crate::location::{Env, Location, find_project};
use crate::policy::{PolicyText, known_variable};
use crate::request::Request;

/// The result for a hypothetical event.
pub struct Examined {
    /// The verdict of self-protection.
    pub own: Verdict,
    /// What the gate of intents has against it.
    pub intents: Option<Objection>,
    /// The verdict of enforced guards.
    pub guards: Verdict,
    pub hits: Vec<Hit>,
    /// Warnings for the agent.
    pub notes: Vec<String>,
    pub effects: Effects,
    /// Guard files that are not applied.
    pub problems: Vec<String>,
}

impl Examined {
    /// The strongest of them.
    pub fn level(&self) -> Level {
        self.own.level.max(self.guards.level).max(self.intent_level())
    }

    /// The level of the gate of intents.
    pub fn intent_level(&self) -> Level {
        match &self.intents {
            Some(objection) if objection.only_warns => Level::Warn,
            Some(objection) => objection.level,
            None => Level::Allow,
        }
    }

    /// The strongest verdict and its reasons.
    pub fn refusal(&self) -> Option<String> {
        let strongest = if self.own.level >= self.guards.level { &self.own } else { &self.guards };
        match &self.intents {
            Some(objection) if self.intent_level() > strongest.level.max(Level::Warn) => Some(objection.text.clone()),
            _ => (strongest.level > Level::Warn).then(|| strongest.reason_text()),
        }
    }
}

/// Judges an event as if it happened in this project. `caller` makes the call; without it the session log decides.
pub fn examine(
    root: &Path,
    cwd: &Path,
    env: &Env,
    harness: Harness,
    event: &Event<'_>,
    caller: Option<Caller>,
) -> Examined {
    let location = Location { found: find_project(root, env), cwd: cwd.to_owned(), rival: None };
    let policy = match location.root() {
        Some(root) => PolicyText::load(root, env),
        None => PolicyText::outside(env),
    };
    let known = |name: &str| known_variable(policy.person(), name, env);
    let request = Request::new(harness, event, &location, &policy, &known);
    let mut examined = Examined {
        own: request.self_protection(),
        intents: None,
        guards: Verdict::allow(),
        hits: Vec::new(),
        notes: Vec::new(),
        effects: request.effects().clone(),
        problems: Vec::new(),
    };
    examined.intents = intent::judge(&request);
    let Some(root) = location.root().filter(|_| policy.gates("gate.guards")) else { return examined };
    let text = GuardText::load(root, &policy, env, &|_, _| false);
    if let Some(why) = text.unreadable() {
        let guards = Verdict::deny(stead_guard::GATE, format!("the guards are not known: {why}"));
        return Examined { guards, ..examined };
    }
    let Some(view) = text.view() else { return examined };
    examined.problems = view.problems().map(str::to_owned).collect();
    let mut facts = WorldFacts::new(&request);
    facts.given_caller = caller;
    let Judgement { mut verdict, hits, notes, .. } = judge_rewritten(&request, &view, &facts);
    let powers = request.powers();
    if verdict.level == Level::Ask && !powers.ask && powers.deny {
        verdict.level = Level::Deny;
    }
    Examined { guards: verdict, hits, notes, ..examined }
}
