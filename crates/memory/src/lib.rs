//! What is remembered beyond a session: traces of violations, corrections, decisions, approvals and reflections. Traces
//! are the source of truth; every index over them can be deleted.

mod book;
pub mod semantic;
mod trace;

pub use book::TraceBook;
pub use trace::{
    Anchor, Outcome, Scope, Trace, TraceContext, TraceEvent, TraceId, TraceKind, TraceSource, TraceStatus, VERSION,
};
