//! What the commands about patterns and guards share: the recorded history of the project, its traces, and the versions
//! of its guards.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use stead_guard::State;
use stead_memory::{
    Extraction, GuardFolders, GuardVersions, History, MemoryError, Pattern, PatternFacts, Reading, Trace,
    extract_patterns,
};
use stead_model::nearest;
use stead_store::{Layout, Room, UserDirs};

use crate::error::CliError;
use crate::guards::Guards;
use crate::memory::memory;
use crate::project::{Project, env, now};
use crate::ui::Ui;

/// The folder of traces, patterns and proposals.
pub(crate) fn graph(project: &Project) -> PathBuf {
    Layout::of(&project.config).dir(project.root(), Room::Graph)
}

pub(crate) fn history(project: &Project) -> History {
    let home = env("HOME").and_then(|home| home.into_string().ok()).filter(|home| home.len() > 1);
    let home = home.map(|home| home.trim_end_matches('/').to_owned());
    History { indexes: project.indexes(), root: project.root().to_owned(), home }
}

pub(crate) fn versions(project: &Project) -> GuardVersions {
    GuardVersions::of(&graph(project))
}

/// Where guard files are.
pub(crate) fn guard_folders(project: &Project) -> GuardFolders {
    let user = UserDirs::of_project(project.root(), &env).map(|dirs| dirs.config.join("guards"));
    GuardFolders { project: Layout::of(&project.config).dir(project.root(), Room::Guards), user }
}

/// Finds the patterns of the project.
pub(crate) fn extraction(
    project: &Project,
    guards: &Guards,
    progress: &mut dyn FnMut(Reading),
) -> Result<Extraction, CliError> {
    let traces: Vec<Trace> = memory(project).traces()?.iter().map(|known| known.trace.clone()).collect();
    let active = guards.list.iter().filter(|guard| guard.state == State::Active);
    let modes = active.map(|guard| (guard.id.clone(), guard.mode)).collect();
    Ok(extract_patterns(&history(project), &traces, &PatternFacts { modes, now: now() }, progress)?)
}

/// Finds a pattern by its id.
pub(crate) fn find_pattern<'e>(extraction: &'e Extraction, id: &str) -> Result<&'e Pattern, CliError> {
    let typed = id.trim();
    extraction.patterns.iter().find(|pattern| pattern.id == typed).ok_or_else(|| {
        let ids = extraction.patterns.iter().map(|pattern| pattern.id.as_str());
        let nearest = nearest(typed, ids).map(str::to_owned);
        MemoryError::UnknownPattern { id: typed.to_owned(), nearest }.into()
    })
}

/// Shows on standard error how much of the history was read, if that takes long.
pub(crate) struct HistoryProgress {
    since: Instant,
    told: Instant,
    bar: Option<ProgressBar>,
}

impl HistoryProgress {
    /// Until then, nothing is shown.
    const SOON: Duration = Duration::from_millis(700);
    /// How often a line is printed if there is no terminal.
    const PAUSE: Duration = Duration::from_secs(5);

    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self { since: now, told: now, bar: None }
    }

    pub(crate) fn show(&mut self, reading: Reading, ui: &mut Ui) {
        if self.since.elapsed() < Self::SOON || reading.of == 0 {
            return;
        }
        if std::io::stderr().is_terminal() {
            let style = || ProgressStyle::with_template("reading the history {bar:24} {percent:>3} %");
            let bar = self.bar.get_or_insert_with(|| {
                ProgressBar::new(reading.of).with_style(style().unwrap_or_else(|_| ProgressStyle::default_bar()))
            });
            bar.set_position(reading.bytes);
        } else if self.told.elapsed() > Self::PAUSE {
            self.told = Instant::now();
            ui.note(format!("reading the history: {} %", reading.bytes * 100 / reading.of));
        }
    }
}

impl Drop for HistoryProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
