//! What is remembered beyond a session: traces of violations, corrections, decisions, approvals and reflections. Traces
//! are the source of truth; every index over them can be deleted.

mod anchor;
mod book;
mod capture;
mod error;
mod exchange;
mod folder;
mod health;
mod history;
mod index;
mod injection;
mod known;
mod level;
#[cfg(test)]
mod made_project;
mod memory;
mod metric;
mod pattern;
mod precedent;
mod promotion;
mod proposal;
mod records;
mod refuse;
mod retrieval;
mod safe;
mod search;
pub mod semantic;
mod submission;
mod trace;
mod trace_id;

pub use anchor::{anchor, split_anchor};
pub use book::{TraceBook, TraceLine};
pub use capture::{Capture, Captured};
pub use error::MemoryError;
pub use exchange::Imported;
pub use health::{HEALTH_DAYS, HealthCheck, HealthFinding, HealthStatus, HealthUnit, health};
pub use history::{CallKey, History, PastCall, Reading, Standing};
pub use injection::{Effect, InjectionCount};
pub use known::{Known, Origin, Traces};
pub use level::Level;
pub use memory::{Mark, Memory};
pub use metric::{Metric, Period, PromptSize, Statistics, Step, Tally, chart, plot, statistics};
pub use pattern::{
    Extraction, Incident, LEAST_COUNT, LEAST_SESSIONS, Marks, Pattern, PatternBook, PatternFacts, PatternKind,
    Proposes, Verb, extract_patterns,
};
pub use precedent::PrecedentSources;
pub use promotion::{
    DEMOTION, Demotion, DemotionRule, ExitRule, FileChange, GuardFolders, GuardRecord, GuardVersions, demotions,
    version_of,
};
pub use proposal::{BackTest, Draft, DraftRequest, Proposal, ProposalKind, Proposals, draft_guard_of};
pub use records::Records;
pub use refuse::refusal;
pub use retrieval::{Retrieval, Retrievals, RetrievedBy};
pub use search::{Answer, Channel, Embedder, Filters, Freshness, Matched, Query, SCHEMA, TraceSearch};
pub use submission::{Stored, Submission};
pub use trace::{
    Anchor, Outcome, Repeat, Scope, Trace, TraceContext, TraceEvent, TraceKind, TraceSource, TraceStatus, VERSION,
};
pub use trace_id::TraceId;
