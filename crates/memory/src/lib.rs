//! What is remembered beyond a session: traces of violations, corrections, decisions, approvals and reflections. Traces
//! are the source of truth; every index over them can be deleted.

mod book;
mod index;
mod level;
mod search;
mod trace;
mod trace_id;

pub use book::TraceBook;
pub use level::Level;
pub use search::{Answer, Channel, Embedder, Filters, Freshness, Matched, Query, SCHEMA, TraceSearch};
pub use trace::{
    Anchor, Outcome, Repeat, Scope, Trace, TraceContext, TraceEvent, TraceKind, TraceSource, TraceStatus, VERSION,
};
pub use trace_id::TraceId;
