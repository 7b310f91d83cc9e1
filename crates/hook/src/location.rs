//! Where a call is made: the project it belongs to and the folder its relative paths start from.
//!
//! The project is fixed when a session is first seen. A later `cd` of the agent moves only the folder that relative
//! paths start from; otherwise leaving the project would leave its gates too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_client::Harness;
use stead_model::{Event, FileId};
use stead_store::{Durability, Found, UserDirs, find_root, path_from_bytes, replace_creating};

/// How long a session's project is remembered, and how many sessions are checked when one starts.
const REMEMBERED: Duration = Duration::from_secs(60 * 24 * 3600);
const LOOKED_AT: usize = 200;

/// Set by `stead doctor`, whose calls are not recorded.
pub(crate) const DOCTOR: &str = "STEAD_DOCTOR";

pub(crate) type Env = dyn Fn(&str) -> Option<OsString>;

/// A project with Stead's marker, or none, and the agent's folder.
pub(crate) struct Location {
    pub(crate) found: Found,
    pub(crate) cwd: PathBuf,
}

impl Location {
    /// The project root, if it has the marker.
    pub(crate) fn root(&self) -> Option<&Path> {
        self.found.is_marked().then(|| self.found.dir())
    }

    /// Finds the project of an event.
    pub(crate) fn of(harness: Harness, event: &Event<'_>, env: &Env) -> Self {
        let cwd = event.cwd.as_deref().map(PathBuf::from).filter(|path| path.is_absolute());
        let cwd = cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        if let Some(project) = pinned(harness, env) {
            return Self { found: find_root(&project), cwd };
        }
        let pointer = Pointer::of(harness, event, env);
        if let Some(root) = pointer.as_ref().and_then(Pointer::read) {
            return Self { found: root, cwd };
        }
        let project = event.project.as_deref().map(Path::new).filter(|path| path.is_absolute());
        let found = find_root(project.unwrap_or(&cwd));
        if let (Some(pointer), true) = (pointer, found.is_marked() && env(DOCTOR).is_none()) {
            pointer.write(found.work());
        }
        Self { found, cwd }
    }
}

/// The project folder that the client sets in the environment for the whole session.
fn pinned(harness: Harness, env: &Env) -> Option<PathBuf> {
    let mut named = harness.client().facts.project_vars.iter().filter_map(|name| env(name));
    named.find_map(|value| Some(PathBuf::from(value)).filter(|path| path.is_absolute()))
}

/// A small file in the person's state folder that stores a session's project, for clients that do not report it.
struct Pointer(PathBuf);

impl Pointer {
    fn of(harness: Harness, event: &Event<'_>, env: &Env) -> Option<Self> {
        let session = FileId::check(event.session.as_deref()?).ok()?;
        let dirs = UserDirs::from_env(env)?;
        Some(Self(dirs.state.join("sessions").join(harness.name()).join(session.as_str())))
    }

    /// The remembered project, if it still has the marker.
    fn read(&self) -> Option<Found> {
        let bytes = std::fs::read(&self.0).ok()?;
        let found = find_root(&path_from_bytes(bytes)?);
        found.is_marked().then_some(found)
    }

    /// Best effort: without it the session's folder decides, as it did for this call.
    fn write(&self, root: &Path) {
        self.forget_old();
        let _ = replace_creating(&self.0, root.as_os_str().as_encoded_bytes(), Durability::Quick);
    }

    /// Removes the entries of old sessions.
    fn forget_old(&self) {
        let Some(Ok(others)) = self.0.parent().map(std::fs::read_dir) else { return };
        for other in others.flatten().take(LOOKED_AT) {
            let age = other.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > REMEMBERED) {
                let _ = std::fs::remove_file(other.path());
            }
        }
    }
}
