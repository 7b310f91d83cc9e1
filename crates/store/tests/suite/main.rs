//! The project folder on a real file system, with real processes, mounts and git.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod append;
mod chain;
mod child;
mod file;
mod init;
mod lines;
#[cfg(unix)]
mod reader;
mod revision;
mod root;
mod schema;
mod vouched;
