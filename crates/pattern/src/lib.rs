//! The one path grammar, read like a `.gitignore`: what a guard protects, which files a feature lists, and what an
//! intent owns are patterns of this grammar, so that a pattern means the same everywhere. docs/patterns.md describes it.
//!
//! A pattern is compared with a path, or with another pattern: a shell command such as `rm **/*.pyc` touches paths that
//! only the shell knows, and the question is whether one of them can be meant. This crate reads text only; it never asks
//! the disk, except through what its caller hands in.

mod brace;
mod fault;
mod list;
mod meeting;
mod name;
mod pattern;

pub use brace::expand;
pub use fault::check;
pub use list::{PatternList, last_match};
pub use name::{Case, has_wildcard, name_matches};
pub use pattern::{Pattern, Scope, Touched};
