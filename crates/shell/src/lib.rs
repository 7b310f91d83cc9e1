//! What a tool call would do: typed effects, found without running anything.
//!
//! The input of file tools is read directly, shell commands and programs in other languages are interpreted, and for
//! unknown tools the shape of the input decides. A part that cannot be followed becomes a gap with the words it was
//! given; nothing is guessed. Guards, self-protection, evidence and records all use [`effects`].
//!
//! It never touches files, the environment, processes or the clock: [`Facts`] and [`Place`] provide what it needs. It
//! names no client, and it judges nothing.

mod command;
mod decode;
mod effect;
mod facts;
mod glob;
mod inline;
mod own_tool;
mod parse;
mod path;
mod place;
mod programs;
mod walk;

pub use command::{lone_command, plain_command, stead_calls};
pub use effect::{effects, is_plain_input};
pub use facts::{Facts, NoFacts};
pub use glob::{MANY, ONE, can_meet, covers, is_open, is_sign};
pub use own_tool::{Field, FieldKind, Need, OWN_SERVER, OWN_TOOLS, OwnTool, Word};
pub use path::{absolute, clean, fold, names};
pub use place::Place;
pub use walk::trust::TOOL_FOLDERS;
