//! The look afterwards: what a call changed that no agent may weaken. Reading a command before it runs can never be
//! complete; this makes that harmless. What got weaker is put back or stays in force as it was, and is told.
//!
//! It looks after a tool, at stops, at the start of a session and at a prompt, never before a tool. The usual look
//! compares stamps. It fails open as a recorder does: gates work without a seal.

mod call_log;
mod cause;
mod force;
mod judge;
mod kind;
mod look;
mod project;
mod put_back;
mod set;
mod tampering;
mod tell;

use stead_model::{EventKind, Verdict};

use crate::request::Request;

pub(crate) use call_log::note as note_call;
pub(crate) use cause::{open_sessions, still_open};
pub(crate) use force::InForce;
pub use force::{sealed_configs, sealed_marker};
pub(crate) use kind::Kind;
pub(crate) use project::PERSON;
pub use project::{SealFile, SealedProject};
pub(crate) use set::SESSIONS;
pub(crate) use set::watched_variables;
pub use tampering::{CallInFlight, Outcome, Tampering};

pub(crate) use look::Looker;

/// Looks after an event, and tells the agent what was put back.
pub(crate) fn look(request: &Request<'_>) -> Verdict {
    let looks = matches!(
        request.event.kind,
        EventKind::AfterTool
            | EventKind::ToolFailed
            | EventKind::SubagentStop
            | EventKind::Stop
            | EventKind::SessionStart
            | EventKind::Prompt
            | EventKind::SessionEnd
    );
    if !looks || request.is_by_doctor() || request.location.root().is_none() {
        return Verdict::allow();
    }
    let Some(project) = SealedProject::of(request.dir(), request.policy, request.env) else { return Verdict::allow() };
    project.announce_own();
    let (found, problem) = project.look(&Looker::Event(request));
    if let Some(problem) = problem {
        request.note(&problem);
    }
    tell::tell(request, &project, &found)
}
