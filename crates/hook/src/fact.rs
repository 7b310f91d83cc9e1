use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use stead_context::{Loops, Owner};
use stead_gate::Facts;
use stead_harness::Harness;
use stead_model::{Base, Event, FileId, Spot};

use crate::session::SessionState;
use crate::standing::Env;

/// The largest settings file that is looked into.
const LIMIT: u64 = 1024 * 1024;

/// Facts from the file system, looked up when a gate asks.
pub(crate) struct FileFacts {
    indexes: PathBuf,
    session: Option<FileId>,
    harness: Harness,
    state: OnceCell<Option<SessionState>>,
}

impl FileFacts {
    pub(crate) fn new(indexes: PathBuf, harness: Harness, event: &Event<'_>) -> Self {
        let session = event.session.as_deref().and_then(|id| FileId::check(id).ok());
        Self { indexes, session, harness, state: OnceCell::new() }
    }

    fn state(&self) -> Option<&SessionState> {
        let read = || SessionState::read(&self.indexes, self.session.as_ref()?).ok()?;
        self.state.get_or_init(read).as_ref()
    }
}

impl Facts for FileFacts {
    fn read(&self, path: &Path) -> Option<String> {
        let metadata = fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > LIMIT {
            return None;
        }
        let mut text = String::new();
        File::open(path).ok()?.take(LIMIT).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn real(&self, path: &Path) -> PathBuf {
        let mut missing = Vec::new();
        let mut existing = path;
        loop {
            if let Ok(real) = fs::canonicalize(existing) {
                return missing.iter().rev().fold(real, |path, name| path.join(name));
            }
            match (existing.parent(), existing.file_name()) {
                (Some(parent), Some(name)) => {
                    missing.push(name.to_owned());
                    existing = parent;
                }
                _ => return path.to_owned(),
            }
        }
    }

    fn had_lines(&self, path: &Path) -> bool {
        self.state().is_some_and(|state| state.hook_files.iter().any(|file| Path::new(file) == path))
    }

    fn is_folder(&self, path: &Path) -> Option<bool> {
        fs::metadata(path).ok().map(|data| data.is_dir())
    }

    fn started_loop(&self, id: &str) -> bool {
        let asking = self.session.as_ref().and_then(|session| Owner::new(self.harness.name(), session.as_str()));
        let (Some(asking), Some(context)) = (asking, self.indexes.parent()) else { return false };
        Loops::of_room(context).read(id).is_ok_and(|file| file.state.started_by.is(&asking))
    }
}

/// The path a spot means here.
pub(crate) fn resolve(spot: Spot<'_>, root: &Path, env: &Env) -> Option<PathBuf> {
    let home = || env("HOME").map(PathBuf::from);
    let base = match spot.base {
        Base::Project => root.to_owned(),
        Base::Home => home()?,
        Base::Var { name, fallback } => match env(name).map(PathBuf::from).filter(|path| path.is_absolute()) {
            Some(path) => path,
            None => home()?.join(fallback),
        },
    };
    Some(base.join(spot.path))
}
