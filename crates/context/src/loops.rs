//! Loops: work that a session repeats until a promise is kept, a check is green or a bound is reached. The stop hook is
//! the engine; a loop holds the one session that owns it and nobody else.
//!
//! Files are the truth: one loop a file in `loops/`, who is held by which in `indexes/active-loop.json`, and why each
//! stop was held or let go in `indexes/loop-log.jsonl`. Nothing here runs a command, reads a transcript or prints.

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
pub use command::{Activated, NewLoop};
pub use decide::{Check, Decision, Said, Stop, decide};
pub use engine::{Answer, Foreground};
pub use file::LoopFile;
pub use folder::Loops;
pub use log::LoopLine;
pub use owner::{Owner, Starter};
pub use promise::{last_promise, split_promises};
pub use state::{Counts, Lease, Loop};
pub use status::LoopStatus;
