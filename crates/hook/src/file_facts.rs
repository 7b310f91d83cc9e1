use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use stead_client::Harness;
use stead_context::{Loops, Owner};
use stead_model::{Base, Event, FileId, ProjectTree, Spot, clean};
use stead_shell::Facts;
use stead_store::{Found, Identity, Tail};

use crate::location::Env;
use crate::session::SessionState;

/// The largest settings file that is read.
const LIMIT: u64 = 1024 * 1024;

/// The maximum number of listed files of a folder.
const FILES: usize = 128;

/// How many of the last traces are searched for one that a session stored, and how long an id is.
const TRACES: usize = 20_000;
const TRACE_ID: usize = 36;

/// The maximum number of links, as in Linux.
const LINKS: usize = 40;

/// Facts from the file system, looked up lazily.
pub(crate) struct FileFacts {
    /// The folder of the project's records.
    pub(crate) indexes: PathBuf,
    pub(crate) session: Option<FileId>,
    harness: Harness,
    state: OnceCell<Option<SessionState>>,
    project: Identity,
    /// The project in the checkout that is worked in.
    work: PathBuf,
    /// The trees that begin at folders or around them, and the checkouts of this project below its root.
    trees: RefCell<BTreeMap<PathBuf, Option<ProjectTree>>>,
    checkouts: RefCell<BTreeMap<PathBuf, Option<PathBuf>>>,
    /// Resolved paths.
    real: RefCell<BTreeMap<OsString, PathBuf>>,
    /// Paths for which a system call was made.
    #[cfg(test)]
    pub(crate) asked: RefCell<Vec<PathBuf>>,
}

impl FileFacts {
    /// The facts for a call in a project.
    pub(crate) fn new(found: &Found, indexes: PathBuf, harness: Harness, event: &Event<'_>) -> Self {
        let session = event.session.as_deref().and_then(|id| FileId::check(id).ok());
        Self {
            indexes,
            session,
            harness,
            state: OnceCell::new(),
            project: Identity::of(found.dir()),
            work: found.work().to_owned(),
            trees: RefCell::default(),
            checkouts: RefCell::default(),
            real: RefCell::default(),
            #[cfg(test)]
            asked: RefCell::default(),
        }
    }

    /// Resolves a path name by name, with a cache: paths of one call share most of their folders.
    fn follow(&self, path: &Path, links: usize) -> PathBuf {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
        if let Some(known) = self.real.borrow().get(path.as_os_str()) {
            return known.clone();
        }
        let plain = self.follow(parent, links).join(name);
        if plain != path && links > 0 {
            // Its folder is reached through a link: the file may be cached under its real path.
            let real = self.follow(&plain, links - 1);
            self.real.borrow_mut().insert(path.into(), real.clone());
            return real;
        }
        let real = match self.link_at(&plain) {
            // Writing through a dangling link creates its target.
            Some(target) if links > 0 => {
                let folder = plain.parent().unwrap_or(Path::new("/"));
                self.follow(&clean(&folder.join(target)), links - 1)
            }
            _ => plain,
        };
        self.real.borrow_mut().insert(path.into(), real.clone());
        real
    }

    /// The nearest tree around a folder, the folder included. Folders are asked once.
    fn climb(&self, folder: &Path) -> Option<ProjectTree> {
        if folder == self.project.root() || folder == self.work {
            return None;
        }
        if let Some(known) = self.trees.borrow().get(folder) {
            return known.clone();
        }
        let found = self.project.tree_at(folder).or_else(|| self.climb(folder.parent()?));
        self.trees.borrow_mut().insert(folder.to_owned(), found.clone());
        found
    }

    fn checkout_around(&self, folder: &Path, root: &Path) -> Option<PathBuf> {
        if folder == root {
            return None;
        }
        if let Some(known) = self.checkouts.borrow().get(folder) {
            return known.clone();
        }
        #[cfg(test)]
        self.asked.borrow_mut().push(folder.join(".git"));
        let found = self.project.checkout_at(folder).or_else(|| self.checkout_around(folder.parent()?, root));
        self.checkouts.borrow_mut().insert(folder.to_owned(), found.clone());
        found
    }

    fn link_at(&self, path: &Path) -> Option<PathBuf> {
        #[cfg(test)]
        self.asked.borrow_mut().push(path.to_owned());
        fs::read_link(path).ok()
    }

    /// The session's own file, read once.
    pub(crate) fn state(&self) -> Option<&SessionState> {
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
        // Without a trailing slash, which would make it another path.
        self.follow(path.components().as_path(), LINKS)
    }

    fn had_lines(&self, path: &Path) -> bool {
        self.state().is_some_and(|state| state.hook_files.iter().any(|file| Path::new(file) == path))
    }

