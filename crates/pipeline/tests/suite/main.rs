//! The engine against real files and real processes; agents are small shell scripts.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod adopt;
mod amend;
mod clock;
mod disk;
mod failure;
mod formats;
mod inputs;
mod kill;
mod limits;
mod orchestrate;
mod orchestrate_kill;
mod orchestrate_more;
mod page;
mod place;
mod plan;
mod quota;
mod rebuild;
mod schedule;
mod termination;
mod verify;
mod view;
mod worktree;
mod world;
