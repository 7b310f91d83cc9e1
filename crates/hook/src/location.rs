//! Where a call is made: the project it belongs to and the folder its relative paths start from.
//!
//! The project is fixed when a session is first seen. A later `cd` of the agent moves only the folder that relative
//! paths start from; otherwise leaving the project would leave its gates too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agent_sign::is_by_doctor;
use crate::seal::sealed_marker;
use stead_client::Harness;
use stead_model::{Event, EventKind, FileId};
use stead_store::{Durability, Exact, Found, OWN, Person, UserDirs, find_root, path_from_bytes, replace_creating};

/// How long a session's project is remembered, and how many sessions are checked when one starts.
const REMEMBERED: Duration = Duration::from_secs(60 * 24 * 3600);
const LOOKED_AT: usize = 200;

/// Set by `stead doctor` to its process id: its calls are not recorded.
pub(crate) const DOCTOR: &str = "STEAD_DOCTOR";

pub(crate) type Env<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// A project with Stead's marker, or none, and the agent's folder.
pub(crate) struct Location {
    pub(crate) found: Found,
    pub(crate) cwd: PathBuf,
    /// Another project that the call may belong to as well; its gates count, too.
    pub(crate) rival: Option<PathBuf>,
}

impl Location {
    /// The project root, if it has the marker.
    pub(crate) fn root(&self) -> Option<&Path> {
        self.found.is_marked().then(|| self.found.dir())
    }

    /// Finds the project of an event. Whoever sets the client's variable or moves the folder of remembered sessions must
    /// not lead the call out of the project it is made in.
    pub(crate) fn of(harness: Harness, event: &Event<'_>, env: &Env) -> Self {
        let cwd = event.cwd.as_deref().map(PathBuf::from).filter(|path| path.is_absolute());
        let cwd = cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let named = pinned(harness, env).map(|project| find_project(&project, env));
        let pinned = named.as_ref().filter(|found| found.is_marked());
        if let Some(found) = pinned.filter(|found| holds(found, &cwd)) {
            if event.kind == EventKind::SessionStart {
                remember(Pointer::of(harness, event, env), found, env);
            }
            return Self { found: found.clone(), cwd, rival: None };
        }
        let pointer = Pointer::of(harness, event, env);
        let remembered = pointer.as_ref().and_then(|pointer| pointer.read(env));
        let started_in = std::env::current_dir().ok();
        let is_usual = |found: &&Found| holds(found, &cwd) && started_in.as_deref().is_none_or(|dir| holds(found, dir));
        if let (None, Some(found)) = (pinned, remembered.as_ref().filter(is_usual)) {
            return Self { found: found.clone(), cwd, rival: None };
        }
        // From here on, the agent has left the project, or somebody changed the environment.
        let project = event.project.as_deref().map(Path::new).filter(|path| path.is_absolute());
        let here = find_project(project.unwrap_or(&cwd), env);
        let started_in = started_in.map(|folder| find_project(&folder, env));
        let known = |found: &Found| pointer.as_ref().and_then(|pointer| pointer.known_by(found));
        let known_ones = [Some(&here), started_in.as_ref()].into_iter().flatten().filter_map(known);
        let remembered = known_ones.flat_map(|pointer| pointer.read(env)).next().or_else(|| {
            // What the environment's folder says counts only if the project here does not know a better one.
            remembered.filter(|_| known(&here).is_none())
        });
        match (pinned, remembered) {
            (_, Some(found)) => Self { found, cwd, rival: None },
            (Some(found), None) => {
                let is_other = here.is_marked() && here.dir() != found.dir();
                Self { rival: is_other.then(|| here.dir().to_owned()), found: found.clone(), cwd }
            }
            (None, None) if here.is_marked() => {
                remember(known(&here).or(pointer), &here, env);
                Self { found: here, cwd, rival: None }
            }
            // Without a project the session's folder is protected, wherever the agent went.
            (None, None) => Self { found: named.unwrap_or(here), cwd, rival: None },
        }
    }
}

