//! A client's settings text: insert, remove and check hook lines without touching the rest.
//!
//! Settings files belong to the person. Stead writes a few lines into them, so it must be able to find those lines
//! again, to put them in and take them out without disturbing a comment, and to tell whether somebody else's edit
//! would switch them off. Everything here is text in, text out: no file is read, nothing is executed, and a text that
//! cannot be understood gives an error, never a changed text.

mod command;
mod document;
mod error;
mod finding;
mod insert;
mod json_text;
mod judge;
mod line;
mod place;
mod problem;
mod remove;
mod structure;
mod toml_text;
mod watch;

pub use command::our_command;
pub use error::SettingsError;
pub use finding::{Finding, findings, replace_old};
pub use insert::{NewLine, insert};
pub use judge::judge_edit;
pub use line::{OurLine, has_our_lines, our_lines};
pub use problem::Problem;
pub use remove::{is_bare, remove};
pub use watch::switches;
