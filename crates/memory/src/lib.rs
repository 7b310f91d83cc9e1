//! What is remembered beyond a session: traces of violations, corrections, decisions, approvals and reflections. Traces
//! are the source of truth; every index over them can be deleted.

mod book;
mod error;
mod folder;
mod history;
mod pattern;
mod promotion;
mod proposal;
mod trace;

pub use book::TraceBook;
pub use error::MemoryError;
pub use history::{CallKey, History, PastCall, Reading, Standing};
pub use pattern::{
    Extraction, Incident, Known, LEAST_COUNT, LEAST_SESSIONS, Marks, Pattern, PatternBook, PatternKind, Proposes, Verb,
    extract_patterns,
};
pub use promotion::{
    DEMOTION, Demotion, DemotionRule, ExitRule, FileChange, GuardFolders, GuardRecord, GuardVersions, demotions,
    version_of,
};
pub use proposal::{BackTest, Draft, DraftRequest, Proposal, ProposalKind, Proposals, draft_guard_of};
pub use trace::{
    Anchor, Outcome, Scope, Trace, TraceContext, TraceEvent, TraceId, TraceKind, TraceSource, TraceStatus, VERSION,
};
