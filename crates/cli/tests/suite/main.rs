//! The real binary in sealed worlds, its whole output compared.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod bad_input;
mod commands;
mod compaction;
mod config;
mod context;
mod doctor;
mod handoff;
mod hook;
mod init;
mod loop_;
mod migrate;
mod packet;
mod pickup;
mod record;
mod role;
mod root;
mod schema;
mod uninstall;
mod where_;
mod world;
