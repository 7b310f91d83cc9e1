//! Reads guard files: from YAML to guards, with a position and a hint for every problem.

mod condition;
mod example;
mod reader;
mod used;
mod whole;

pub(crate) use condition::is_secret_path;
pub(crate) use whole::{Draft, read_source};
