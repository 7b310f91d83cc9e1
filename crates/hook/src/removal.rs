//! The removal of a project from this machine: what the person's state folder keeps about it, and whether a project folder
//! that is gone was deleted by a person. It deletes nothing that is about another checkout.

use std::fs;
use std::path::{Path, PathBuf};

use stead_store::seal::{OpenSession, Seal, Sealed};
use stead_store::{
    Config, Layout, MARKER, OWN, OwnFolder, ProjectEnd, ProjectState, Room, StoreError, UserDirs, delete, real_path,
};

use crate::agent_sign::is_by_doctor;
use crate::guard::ProgramConsent;
use crate::location::{Env, pointers_to};
use crate::record::{forget_notes, now_millis};
use crate::seal::{Kind, SESSIONS, open_sessions, sealed_configs, sealed_marker, still_open};

/// What the state folder keeps about one checkout.
pub struct StateOfProject {
    root: PathBuf,
    state: PathBuf,
    layout: Layout,
    known: Vec<ProjectState>,
    rooms: Vec<PathBuf>,
}

impl StateOfProject {
    /// `None` without a state folder.
    pub fn of(root: &Path, env: &Env) -> Option<Self> {
        let UserDirs { state, .. } = UserDirs::of_project(root, env)?;
        let known = ProjectState::all_of(&state, root);
        let layout = Layout::of(&Config::load_sealed(Some(root), env, &[], &sealed_configs(root, env)).0);
        let mut rooms = chained_rooms(root, &layout);
        // Settings that are gone may have moved them.
        let logs = known.iter().flat_map(|known| Seal::new(known.dir(), root).logs());
        rooms.extend(logs.filter_map(|log| root.join(log.path).parent().map(Path::to_owned)));
        rooms.sort();
        rooms.dedup();
        Some(Self { root: root.to_owned(), state, layout, known, rooms })
    }

    /// Returns true if anything is known about the checkout, so that it is or was a project.
    pub fn is_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// The files and folders that are about this checkout only.
    pub fn places(&self) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> = self.known.iter().map(|known| known.dir().to_owned()).collect();
        places.extend(self.known.iter().flat_map(|known| known.heads(&self.rooms)));
        places.extend(self.others());
        places
    }

    /// Those outside the folder of the project's state: remembered sessions, and consents to programs.
    fn others(&self) -> Vec<PathBuf> {
        [pointers_to(&self.state, &self.root), ProgramConsent::all_of(&self.state, &self.root)].concat()
    }

    /// The sessions that are open in the project now.
    pub fn open_sessions(&self, indexes: &Path) -> Vec<OpenSession> {
        let now = now_millis();
        let mut open = open_sessions(&indexes.join("sessions.jsonl"), now);
        let is_there = indexes.join("sessions.jsonl").is_file();
        if !is_there {
            let sealed = self.known.iter().filter_map(|known| Seal::new(known.dir(), &self.root).open_sessions());
            open.extend(still_open(sealed.flatten().collect(), now));
        }
        open
    }

    /// Ends the project: nothing is sealed any more, and nobody seals it until it begins again.
    pub fn end(&self, sessions: &[OpenSession], now: &str) -> Result<(), StoreError> {
        let marked = ProjectState::find(&self.state, &self.root).filter(|found| !self.known.contains(found));
        for known in self.known.iter().chain(&marked) {
            known.end(&self.root, sessions.to_vec(), now)?;
        }
        Ok(())
    }

    /// Lets a project that ended begin again.
    pub fn begin_again(&self) -> Result<(), StoreError> {
        self.known.iter().try_for_each(|known| known.begin_again(&self.root, &self.rooms))
    }

    /// Deletes all of it. By the folders of its state the rest is known, so they go last: an interrupted call can be repeated.
    pub fn forget(&self) -> Result<(), StoreError> {
        self.others().iter().try_for_each(|path| delete(path))?;
        forget_notes(&self.state, &self.root)?;
        // An interrupted removal may have left it empty.
        let _ = fs::remove_dir(self.root.join(OWN));
        self.known.iter().try_for_each(|known| known.forget(&self.rooms))
    }

    /// Returns true if a person ended the project and deleted its folder later, so that nobody needs the rest.
    pub fn is_over(&self) -> bool {
        let has_ended = |known: &ProjectState| ProjectEnd::read(known.dir()).is_some();
        self.known.iter().any(has_ended) && OwnFolder::of(&self.root, &self.layout).is_empty()
    }
}

/// The folders of logs whose ends are kept in the state folder, as the project and its real path name them.
pub(crate) fn chained_rooms(root: &Path, layout: &Layout) -> Vec<PathBuf> {
    let real = real_path(root).unwrap_or_else(|_| root.to_owned());
    let roots = [root, real.as_path()];
    roots.into_iter().flat_map(|root| [Room::Intents, Room::Graph].map(|room| layout.dir(root, room))).collect()
}

/// What became of a project whose folder is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It is there, or nothing is known of one.
    None,
    /// No session was open, so a person deleted it.
    ByPerson,
    /// A session was open, or nobody counted them: what was sealed stays in force.
    Unknown { open: Vec<OpenSession> },
}

impl Removal {
    /// Finds out about a project that has no marker but a seal. Usually this looks for one file.
    ///
    /// A checkout of a commit without `.agent` is no removal: git leaves the session log, which it ignores.
    pub fn of(root: &Path, env: &Env) -> Self {
        if fs::symlink_metadata(root.join(MARKER)).is_ok() || sealed_marker(root, env).is_none() {
            return Self::None;
        }
        let state = UserDirs::of_project(root, env).and_then(|dirs| ProjectState::sealed(&dirs.state, root));
        let Some(state) = state else { return Self::None };
        let seal = Seal::new(state.dir(), root);
        let layout = Layout::of(&Config::load_sealed(Some(root), env, &[], &sealed_configs(root, env)).0);
        let log = layout.dir(root, Room::Context).join(SESSIONS);
        let is_left = |file: Sealed| {
            let is_own = file.sha256.is_some() && file.kind != Kind::Cache.name() && file.path.starts_with(OWN);
            is_own && fs::symlink_metadata(seal.path_of(&file.path)).is_ok()
        };
        if log.exists() || seal.files().into_iter().any(is_left) {
            return Self::None;
        }
        match seal.open_sessions().map(|known| still_open(known, now_millis())) {
            Some(open) if open.is_empty() => Self::ByPerson,
            open => Self::Unknown { open: open.unwrap_or_default() },
        }
    }
}

/// Forgets a project whose folder a person deleted before this session began. Returns true if so.
pub(crate) fn forgets_deleted(root: &Path, env: &Env) -> bool {
    !is_by_doctor(env)
        && Removal::of(root, env) == Removal::ByPerson
        && StateOfProject::of(root, env).is_some_and(|state| state.forget().is_ok())
}
