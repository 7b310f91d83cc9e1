//! A client's settings text: insert, remove and check hook lines without touching the rest.
//!
//! Settings files belong to the person. Stead writes a few lines into them, so it must be able to find those lines
//! again, insert and remove them without disturbing a comment, and tell whether another edit would disable them.
//! Everything here is text in, text out: it reads no file and executes nothing, and a text that it cannot parse is an
//! error, never a changed text.

mod command;
mod document;
mod edit_check;
mod entry;
mod error;
mod finding;
mod insert;
mod json_text;
mod line;
mod position;
mod problem;
mod remove;
mod restore;
mod structure;
mod toml_text;
mod watch;

pub use command::{our_command, our_program};
pub use entry::EntryPlace;
pub use error::SettingsError;
pub use finding::{Finding, findings, replace_old};
pub use insert::{NewLine, insert};
pub use line::{OurLine, has_our_lines, our_lines};
pub use problem::Problem;
pub use remove::{is_bare, remove};
pub use watch::Watch;
