//! The small languages inside a guard: paths, commands, texts and names.

mod argv;
mod flag;
mod meeting;
mod name;
mod path;
mod text;

pub(crate) use argv::ArgvPattern;
pub(crate) use name::{is_open, meets, one_of};
pub(crate) use path::{PathPattern, Scope, any_path, covers_path, means};
pub(crate) use text::TextPattern;
