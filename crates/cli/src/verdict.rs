//! A verdict named on the command line.

use stead_hook::{VerdictLine, read_verdict_id};
use stead_model::nearest;

use crate::error::CliError;
use crate::project::Project;

/// Finds the verdict with this id, or suggests one.
pub(crate) fn find_verdict(project: &Project, typed: &str) -> Result<VerdictLine, CliError> {
    let log = project.indexes().join("sessions.jsonl");
    let found = match read_verdict_id(typed) {
        Some(id) => VerdictLine::find(&log, &id)?,
        None => None,
    };
    found.ok_or_else(|| {
        let known = VerdictLine::last_ids(&log, 50);
        let typed = typed.trim().trim_start_matches('[').trim_end_matches(']');
        let error = CliError::not_found(format!("there is no verdict `{typed}` in the session log"));
        match (nearest(typed, known.iter().map(String::as_str)), known.first()) {
            (Some(near), _) => error.hinted(format!("did you mean `{near}`?")),
            (None, Some(last)) => error.hinted(format!("the last one is `{last}`")),
            (None, None) => error.hinted("a denial ends with the id of its verdict in brackets, as in `[v-…]`"),
        }
    })
}
