//! Real agent programs prove Stead: each is installed from the npm registry, runs headless against a scripted model on
//! loopback, and plays the same scenarios with the hooks that `stead init` wrote.
//!
//! A hook tool that has met only recorded payloads is a guess. This crate is a tool of the repository: nothing that
//! ships depends on it. It reaches no network but the registry, uses no account, and never skips in silence: what a
//! client cannot express is said with its reason, on the page `docs/harnesses.md`.

mod client;
mod evidence;
mod ground;
mod install;
mod loop_log;
mod namespace;
mod page;
mod payload;
mod play;
mod process;
mod record;
mod repository;
mod scenario;
mod suite;
mod witness;

pub use client::Client;
pub use install::install;
pub use namespace::{Inside, enter};
pub use page::{OnDifference, refresh};
pub use scenario::Scenario;
pub use suite::{Choice, run};
pub use witness::stand_in;
