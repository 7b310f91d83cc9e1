//! The role file: what a role must remember across a compaction, as a Markdown file with a fixed format that a program
//! can check and a person can write.
//!
//! It is read line by line and never rewritten as a whole: [`fix`] changes the lines that break a mechanical rule and
//! no other byte. It knows nothing of sessions or states.

mod check;
mod finding;
mod fix;
mod outline;
mod template;

use std::path::Path;

pub use check::check;
pub use finding::RoleFinding;
pub use fix::fix;
pub(crate) use outline::section;
pub use template::{FORMAT, template};

use crate::ContextError;

/// The size limit of a role file.
pub const ROLE_FILE_LIMIT: usize = 1024 * 1024;

/// The end of the first line, after the role and the dash.
const TITLE_END: &str = "Session Context";

/// The fields at the top, in order.
const FIELDS: [&str; 3] = ["Updated", "Role", "Pane"];

/// The fields must be within this many lines from the first.
const HEAD: usize = 6;

const RECOVERY: &str = "Recovery Steps";
const COMPLETED: &str = "Completed Work";
pub(crate) const PENDING: &str = "Pending";
const KEY_FILES: &str = "Key Files";

/// What the first step of a recovery should be.
const FIRST_STEP: &str = "Read this file";

/// Reads a role file; `None` if there is none.
pub fn read_role_file(path: &Path) -> Result<Option<String>, ContextError> {
    let Some(bytes) = stead_store::read_capped(path, ROLE_FILE_LIMIT)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(ContextError::Content { path: path.to_owned(), line, message: "the bytes are not UTF-8 text".into() })
        }
    }
}

#[cfg(test)]
mod tests;
