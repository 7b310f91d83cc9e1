//! What would happen to a call that nobody makes: the same gates, the same guards, and nothing is written down.

use std::path::Path;

use stead_client::Harness;
use stead_gate::{Policy, judge};
use stead_guard::{Hit, Judgement};
use stead_model::{Effects, Event, Level, Verdict};
use stead_store::find_root;

use super::cache::GuardText;
use super::caller::Caller;
use super::judge::Scene;
use crate::fact::FileFacts;
use crate::policy::PolicyText;
use crate::standing::{Env, Standing};

/// What gates and guards say about a would-be event.
pub struct Examined {
    /// What self-protection says; guards are not asked after it has objected.
    pub own: Verdict,
    /// What enforced guards say.
    pub guards: Verdict,
    pub hits: Vec<Hit>,
    /// What the agent would only be told.
    pub notes: Vec<String>,
    pub effects: Effects,
    /// Guard files that are not applied.
    pub problems: Vec<String>,
}

impl Examined {
    /// The stronger of the two.
    pub fn level(&self) -> Level {
        self.own.level.max(self.guards.level)
    }
}

/// Judges an event as if it happened in this project. `caller` says by whom; without it the session log decides.
pub fn examine(
    root: &Path,
    cwd: &Path,
    env: &Env,
    harness: Harness,
    event: &Event<'_>,
    caller: Option<Caller>,
) -> Examined {
    let standing = Standing { found: find_root(root), cwd: cwd.to_owned() };
    let dir = standing.found.dir().to_owned();
    let policy = match standing.root() {
        Some(root) => PolicyText::load(root, env),
        None => PolicyText::outside(env),
    };
    let scene = Scene::new(harness, &standing, &policy, env, &dir);
    let mut examined = Examined {
        own: Verdict::allow(),
        guards: Verdict::allow(),
        hits: Vec::new(),
        notes: Vec::new(),
        effects: scene.effects(event),
        problems: Vec::new(),
    };
    if policy.gates("gate.self_protection") {
        let facts = FileFacts::new(scene.indexes.clone(), harness, event);
        examined.own = judge(&Policy::parse(&policy.text), event, &scene.place(), &facts);
    }
    if standing.root().is_none() || !policy.gates("gate.guards") {
        return examined;
    }
    let text = GuardText::load(&dir, &policy);
    let Some(view) = text.view() else { return examined };
    examined.problems = view.problems().map(str::to_owned).collect();
    let mut facts = scene.facts(event);
    facts.told = caller;
    let Judgement { verdict, hits, notes, .. } = scene.judge(&view, event, &facts);
    Examined { guards: verdict, hits, notes, ..examined }
}
