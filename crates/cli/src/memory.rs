//! The traces of the project that a command works in.

use stead_memory::{Memory, MemoryError};
use stead_store::{Layout, Marker, Room, UserDirs};

use crate::error::CliError;
use crate::ledger::state;
use crate::project::{Project, env};

/// The memory of a project, and the person's own.
pub(crate) fn memory(project: &Project) -> Memory {
    let graph = Layout::of(&project.config).dir(project.root(), Room::Graph);
    let id = Marker::read(project.root()).map(|marker| marker.project_id).unwrap_or_default();
    Memory::of(&id, &graph, state(project).as_deref(), UserDirs::from_env(&env).map(|dirs| dirs.data))
}

impl From<MemoryError> for CliError {
    fn from(error: MemoryError) -> Self {
        let hint = error.hint();
        let message = error.to_string();
        match error {
            MemoryError::Store(source) => source.into(),
            _ => Self::user(message).hinted_if(hint),
        }
    }
}
