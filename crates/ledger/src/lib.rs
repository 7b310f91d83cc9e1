//! Intents (what agents are allowed to change, and why) and the ledger (who changed what, for which intent). It answers
//! questions about both and never decides a verdict.

mod selection;
pub mod trace;
pub mod why;

pub use selection::{MutationClaim, Selected, Selection};
