//! The guards that a new project starts with.

use stead_guard::{STARTERS, State, starter_of, starter_text};

use super::mode::{fresh_path, write};
use crate::error::CliError;
use crate::guards::Guards;
use crate::project::Project;

/// Adds the starter guards, except where a guard of that name applies. Returns what was added.
pub(crate) fn start_guards(project: &Project) -> Result<Vec<&'static str>, CliError> {
    let guards = Guards::load(project)?;
    let mut added = Vec::new();
    for id in STARTERS {
        let path = fresh_path(id, false, project)?;
        let applies = |guard: &stead_guard::Listed| guard.state == State::Active && starter_of(&guard.id) == Some(*id);
        if path.exists() || guards.list.iter().any(applies) {
            continue;
        }
        let text = starter_text(id).map_err(|error| CliError::internal(error.to_string()))?;
        write(id, &path, (None, &text), "enable", "", &[], project)?;
        added.push(*id);
    }
    Ok(added)
}
