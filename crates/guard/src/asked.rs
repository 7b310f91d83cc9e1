use std::cell::{LazyCell, OnceCell};

use stead_model::{Action, Effects, Event, ToolCall};

use crate::guard_facts::GuardFacts;

/// The event to judge, and where it happens.
pub struct Asked<'a> {
    pub event: &'a Event<'a>,
    /// The client's name as in files
    pub harness: &'a str,
    /// The project root, absolute.
    pub root: &'a str,
    pub home: Option<&'a str>,
    /// Whether the client lets a hook change a tool's input at this event.
    pub can_rewrite: bool,
    /// The client has no event for what its agent types into a program that runs.
    pub hides_typing: bool,
    /// What the call would do. Computed only if a guard could match.
    pub effects: &'a dyn ReadEffects,
}

/// Returns what a call would do. Implementers compute it on first use, and once.
pub trait ReadEffects {
    fn effects(&self) -> &Effects;
}

impl<F: FnOnce() -> Effects> ReadEffects for LazyCell<Effects, F> {
    fn effects(&self) -> &Effects {
        self
    }
}

/// One judgement in progress, with cached results.
pub(crate) struct Inquiry<'a> {
    pub(crate) asked: &'a Asked<'a>,
    pub(crate) facts: &'a dyn GuardFacts,
    effects: OnceCell<&'a Effects>,
    raw: OnceCell<String>,
}

impl<'a> Inquiry<'a> {
    pub(crate) fn new(asked: &'a Asked<'a>, facts: &'a dyn GuardFacts) -> Self {
        Self { asked, facts, effects: OnceCell::new(), raw: OnceCell::new() }
    }

    pub(crate) fn effects(&self) -> &'a Effects {
        self.effects.get_or_init(|| self.asked.effects.effects())
    }

    /// Returns true if the call was not read completely. This does not compute the effects: if no guard needed them,
    /// they would not have changed the answer.
    pub(crate) fn gave_up(&self) -> bool {
        self.effects.get().is_some_and(|effects| effects.gave_up)
    }

    /// The part of the call that takes commands from a terminal. Does not compute the effects, either.
    pub(crate) fn typed(&self) -> Option<&'a str> {
        self.effects.get().and_then(|effects| effects.gaps.iter().find(|gap| gap.is_typed)).map(|gap| gap.part.as_str())
    }

    /// The text of the call in lower case, without quotes and escapes.
    pub(crate) fn raw(&self) -> &str {
        self.raw.get_or_init(|| {
            let text = match &self.asked.event.call {
                Some(ToolCall { action: Action::Run { command, .. }, .. }) => command.as_ref(),
                Some(call) => call.input.as_ref(),
                None => "",
            };
            text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).flat_map(char::to_lowercase).collect()
        })
    }

    /// Makes a path below the root absolute.
    pub(crate) fn absolute(&self, path: &str) -> String {
        match (path.strip_prefix("~/"), self.asked.home) {
            (Some(rest), Some(home)) => [home, "/", rest].concat(),
            _ if path.starts_with('/') => path.to_owned(),
            _ => [self.asked.root.trim_end_matches('/'), "/", path].concat(),
        }
    }
}