    fn tree_of(&self, path: &Path) -> Option<ProjectTree> {
        self.climb(path).filter(|tree| !self.project.is_root(tree.dir()))
    }

    fn checkout_below(&self, root: &Path, path: &Path) -> Option<PathBuf> {
        self.checkout_around(path, root)
    }

    fn is_missing(&self, path: &Path) -> bool {
        match fs::symlink_metadata(path) {
            Ok(data) => data.is_dir() && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    fn is_tracked(&self, path: &Path) -> Option<bool> {
        let root = path.ancestors().find(|folder| folder.join(".git").exists())?;
        let wanted = path.strip_prefix(root).ok()?.to_str()?.as_bytes();
        let index = fs::read(root.join(".git/index")).ok()?;
        // In version 4, names are prefix-compressed.
        let plain = index.starts_with(b"DIRC") && index.get(7).is_some_and(|version| *version < 4);
        let ends = |at: usize| matches!(index.get(at + wanted.len()), Some(0 | b'/'));
        // Two bytes of flags precede a name.
        plain.then(|| (62..index.len()).any(|at| index[at..].starts_with(wanted) && ends(at)))
    }

    fn files_below(&self, path: &Path) -> Option<Vec<PathBuf>> {
        let (mut files, mut folders) = (Vec::new(), vec![path.to_owned()]);
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => return None,
            };
            for entry in entries {
                let entry = entry.ok()?;
                let kind = if entry.file_type().ok()?.is_dir() { &mut folders } else { &mut files };
                kind.push(entry.path());
                if files.len() + folders.len() > FILES {
                    return None;
                }
            }
        }
        Some(files)
    }

    fn is_folder(&self, path: &Path) -> Option<bool> {
        fs::metadata(path).ok().map(|data| data.is_dir())
    }

    fn started_loop(&self, id: &str) -> bool {
        let asking = self.session.as_ref().and_then(|session| Owner::new(self.harness.name(), session.as_str()));
        let (Some(asking), Some(context)) = (asking, self.indexes.parent()) else { return false };
        Loops::of_room(context).read(id).is_ok_and(|file| file.state.started_by.is(&asking))
    }

    fn stored_trace(&self, id: &str) -> bool {
        #[derive(Deserialize)]
        struct Stored {
            id: String,
            context: StoredBy,
        }
        #[derive(Deserialize)]
        struct StoredBy {
            by: Option<String>,
            session: Option<String>,
        }
        let (Some(session), true) = (&self.session, id.len() == TRACE_ID) else { return false };
        // Where the layout has moved the traces, this finds none, and only a person may forget them.
        let Some(own) = self.indexes.ancestors().nth(2) else { return false };
        let log = own.join("graph").join("traces.jsonl");
        let Ok(lines) = Tail::open(&log) else { return false };
        let lines = lines.unchecked().take(TRACES).flatten().filter(|line| line.text.contains(id));
        let mut traces = lines.filter_map(|line| serde_json::from_str::<Stored>(&line.text).ok());
        traces.find(|trace| trace.id == id).is_some_and(|trace| {
            trace.context.by.as_deref() == Some("agent") && trace.context.session.as_deref() == Some(session.as_str())
        })
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use stead_model::EventKind;

    use super::*;

    #[test]
    fn links_are_followed_as_the_system_would() {
        let folder = std::env::temp_dir().join(format!("stead-real-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("a/b")).unwrap();
        let folder = fs::canonicalize(folder).unwrap();
        symlink("a", folder.join("to-a")).unwrap();
        symlink(folder.join("to-a/b"), folder.join("to-b")).unwrap();
        symlink("../a/new", folder.join("a/dangling")).unwrap();
        symlink("loop", folder.join("loop")).unwrap();
        let found = Found::Bare { dir: folder.clone() };
        let facts = FileFacts::new(&found, PathBuf::new(), Harness::ALL[0], &Event::new(EventKind::BeforeTool, ""));
        let check = |path: &str, expected: &str| {
            for _ in 0..2 {
                assert_eq!(facts.real(&folder.join(path)), folder.join(expected), "{path}");
            }
        };
        check("a/b", "a/b");
        check("to-a/b/c", "a/b/c");
        check("to-b/x/y", "a/b/x/y");
        check("a/dangling", "a/new");
        check("nowhere/x", "nowhere/x");
        assert!(facts.real(&folder.join("loop/x")).ends_with("x"));
        assert_eq!(facts.real(Path::new("/")), Path::new("/"));
        let mut asked: Vec<PathBuf> = facts.asked.take();
        asked.retain(|path| !path.ends_with("loop"));
        let all = asked.len();
        asked.sort();
        asked.dedup();
        assert_eq!(asked.len(), all, "each path is asked for once, however it is spelled");
        fs::remove_dir_all(folder).unwrap();
    }
}
