//! The real binary in sealed worlds, its whole output compared.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod bad_input;
mod client;
mod commands;
mod compaction;
mod config;
mod context;
mod definitions;
mod doctor;
mod evidence;
mod guard_client;
mod guard_command;
mod guard_file;
mod guard_hold;
mod guard_mode;
mod guard_role;
mod handoff;
mod help;
mod hook;
mod init;
mod logs;
mod loop_;
mod migrate;
mod packet;
mod person;
mod pickup;
mod record;
mod repository;
mod role;
mod root;
mod run;
mod schema;
mod terminal;
mod uninstall;
mod where_;
mod world;