/// Returns true if a folder is in the project.
fn holds(found: &Found, folder: &Path) -> bool {
    folder.starts_with(found.work()) || folder.starts_with(found.dir())
}

fn remember(pointer: Option<Pointer>, found: &Found, env: &Env) {
    if let Some(pointer) = pointer.filter(|_| !is_by_doctor(env)) {
        pointer.write(found.work());
    }
}

/// The project folder that the client sets in the environment for the whole session.
fn pinned(harness: Harness, env: &Env) -> Option<PathBuf> {
    let mut named = harness.client().facts.project_vars.iter().filter_map(|name| env(name));
    named.find_map(|value| Some(PathBuf::from(value)).filter(|path| path.is_absolute()))
}

/// Finds the project around a folder. One whose marker was sealed is a project, even if the marker is gone.
pub fn find_project(start: &Path, env: &Env) -> Found {
    let found = find_root(start);
    if found.is_marked() {
        return found;
    }
    let around = start.ancestors().take_while(|folder| folder.starts_with(found.dir()));
    let sealed = around.chain([found.dir()]).find(|folder| sealed_marker(folder, env).is_some()).map(Path::to_owned);
    sealed.map_or(found, |dir| Found::Marked { dir, tree: None })
}

/// The entries of the sessions whose project is this one, or a worktree inside it.
pub(crate) fn pointers_to(state: &Path, root: &Path) -> Vec<PathBuf> {
    let listed = |dir: PathBuf| std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let is_its = |path: &PathBuf| {
        let named = std::fs::read(path).ok().and_then(path_from_bytes);
        named.is_some_and(|named| {
            named == root || named == real || [root, &real].iter().any(|root| named.starts_with(root.join(OWN)))
        })
    };
    listed(state.join(Pointer::FOLDER)).flat_map(listed).filter(is_its).collect()
}

/// A small file in the person's state folder that stores a session's project.
#[derive(Clone, PartialEq, Eq)]
struct Pointer {
    /// Below the state folder.
    name: PathBuf,
    path: PathBuf,
}

impl Pointer {
    /// Where they are, below the state folder.
    const FOLDER: &str = "sessions";

    fn of(harness: Harness, event: &Event<'_>, env: &Env) -> Option<Self> {
        let session = FileId::check(event.session.as_deref()?).ok()?;
        let name = Path::new(Self::FOLDER).join(harness.name()).join(session.as_str());
        // Without a home in the environment, a project may still know one.
        let state = UserDirs::from_env(env).map(|dirs| dirs.state).unwrap_or_default();
        Some(Self { path: state.join(&name), name })
    }

    /// The entry in the state folder that a project knows for this person, if it is another one than the environment's.
    fn known_by(&self, found: &Found) -> Option<Self> {
        let state = Person::read(found.is_marked().then(|| found.dir())?)?.dirs()?.state;
        let known = Self { path: state.join(&self.name), name: self.name.clone() };
        (known != *self).then_some(known)
    }

    /// The remembered project, if it still has the marker.
    fn read(&self, env: &Env) -> Option<Found> {
        let bytes = std::fs::read(&self.path).ok().filter(|_| self.path.is_absolute())?;
        let found = find_project(&path_from_bytes(bytes)?, env);
        found.is_marked().then_some(found)
    }

    /// Best effort: without it the session's folder decides, as it did for this call.
    fn write(&self, root: &Path) {
        if !self.path.is_absolute() {
            return;
        }
        self.forget_old();
        let _ = replace_creating(&self.path, Exact::Own.bytes(root.as_os_str().as_encoded_bytes()), Durability::Quick);
    }

    /// Removes the entries of old sessions.
    fn forget_old(&self) {
        let Some(Ok(others)) = self.path.parent().map(std::fs::read_dir) else { return };
        for other in others.flatten().take(LOOKED_AT) {
            let age = other.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > REMEMBERED) {
                let _ = std::fs::remove_file(other.path());
            }
        }
    }
}
