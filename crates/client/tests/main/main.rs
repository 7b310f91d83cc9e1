//! The doorways against payloads of real clients, and against everything else one can put before them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failing test may panic")]

mod client;
mod decode;
mod detection;
mod fixture;
mod install;
mod plugin;
mod reply;
mod roster;
mod snapshot;
mod transcript;
