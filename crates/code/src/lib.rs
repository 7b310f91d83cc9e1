//! What Stead knows about source code: its language, its syntax nodes, their hashes, and whether a change keeps the
//! behaviour. It works on text that the caller read; it never opens a file.
//!
//! A file becomes a tree: the syntax tree without trivia, with every local name resolved. [`nodes`] hashes its items,
//! and [`classify`] compares two of them. docs/formats/content-hash.md defines the hashes.

mod budget;
mod class;
mod error;
mod hash;
mod language;
mod line;
mod node;
mod tree;

pub use budget::Budget;
pub use class::{Change, Class, Judgement, classify};
pub use error::CodeError;
pub use hash::{Hash, LineHash, Lines, file_hash, line_hash, range_hash};
pub use language::Language;
pub use line::{LineRange, changed_lines, differing};
pub use node::{Node, nodes};
