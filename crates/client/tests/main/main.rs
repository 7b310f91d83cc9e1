//! Payloads of real clients, and whatever else may arrive.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failing test may panic")]

mod client;
mod decode;
mod detection;
mod fixture;
mod headless;
mod install;
mod page;
mod plugin;
mod reply;
mod roster;
mod snapshot;
mod switches;
mod transcript;
mod typed;
