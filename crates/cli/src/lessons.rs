//! The lessons of the project a command works in.

use stead_hook::lesson_runs;
use stead_ledger::lesson::{Learning, Lessons, learn};
use stead_store::{Layout, Room};

use crate::ledger::ledger;
use crate::project::{Project, now};
use crate::proof::ground;
use crate::ui::Ui;

/// How many records of tests and builds are searched.
const RUNS: usize = 500;

pub(crate) fn lessons(project: &Project) -> Lessons {
    let tokens = usize::try_from(project.config.number("context.lesson_tokens")).unwrap_or(0);
    Lessons::of(&intents(project), &project.indexes(), tokens)
}

/// The folder of the intents.
pub(crate) fn intents(project: &Project) -> std::path::PathBuf {
    Layout::of(&project.config).dir(project.root(), Room::Intents)
}

/// Learns from tests and builds that failed and passed later. A failure to do so is only a warning.
pub(crate) fn learn_from_runs(project: &Project, ui: &mut Ui) {
    if !project.found.is_marked() || !project.config.bool("record.lessons") {
        return;
    }
    let runs = lesson_runs(&ground(project), RUNS, 0);
    let ledger = ledger(project);
    let learning = Learning { runs: &runs, ledger: &ledger, ended: None, now: &now() };
    if let Err(error) = learn(&lessons(project), &learning) {
        ui.warning(format!("lessons were not updated: {error}"));
    }
}
