//! What is known about each agent program, one file each: what it sends, what it honours, where it keeps its settings
//! and how Stead's lines are written there.
//!
//! A [`Client`] turns the program's JSON into an [`Event`](stead_model::Event) and a [`Verdict`](stead_model::Verdict) into
//! a [`Reply`](stead_model::Reply) for that program and that event. It judges nothing, and it does no I/O: the
//! environment reaches it as a function.

mod client;
mod commands;
mod detect;
mod dialect;
mod lenient;
mod outcome;
mod patch;
mod roster;
mod tool;
mod transcript;

pub use client::{Client, EventFact, Facts, Heard, Install, Line, Powers, Scope, SettingsFile, StopCap, WarnBy};
pub use commands::{CommandFormat, CommandKey, Commands};
pub use detect::{Signs, detect};
pub use outcome::Outcome;
pub use roster::Harness;
pub use transcript::{Spoken, last_message};
