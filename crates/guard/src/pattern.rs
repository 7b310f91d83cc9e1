//! The small languages inside a guard: commands, texts and names, and paths against the targets of effects.

mod argv;
mod flag;
mod name;
mod path;
mod text;

pub(crate) use argv::ArgvPattern;
pub(crate) use name::{meets, one_of};
pub(crate) use path::{any_path, covers_path, means, touched};
pub(crate) use text::TextPattern;
