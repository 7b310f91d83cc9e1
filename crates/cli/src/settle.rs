//! What is done after a command because nobody else does it: changes of guards that were interrupted are finished, a
//! guard that people keep overriding goes one mode down, and patterns are looked for when a session has ended. It runs
//! outside the hook path, prints at most a note to a person, and never fails a command.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use stead_guard::{Mode, Origin, State, mode_of, set_mode};
use stead_hook::{Appeal, GuardChange, Override, StarterNews, VerdictLine};
use stead_ledger::trace::Ledger;
use stead_memory::{DEMOTION, Demotion, FileChange, History, PatternBook, Standing, demotions};
use stead_model::FileId;
use stead_store::{Durability, Exact, Layout, Room, replace_creating};

use crate::error::CliError;
use crate::guards::{Guards, path_of};
use crate::memory::memory;
use crate::patterns::{extraction, graph, guard_folders, versions};
use crate::project::{Project, now, now_millis};
use crate::ui::Ui;

/// The largest session log that is searched without being asked. `stead memory patterns` searches larger ones.
const LARGEST_LOG: u64 = 64 * 1024 * 1024;

/// How much of the new part of the log is searched for the end of a session.
const NEW_PART: u64 = 8 * 1024 * 1024;

/// The logs together may have so many bytes for what is due to be done within the time that a look may take.
const QUICK: u64 = 1024 * 1024;

/// Returns true if what is due after a command takes no time that a person would notice, because the logs are short.
pub(crate) fn is_quick(ui: &Ui) -> bool {
    let Ok(project) = Project::find(ui) else { return false };
    let layout = Layout::of(&project.config);
    let ledger = Ledger::of(&layout.dir(project.root(), Room::Intents), None);
    let logs =
        [project.indexes().join(History::LOG), memory(&project).book.path().to_owned(), ledger.path().to_owned()];
    logs.iter().map(|log| length(log)).sum::<u64>() <= QUICK
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.len())
}

/// Does what is due in the project that a command worked in.
pub(crate) fn settle(ui: &mut Ui) {
    if let Ok(project) = Project::find(ui)
        && project.found.is_marked()
    {
        // Whatever fails is left to the next command.
        let _ = settle_in(&project, ui);
    }
}

fn settle_in(project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    versions(project).recover(&guard_folders(project))?;
    let indexes = project.indexes();
    let now = Seen::look(&indexes);
    let seen = Seen::read(project);
    let decided = (seen.overrides, seen.appeals) != (now.overrides, now.appeals);
    let ended = now.log <= LARGEST_LOG && has_boundary(&indexes.join(History::LOG), seen.log, now.log);
    if !decided && !ended {
        return Ok(());
    }
    if decided {
        demote(project, ui)?;
    }
    if ended {
        let found = extraction(project, &Guards::load(project)?, &mut |_| {})?;
        let news = PatternBook::of(&graph(project)).update(&found.patterns)?;
        let room = guard_folders(project).project;
        for starter in StarterNews::look(&indexes, &room, now_millis()) {
            if starter.is_due() && ui.is_interactive() {
                ui.note(format!("note: {}", starter.told()));
            }
        }
        if news > 0 && ui.is_interactive() {
            ui.note("note: repeated mistakes propose a change; `stead memory patterns` lists them");
        }
    }
    now.write(project)
}

/// How long the logs were when they were last looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    overrides: u64,
    appeals: u64,
    log: u64,
}

impl Seen {
    fn look(indexes: &Path) -> Self {
        Self {
            overrides: length(&Override::path(indexes)),
            appeals: length(&Appeal::path(indexes)),
            log: length(&indexes.join(History::LOG)),
        }
    }

    fn path(project: &Project) -> PathBuf {
        project.root().join(Room::Cache.default_path()).join("settled")
    }

    fn read(project: &Project) -> Self {
        let text = stead_store::read_text(&Self::path(project)).unwrap_or_default();
        let mut numbers = text.split_whitespace().filter_map(|number| number.parse().ok());
        let mut next = || numbers.next().unwrap_or(0);
        Self { overrides: next(), appeals: next(), log: next() }
    }

    fn write(self, project: &Project) -> Result<(), CliError> {
        let text = format!("{} {} {}\n", self.overrides, self.appeals, self.log);
        Ok(replace_creating(&Self::path(project), Exact::Own.bytes(&text), Durability::Quick)?)
    }
}

/// Returns true if a session ended or began in the new part of the log. Not every client tells the end.
fn has_boundary(log: &Path, from: u64, to: u64) -> bool {
    let from = if from > to { 0 } else { from };
    let from = from.max(to.saturating_sub(NEW_PART));
    let Ok(mut file) = stead_store::open_file(log) else { return false };
    let mut bytes = Vec::new();
    if to == from || file.seek(SeekFrom::Start(from)).is_err() || file.take(to - from).read_to_end(&mut bytes).is_err()
    {
        return false;
    }
    let text = String::from_utf8_lossy(&bytes);
    ["session-end", "session-start"].iter().any(|event| text.contains(&format!("\"event\":\"{event}\"")))
}

/// Moves guards that people keep overriding one mode down.
fn demote(project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    let indexes = project.indexes();
    let standing = Standing::read(&indexes)?;
    let log = indexes.join(History::LOG);
    let session_of = |verdict: &str| VerdictLine::find(&log, verdict).ok().flatten()?.session;
    let changed = versions(project).last_changes()?;
    for demotion in demotions(DEMOTION, &standing, &changed, &session_of, now_millis()) {
        if let Some(change) = step_down(project, &demotion)? {
            ui.note(format!("note: {}", change.told()));
        }
    }
    Ok(())
}

/// Changes the file of a guard; a guard of the person or of the binary is not touched, because it is not the project's.
fn step_down(project: &Project, demotion: &Demotion) -> Result<Option<GuardChange>, CliError> {
    let guards = Guards::load(project)?;
    let Ok(members) = guards.members(&demotion.guard) else { return Ok(None) };
    let own = members.iter().find(|guard| guard.origin == Origin::Project && guard.state == State::Active);
    let Some((guard, source)) = own.and_then(|guard| Some((guard, guards.source_of(guard)?))) else { return Ok(None) };
    let (Some(path), Ok(id)) = (path_of(project, guard), FileId::check(&demotion.guard)) else { return Ok(None) };
    let Some(mode) = mode_of(&source.text).unwrap_or(guard.mode).demoted() else { return Ok(None) };
    let now = now();
    let new = noted(&set_mode(&source.text, mode), &now, guard.mode, mode, demotion);
    let change = FileChange {
        guard: id,
        path: &path,
        user: false,
        old: Some(&source.text),
        new: &new,
        what: "demote",
        by: GuardChange::STEAD,
        why: &demotion.why,
        evidence: &demotion.evidence,
        now: &now,
    };
    Ok(Some(versions(project).change(&change)?))
}

/// Adds the reason as a comment, so that it can be committed with the change.
fn noted(text: &str, now: &str, from: Mode, to: Mode, demotion: &Demotion) -> String {
    let day = now.get(..10).unwrap_or_default();
    let (from, to, why) = (from.name(), to.name(), &demotion.why);
    format!("# {day}: from {from} to {to}, because {why}: {}\n{text}", demotion.evidence.join(", "))
}
