//! Reads guard files: from YAML to guards, with a place and a hint for everything that is wrong.

mod condition;
mod example;
mod reader;
mod used;
mod whole;

pub(crate) use whole::{Draft, read_source};
