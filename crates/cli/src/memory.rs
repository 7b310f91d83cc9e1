//! The traces of the project that a command works in.

use std::path::PathBuf;

use stead_evidence::Ground;
use stead_memory::{Capture, Captured, History, Memory, MemoryError, Records, Retrievals, TraceSearch, Traces};
use stead_store::{Layout, Marker, Room, UserDirs};

use crate::error::CliError;
use crate::error_code::Coded;
use crate::ledger::state;
use crate::patterns::history;
use crate::project::{Project, env, now_millis};
use crate::proof::ground;
use crate::ui::Ui;

/// The memory of a project, and the person's own.
pub(crate) fn memory(project: &Project) -> Memory {
    let graph = Layout::of(&project.config).dir(project.root(), Room::Graph);
    let id = Marker::read(project.root()).map(|marker| marker.project_id).unwrap_or_default();
    Memory::of(&id, &graph, state(project).as_deref(), UserDirs::of_project(project.root(), &env).map(|dirs| dirs.data))
}

/// Search over the memory of a project.
pub(crate) fn search(project: &Project, memory: &Memory) -> TraceSearch {
    // Where the hook looks, which does not follow the layout.
    let cache = project.root().join(Room::Cache.default_path());
    TraceSearch::of(&memory.book, memory.universal.as_ref(), &cache, project.found.work())
}

/// Which traces were asked for; whoever answers with traces adds them.
pub(crate) fn retrievals(project: &Project) -> Retrievals {
    Retrievals::of(&project.root().join(Room::Cache.default_path()))
}

/// What a project has on record, for commands that count it.
pub(crate) struct OnRecord {
    history: History,
    ground: Ground,
    intents: PathBuf,
    traces: Traces,
}

impl OnRecord {
    pub(crate) fn read(project: &Project, memory: &Memory) -> Result<Self, CliError> {
        let intents = Layout::of(&project.config).dir(project.root(), Room::Intents);
        Ok(Self { history: history(project), ground: ground(project), intents, traces: memory.traces()? })
    }

    pub(crate) fn records(&self) -> Records<'_> {
        let Self { history, ground, intents, traces } = self;
        Records { history, ground, intents, traces, now: now_millis() }
    }
}

/// Captures what the project's logs recorded since the last time. A recorder never stops the command that it runs in.
pub(crate) fn capture(project: &Project) -> Result<Captured, MemoryError> {
    let layout = Layout::of(&project.config);
    let dir = |room| layout.dir(project.root(), room);
    let capture = Capture {
        memory: &memory(project),
        root: project.root().to_owned(),
        context: dir(Room::Context),
        features: dir(Room::Features),
        intents: dir(Room::Intents),
        cache: project.root().join(Room::Cache.default_path()),
        now: now_millis(),
    };
    match project.config.bool("record.traces") {
        true => capture.run(),
        false => Ok(Captured::default()),
    }
}

/// The same for the project around a command that is about something else.
pub(crate) fn capture_quietly(ui: &Ui) {
    if let Ok(project) = Project::find(ui)
        && project.found.is_marked()
    {
        // What could not be captured waits in the logs for the next command.
        let _ = capture(&project);
    }
}

impl From<MemoryError> for CliError {
    fn from(error: MemoryError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        match error {
            MemoryError::Store(source) => source.into(),
            MemoryError::Unreadable { source, .. } => Self::user(message).because(source).coded(code).hinted_if(hint),
            _ => Self::user(message).coded(code).hinted_if(hint),
        }
    }
}
