//! Rules that somebody wrote into an agent's instructions: which guard holds each of them, and a draft if none does.
//!
//! A rule that forbids something concrete is turned into a call that would break it. The guards judge that call like any
//! other, so it does not matter in which words a guard or the rule is written.

mod draft;
mod rule;
mod target;

pub use draft::draft_guard;
pub use rule::{ProseRule, Sense, prose_rules};

use std::collections::BTreeSet;

use stead_model::{EventKind, Level};
use stead_yaml::Position;

use crate::compile::{ProjectRooms, compile};
use crate::edit::set_mode;
use crate::example::{Example, ExampleCall, Scene};
use crate::judge::judge;
use crate::mode::Mode;
use crate::shipped::SHIPPED;
use crate::source::Source;
use crate::view::CompiledView;
use target::Target;

/// The guards among these that block what a rule forbids, as if all of them were enforced.
pub fn holders(rule: &ProseRule, sources: &[Source], rooms: &ProjectRooms) -> Vec<String> {
    let Some(target) = &rule.target else { return Vec::new() };
    let enforced = |source: &Source| Source { text: set_mode(&source.text, Mode::Enforce), ..source.clone() };
    let compiled = compile(&sources.iter().map(enforced).collect::<Vec<_>>(), rooms);
    let Some(view) = CompiledView::parse(&compiled.lines) else { return Vec::new() };
    let example = Example {
        must: true,
        title: String::new(),
        place: Position::default(),
        event: EventKind::BeforeTool,
        call: target.call(),
        scene: Scene::default(),
    };
    let judgement = example.with_asked(|asked| judge(&view, asked, &example.scene));
    let hits = judgement.hits.iter().filter(|hit| hit.level >= Level::Ask).map(|hit| hit.guard.clone());
    hits.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The shipped guard that would hold a rule: one that blocks the call, or one with this purpose.
pub fn shipped_holder(rule: &ProseRule, rooms: &ProjectRooms) -> Option<&'static str> {
    if let Some(id) = rule.purpose {
        return Some(id);
    }
    let sources: Vec<Source> = SHIPPED.iter().map(|shipped| shipped.source()).collect();
    let held = holders(rule, &sources, rooms);
    let id = held.first()?.split('.').next()?;
    SHIPPED.iter().find(|shipped| shipped.id == id).map(|shipped| shipped.id)
}

impl Target {
    fn call(&self) -> ExampleCall {
        match self {
            Self::Run(command) => ExampleCall::Run(command.clone()),
            Self::Write(_) => ExampleCall::Write { path: self.file(), content: None },
            Self::Delete(_) => ExampleCall::Delete(self.file()),
            Self::Read(_) => ExampleCall::Read { path: self.file(), input: serde_json::Value::Null },
        }
    }
}

#[cfg(test)]
mod tests;
