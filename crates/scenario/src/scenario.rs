//! The scenarios: what every client must be seen to do. One file each; a scenario without one waits for its room.

use anyhow::Result;
use stead_client::{Facts, Powers};
use stead_model::EventKind;

use crate::client::Client;
use crate::ground::Programs;

mod allowed_edit;
mod command;
mod compaction;
mod crash;
mod denied_shell;
mod denied_write;
mod evidence_gate;
mod guarded_field;
mod guarded_shell;
mod held_stop;
mod hook_removal;
mod pipeline;
mod session_start;
mod sub_agent;
mod two_sessions;

/// Something that is to be proven on every client that can express it.
pub struct Scenario {
    /// Its number on the page.
    pub number: u8,
    pub title: &'static str,
    pub(crate) stage: Stage,
}

/// How far a scenario has come.
pub(crate) enum Stage {
    Built {
        /// Says why a client cannot express it, from what is stated about it.
        obstacle: fn(&Facts) -> Option<&'static str>,
        play: fn(&'static Client, &Programs) -> Result<()>,
    },
    /// The room that it needs is not there yet.
    NotBuilt,
}

impl Scenario {
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
        waiting(11, "Stead's MCP tools are listed and callable"),
        command::SCENARIO,
        guarded_shell::SCENARIO,
        guarded_field::SCENARIO,
        evidence_gate::SCENARIO,
        pipeline::SCENARIO,
    ];
}

const fn waiting(number: u8, title: &'static str) -> Scenario {
    Scenario { number, title, stage: Stage::NotBuilt }
}

/// What a client lets a hook do at an event; nothing where it has no such event.
fn powers(facts: &Facts, kind: EventKind) -> Powers {
    facts.events.iter().find(|fact| fact.kind == kind).map_or(Powers::NONE, |fact| fact.powers)
}

/// The obstacle of every scenario that denies a tool call.
fn cannot_deny(facts: &Facts) -> Option<&'static str> {
    (!powers(facts, EventKind::BeforeTool).deny).then_some("it lets no hook prevent a tool call")
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
