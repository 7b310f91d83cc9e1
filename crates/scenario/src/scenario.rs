//! The scenarios: what every client must do. One file each.

use anyhow::Result;
use stead_client::{Facts, Powers};
use stead_model::EventKind;

use crate::client::Client;
use crate::ground::Programs;

mod allowed_edit;
mod architect_and_builder;
mod asked_write;
mod command;
mod compaction;
mod crash;
mod denied_shell;
mod denied_write;
mod edited;
mod evidence_gate;
mod failed_call;
mod guarded_field;
mod guarded_shell;
mod headless;
mod held_stop;
mod hook_removal;
mod intent_gate;
mod kept_trust;
mod listed_agent;
mod orchestrated;
mod own_server;
mod pipeline;
mod session_start;
mod stale_file;
mod sub_agent;
mod two_sessions;
mod typed_command;
mod typed_shell;
mod unseen_tampering;
mod window;

/// Something to prove with every client that supports it.
pub struct Scenario {
    /// Its number on the page.
    pub number: u8,
    pub title: &'static str,
    /// Returns why a client does not support it, from the facts about the client.
    pub(crate) obstacle: fn(&Facts) -> Option<&'static str>,
    pub(crate) play: fn(&'static Client, &Programs) -> Result<()>,
}

impl Scenario {
    /// The one that is played in a client's window, with tmux.
    pub(crate) const WINDOW: u8 = window::SCENARIO.number;

    /// In it, a client that can be started so that it asks runs in a sandbox of its own.
    pub(crate) const OWN_SERVER: u8 = own_server::SCENARIO.number;

    /// The one that is played by an editor.
    pub(crate) const EDITED: u8 = edited::SCENARIO.number;

    pub const ALL: &'static [Self] = &[
        denied_write::SCENARIO,
        denied_shell::SCENARIO,
        allowed_edit::SCENARIO,
        session_start::SCENARIO,
        held_stop::SCENARIO,
        two_sessions::SCENARIO,
        sub_agent::SCENARIO,
        compaction::SCENARIO,
        hook_removal::SCENARIO,
        crash::SCENARIO,
        own_server::SCENARIO,
        command::SCENARIO,
        guarded_shell::SCENARIO,
        guarded_field::SCENARIO,
        evidence_gate::SCENARIO,
        pipeline::SCENARIO,
        asked_write::SCENARIO,
        typed_command::SCENARIO,
        intent_gate::SCENARIO,
        stale_file::SCENARIO,
        architect_and_builder::SCENARIO,
        orchestrated::SCENARIO,
        headless::SCENARIO,
        listed_agent::SCENARIO,
        unseen_tampering::SCENARIO,
        failed_call::SCENARIO,
        window::SCENARIO,
        edited::SCENARIO,
        typed_shell::SCENARIO,
        kept_trust::SCENARIO,
    ];
}

/// What a client lets a hook do at an event; nothing if it has no such event.
fn powers(facts: &Facts, kind: EventKind) -> Powers {
    facts.events.iter().find(|fact| fact.kind == kind).map_or(Powers::NONE, |fact| fact.powers)
}

/// The client accepts text for the model only once a tool has run.
fn takes_text_late(facts: &Facts) -> bool {
    ![EventKind::SessionStart, EventKind::Prompt].iter().any(|kind| powers(facts, *kind).context)
}

/// The obstacle for every scenario that denies a tool call.
fn cannot_deny(facts: &Facts) -> Option<&'static str> {
    (!powers(facts, EventKind::BeforeTool).deny).then_some("hooks cannot block a tool call")
}

/// The obstacle for every scenario that denies one call and finds another in the records.
fn cannot_deny_or_record(facts: &Facts) -> Option<&'static str> {
    cannot_deny(facts).or_else(|| allowed_edit::obstacle(facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_numbered_from_one_on() {
        let numbers: Vec<_> = Scenario::ALL.iter().map(|scenario| usize::from(scenario.number)).collect();
        assert_eq!(numbers, (1..=Scenario::ALL.len()).collect::<Vec<_>>());
    }
}
