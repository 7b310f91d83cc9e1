//! Sealed worlds for tests: a project, a home folder and an environment that hold nothing of the machine's own, in
//! which the real binary runs and its whole output is compared; a scripted model for the programs that need one, and texts
//! that try to take one over.
//!
//! For tests only; nothing that ships depends on it. It fails by panicking, as tests do.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod extent;
pub mod fake_model;
mod injection;
mod machine;
mod run;
mod world;

pub use extent::{extent, is_thorough, rows};
pub use injection::Injection;
pub use machine::{again_in_small_mount, allows_own_mounts, let_children_be_interrupted, skip};
pub use run::Run;
pub use world::{Finish, World};
