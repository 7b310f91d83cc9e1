//! The doorways: one file per agent program, saying what it sends, what it honours, where it keeps its settings and
//! how Stead's lines stand in them.
//!
//! A doorway turns a client's JSON into an [`Event`](stead_model::Event) and a [`Verdict`](stead_model::Verdict) into
//! a [`Reply`](stead_model::Reply) for that client and that event. It judges nothing, and it does no I/O: the
//! environment reaches it as a function.

mod commands;
mod detect;
mod dialect;
mod doorway;
mod lenient;
mod outcome;
mod patch;
mod roster;
mod tool;
mod transcript;

pub use commands::{CommandFormat, CommandKey, Commands};
pub use detect::{Signs, detect};
pub use doorway::{Doorway, EventFact, Facts, Heard, Install, Line, Powers, Scope, SettingsFile, StopCap, WarnBy};
pub use outcome::Outcome;
pub use roster::Harness;
pub use transcript::{Spoken, last_message};
