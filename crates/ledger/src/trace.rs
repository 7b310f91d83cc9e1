//! The ledger of changes: one line for each tool call that changed files, as an Agent Trace 0.1.0 record with what Stead
//! knows beyond it under one metadata key. Lines of other writers are read in this dialect and in the older one.

mod build;
mod cache;
mod class;
mod export;
mod fit;
mod ledger;
mod novelty;
mod record;
mod spool;
#[cfg(test)]
mod tests;

pub use build::{Budget, CallFacts, FileChange, Side, build};
pub use cache::{Sight, TraceCache};
pub use export::{Dialect, export};
pub use ledger::{Ledger, TraceLine, TraceLines};
pub use record::{
    Contributor, ContributorKind, Conversation, FileNote, FileOp, FileTrace, LineRange, Metadata, MutationClass,
    NodeNote, NodePart, Phase, Record, Related, SteadNote, Tool, Vcs,
};
pub use spool::Spooled;
pub use stead_store::Source;
