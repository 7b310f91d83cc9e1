//! Judges recorded calls by a guard that did not exist then. What was true around such a call is not on record: a guard
//! that asks about it has no answer.

use stead_model::{Action, Effects, Event, EventKind, ToolCall};

use crate::asked::{Asked, ReadEffects};
use crate::compile::ProjectRooms;
use crate::exec::{ExecAnswer, ExecCall};
use crate::guard::Guard;
use crate::guard_facts::{Caller, EvidenceState, FeatureState, FileText, GuardFacts, Measure, TestRuns};
use crate::judge::enforced_hit;
use crate::mode::Mode;
use crate::problem::Problem;
use crate::read::read_source;
use crate::source::Source;

/// The guards of one file, to be tried on recorded calls as if they were enforced.
pub struct Trial {
    guards: Vec<Guard>,
}

/// A call as it is on record.
pub struct RecordedCall<'a> {
    /// The client's name, as in files.
    pub harness: &'a str,
    pub tool: &'a str,
    pub caller: Caller,
    pub effects: &'a Effects,
    /// The project root, absolute.
    pub root: &'a str,
    pub home: Option<&'a str>,
}

/// The result of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    Matched,
    Silent,
    /// It depends on something that is not on record.
    Unknown,
}

impl ReadEffects for &Effects {
    fn effects(&self) -> &Effects {
        self
    }
}

impl Trial {
    /// Reads a guard file. One that cannot be read has problems instead.
    pub fn of(source: &Source, rooms: &ProjectRooms) -> Result<Self, Vec<Problem>> {
        let (drafts, problems) = read_source(source, rooms);
        if drafts.is_empty() {
            return Err(problems);
        }
        let enforced = |guard: Guard| Guard { mode: Mode::Enforce, ..guard };
        let before_tool = |guard: &Guard| guard.events.contains(&EventKind::BeforeTool);
        Ok(Self { guards: drafts.into_iter().map(|draft| enforced(draft.guard)).filter(before_tool).collect() })
    }

    pub fn judge(&self, call: &RecordedCall<'_>) -> Tried {
        let mut event = Event::new(EventKind::BeforeTool, "");
        event.call = Some(ToolCall { tool: call.tool.into(), id: None, action: Action::Other, input: "".into() });
        let asked = Asked {
            event: &event,
            harness: call.harness,
            root: call.root,
            home: call.home,
            can_rewrite: true,
            hides_typing: false,
            effects: &call.effects,
        };
        let facts = NotOnRecord { caller: &call.caller };
        let mut tried = Tried::Silent;
        for guard in &self.guards {
            match enforced_hit(guard, &asked, &facts) {
                Some(hit) if hit.error.is_none() => return Tried::Matched,
                Some(_) => tried = Tried::Unknown,
                None => {}
            }
        }
        tried
    }
}

/// The circumstances of a recorded call: who made it, and nothing else.
struct NotOnRecord<'a> {
    caller: &'a Caller,
}

fn unknown<T>() -> Result<T, String> {
    Err("it is not on record".to_owned())
}

impl GuardFacts for NotOnRecord<'_> {
    fn text(&self, _path: &str) -> FileText {
        FileText::Unreadable
    }

    fn exists(&self, _path: &str) -> bool {
        false
    }

    fn measure(&self, _path: &str, _enough: u64) -> Option<Measure> {
        None
    }

    fn caller(&self) -> Caller {
        self.caller.clone()
    }

    fn evidence(&self, _feature: Option<&str>) -> Result<EvidenceState, String> {
        unknown()
    }

    fn feature(&self, _id: &str) -> Result<Option<FeatureState>, String> {
        unknown()
    }

    fn test_runs(&self) -> Result<TestRuns, String> {
        unknown()
    }

    fn intent(&self) -> Result<Option<String>, String> {
        unknown()
    }

    fn has_flag(&self, _flag: &str) -> Result<bool, String> {
        unknown()
    }

    fn counter(&self, _name: &str) -> Result<u64, String> {
        unknown()
    }

    fn holds(&self, _guard: &str) -> Result<u64, String> {
        Ok(0)
    }

    fn run(&self, _call: &ExecCall<'_>) -> Result<ExecAnswer, String> {
        unknown()
    }

    fn now(&self) -> i64 {
        0
    }
}
