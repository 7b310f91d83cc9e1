//! Intents: what agents are allowed to work on, which paths that includes, and who asked for more.
//!
//! `active_intents.yaml` is the truth and belongs to people: it is read with positions, edited as text so that comments
//! and order survive, and compiled to a small text that a hook call reads instead.

mod compiled;
mod context;
mod edit;
mod file;
mod history;
mod ignore;
mod item;
mod request;
mod scope;
#[cfg(test)]
mod tests;
mod widening;

pub use compiled::{Compiled, CompiledIntent, Head};
pub use context::{HistoryLine, context_block};
pub use edit::NewIntent;
pub use file::{Fault, IntentFile, LARGEST};
pub use history::past_sessions;
pub use ignore::IntentIgnore;
pub use item::{Constraint, Criterion, Intent, Proof, Status};
pub use request::{Request, RequestState, Requests};
pub use scope::{Reach, Scope};
pub use widening::{frees_more, widens};

/// The intents file, below its room.
pub const INTENTS: &str = "active_intents.yaml";

/// The file with paths free for every intent, below the same room.
pub const IGNORE: &str = ".intentignore";
