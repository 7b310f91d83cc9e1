//! Loops: work that a session repeats until a promise is kept, a check passes or a limit is reached. The stop hook
//! drives it; a loop blocks only stops of the session that owns it.
//!
//! Files are the truth: one file per loop in `loops/`, which session is in which loop in `indexes/active-loop.json`,
//! and why each stop was blocked or allowed in `indexes/loop-log.jsonl`. Nothing here runs a command, reads a
//! transcript or prints.

mod active;
mod command;
mod decide;
mod engine;
mod file;
mod folder;
mod log;
mod owner;
mod promise;
mod prompt;
mod state;
mod status;

pub use active::ActiveLoop;
pub use command::{Activated, NewLimits, NewLoop};
pub use decide::{Check, LastMessage, Stop};
pub use engine::{Answer, Foreground};
pub use file::LoopFile;
pub use folder::Loops;
pub use log::{LoopClaim, LoopLine};
pub use owner::{Owner, Starter};
pub use promise::{last_promise, split_promises};
pub(crate) use state::Lease;
pub use state::{Counts, Loop};
pub use status::LoopStatus;
