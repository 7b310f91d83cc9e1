//! What is left of a project once its hooks are gone: its folder, and what the person's state folder keeps about it.

use std::fs;
use std::path::{Path, PathBuf};

use stead_hook::StateOfProject;
use stead_install::{Reach, installed_in};
use stead_pipeline::{ViewStatus, list_runs};
use stead_store::seal::OpenSession;
use stead_store::{Layout, OWN, OwnFolder, Room};

use crate::error::CliError;
use crate::git::Git;
use crate::here::Here;
use crate::project::{env, now, now_millis};
use crate::seal::client_title;
use crate::ui::{Ui, counted};

/// The project folder, as git names it.
const FOLDER: &str = ".agent/";

pub(super) struct Rest {
    root: PathBuf,
    runs: PathBuf,
    pub(super) folder: OwnFolder,
    state: Option<StateOfProject>,
    /// Sessions that are open: their clients call Stead until they end, whatever the settings say now.
    pub(super) sessions: Vec<OpenSession>,
}

impl Rest {
    /// `None` where nothing is, or was, a project.
    pub(super) fn of(here: &Here) -> Option<Self> {
        let (root, layout) = (here.project.root(), Layout::of(&here.project.config));
        let state = StateOfProject::of(root, &env);
        let is_known = state.as_ref().is_some_and(StateOfProject::is_known);
        if !here.project.found.is_marked() && !is_known {
            return None;
        }
        let sessions = state.as_ref().map(|state| state.open_sessions(&here.project.indexes())).unwrap_or_default();
        let (root, runs) = (root.to_owned(), layout.dir(root, Room::Runs));
        Some(Self { folder: OwnFolder::of(&root, &layout), root, runs, state, sessions })
    }

    /// What can be deleted, in full.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        let state = self.state.as_ref().map(StateOfProject::places).unwrap_or_default();
        self.folder.own.iter().cloned().chain(state).collect()
    }

    /// The same as rows: a name, and what it is.
    pub(super) fn rows(&self, here: &Here) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        if !self.folder.is_empty() {
            let files = counted(self.folder.own.iter().map(|path| files_in(path)).sum(), "file");
            let tracked = Git { root: &self.root }.tracked_below(&[FOLDER.to_owned()]).len();
            let tracked = if tracked == 0 { String::new() } else { format!(", {tracked} of them in git") };
            rows.push((FOLDER.to_owned(), format!("settings, guards and records ({files}{tracked})")));
        }
        let state = self.state.as_ref().map(StateOfProject::places).unwrap_or_default();
        if let Some(above) = state.first().and_then(|dir| dir.ancestors().nth(3)) {
            let what = format!("seal, trust and ends of logs of this project ({} places)", state.len());
            rows.push((format!("{}/", here.site().brief(above)), what.replace("(1 places)", "(1 place)")));
        }
        rows
    }

    /// Why it must not be deleted now, and what to do about it.
    pub(super) fn obstacle(&self) -> Option<(String, String)> {
        let (runs, _) = list_runs(&self.runs);
        if let Some(run) = runs.iter().find(|run| run.status == ViewStatus::Running) {
            let what = format!("run `{}` is at work, and its files are in `.agent/`", run.run);
            return Some((what, format!("end it with `stead stop {}`", run.run)));
        }
        if self.folder.is_link {
            let what = "`.agent` is a link, and what it leads to may not be this project's alone";
            return Some((what.to_owned(), "delete the link, and what it leads to, yourself".to_owned()));
        }
        let dirty = Git { root: &self.root }.unsaved_worktree_below(&self.root.join(OWN))?;
        let what = format!("the worktree `{}` has changes that are not committed", dirty.display());
        Some((what, "commit them there, or remove it with `git worktree remove --force`".to_owned()))
    }

    /// Ends the project: from now on nothing of it is sealed. Without its folder there is nothing to keep.
    pub(super) fn end(&self) -> Result<(), CliError> {
        match &self.state {
            Some(state) if self.folder.is_empty() && !self.folder.is_link => Ok(state.forget()?),
            Some(state) => Ok(state.end(&self.sessions, &now())?),
            None => Ok(()),
        }
    }

    /// Deletes the folder and what is known about it. Whatever happens in between, the same command does the rest.
    pub(super) fn delete(&self) -> Result<(), CliError> {
        self.folder.delete()?;
        match &self.state {
            Some(state) => Ok(state.forget()?),
            None => Ok(()),
        }
    }

    /// What a person should know about open sessions.
    pub(super) fn tell_sessions(&self, ui: &mut Ui) {
        let so = if OwnFolder::exists(&self.root) { ", with the guards in `.agent/`" } else { "" };
        for one in &self.sessions {
            ui.note(format!("note: {}", session_words(one, so)));
        }
    }

    /// What of the project is not deleted, and why.
    pub(super) fn tell_others(&self, ui: &mut Ui) {
        for path in &self.folder.foreign {
            ui.note(format!("note: `{path}` stays: Stead did not make it"));
        }
        for path in &self.folder.elsewhere {
            ui.note(format!("note: `{path}` stays: it is outside `.agent/`"));
        }
    }
}

/// Where a person's own settings still call Stead, for every project.
pub(super) fn user_files(here: &Here) -> Vec<String> {
    let site = here.site();
    let paths = installed_in(&site, &[Reach::User]).into_iter().flat_map(|client| client.paths);
    paths.map(|path| site.brief(&path)).collect()
}

/// A session that is open, with what to do about it.
fn session_words(one: &OpenSession, so: &str) -> String {
    let title = client_title(&one.harness);
    let minutes = (now_millis() - one.seen).max(0) / 60_000;
    let ago = match minutes {
        0 => "less than a minute ago".to_owned(),
        1..120 => format!("{} ago", counted(minutes as usize, "minute")),
        _ => format!("{} hours ago", minutes / 60),
    };
    format!(
        "session `{}` of {title} has not ended (last call {ago}) and may still call Stead{so}, until you restart {title} there",
        one.session
    )
}

fn files_in(path: &Path) -> usize {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => {
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| files_in(&entry.path())).sum()
        }
        Ok(_) => 1,
        Err(_) => 0,
    }
}
