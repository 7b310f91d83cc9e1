//! The ledger of the project that a command works in, and what hook calls left to finish.

use std::path::PathBuf;

use stead_ledger::LedgerError;
use stead_ledger::trace::{Ledger, Spooled, TraceCache};
use stead_model::FileId;
use stead_store::{Layout, Marker, Room, UserDirs};

use crate::error::CliError;
use crate::error_code::Coded;
use crate::project::{Project, env};
use crate::ui::Ui;

/// The ledger of a project, after what waits was finished.
pub(crate) fn ledger(project: &Project) -> Ledger {
    let ledger = Ledger::of(&Layout::of(&project.config).dir(project.root(), Room::Intents), state(project).as_deref());
    finish(project, &ledger);
    ledger
}

/// Finishes what hook calls left, if anything waits. A failure leaves it to the next command.
pub(crate) fn finish_waiting(ui: &Ui) {
    if let Ok(project) = Project::find(ui)
        && project.found.is_marked()
        && Spooled::waits(&cache(&project))
    {
        ledger(&project);
    }
}

fn finish(project: &Project, ledger: &Ledger) {
    let cache = cache(project);
    if Spooled::waits(&cache) {
        let _ = Spooled::finish_all(ledger, &cache, project.found.work());
    }
}

fn cache(project: &Project) -> TraceCache {
    // Where the hook looks, which does not follow the layout.
    TraceCache::of(&project.root().join(Room::Cache.default_path()))
}

/// The folder for this project in the person's state folder.
pub(crate) fn state(project: &Project) -> Option<PathBuf> {
    let id = Marker::read(project.root()).ok()?.project_id;
    let id = FileId::check(&id).ok()?;
    Some(UserDirs::of_project(project.root(), &env)?.state.join("projects").join(id.as_str()))
}

impl From<LedgerError> for CliError {
    fn from(error: LedgerError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            LedgerError::Store(source) => return source.into(),
            LedgerError::Malformed { .. } => Self::config(message),
            LedgerError::Invalid { .. } => Self::usage(message),
            _ => Self::user(message),
        };
        told.coded(code).hinted_if(hint)
    }
}
