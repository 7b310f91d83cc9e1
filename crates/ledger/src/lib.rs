//! Intents (what agents are allowed to change, and why) and the ledger (who changed what, for which intent). It answers
//! questions about both and never decides a verdict.

mod error;
pub mod intent;
pub mod lesson;
pub mod map;
mod selection;
pub mod trace;
pub mod why;

pub use error::LedgerError;
pub use selection::{MutationClaim, Selected, Selection};
