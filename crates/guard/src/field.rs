//! Fields of a document: what a write or an edit would change in a JSON, YAML or TOML file, found by applying the
//! change in memory and comparing.

mod diff;
mod document;
mod owner;
mod rule;
mod version;

pub(crate) use document::{Document, Format, read};
pub(crate) use owner::Owner;
pub(crate) use rule::{FieldHit, FieldRule, FieldTest};
pub use version::texts_after;
pub(crate) use version::{After, Paper, Sheet};
