//! Tests Stead with real agent programs: each is installed from the npm registry, runs headless against a scripted
//! model on loopback, and plays the same scenarios with the hooks that `stead init` wrote.
//!
//! Recorded payloads alone do not prove that a hook works. This crate is a tool of the repository; nothing that ships
//! depends on it. It uses no network but the registry and no account, and never skips silently: `docs/harnesses.md`
//! says what a client does not support, and why.

mod acp;
mod client;
mod evidence;
mod ground;
mod install;
mod loop_log;
mod namespace;
mod opaque;
mod page;
mod payload;
mod plain_server;
mod play;
mod process;
mod record;
mod repository;
mod scenario;
mod screen;
mod suite;
mod terminal;
mod witness;

pub use client::Client;
pub use install::install;
pub use namespace::{Inside, enter};
pub use opaque::from_hex;
pub use page::{OnDifference, refresh};
pub use scenario::Scenario;
pub use suite::{Choice, run};
pub use witness::stand_in;
