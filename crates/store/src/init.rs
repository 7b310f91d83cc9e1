//! Turns a folder into a project: skeleton first, marker last, so whoever sees the marker sees the rest. Running it
//! again changes nothing, and if it cannot finish it removes what it created. It never touches an existing file, except
//! to add existing folders to `config.toml`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::append::{Waiting, lock};
use crate::config::set_values;
use crate::error::At;
use crate::fence::stays_inside;
use crate::file::create;
use crate::{
    Adopted, CONFIG, Config, Creation, Durability, Exact, Layout, MARKER, Marker, Room, Sharing, StoreError, adopt, os,
};

type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

const PATIENCE: Duration = Duration::from_secs(10);

const CONFIG_HEAD: &str = "\
# Settings of this project for Stead. `stead config list --origin` shows all of them and who set each;
# personal settings belong in config.local.toml, which is not committed.
";

/// `active-loop.json` as long as no loop was started.
pub const NO_LOOP: &str = "{\n  \"schema\": 1,\n  \"active_loop_id\": null\n}\n";

/// One step of setting up a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Relative to the project root.
    pub path: PathBuf,
    pub did: Did,
}

/// What happened to a file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Did {
    Created,
    /// It already existed and was not touched.
    Kept,
    /// An existing folder became a room.
    Adopted {
        room: Room,
        because: String,
    },
}

/// Who may access a new folder.
#[derive(Clone, Copy)]
enum Access {
    /// As the umask says.
    Shared,
    Private,
}

/// Makes `root` a project, or completes one. `now` is the current time, as ISO 8601 in UTC.
pub fn init(root: &Path, env: Env<'_>, now: &str) -> Result<Vec<Done>, StoreError> {
    let _turn = take_turn(root)?;
    match Marker::read(root) {
        Ok(_) | Err(StoreError::MarkerMissing { .. }) => {}
        Err(error) => return Err(error),
    }
    let mut work = Work { root, done: Vec::new(), undo: Vec::new() };
    match work.run(env, now) {
        Ok(()) => Ok(work.done),
        Err(error) => {
            work.take_back();
            Err(error)
        }
    }
}

/// Creates what is missing of a project's folders, their first files and what git ignores. It adopts no folder and writes
/// neither marker nor settings, so it decides nothing about the project.
pub fn complete(root: &Path, env: Env<'_>) -> Result<(), StoreError> {
    let config = Config::load(Some(root), env, &[]).0;
    let layout = Layout::of(&config);
    let mut work = Work { root, done: Vec::new(), undo: Vec::new() };
    layout.confine(root);
    work.rooms(&layout)?;
    work.ignores(&layout, Sharing::of(&config))
}

/// Lets one process at a time work here, so that a rollback never removes what another process relies on.
fn take_turn(root: &Path) -> Result<Option<File>, StoreError> {
    let folder = os::open_folder(root).at("open", root)?;
    if let Some(folder) = &folder {
        lock(folder, root, &mut Waiting::new(PATIENCE))?;
    }
    Ok(folder)
}

struct Work<'a> {
    root: &'a Path,
    done: Vec<Done>,
    /// Absolute paths that this call created, in order.
    undo: Vec<PathBuf>,
}

impl Work<'_> {
    fn run(&mut self, env: Env<'_>, now: &str) -> Result<(), StoreError> {
        let before = Config::load(Some(self.root), env, &[]).0;
        let adopted = adoptable(self.root, &before);
        // Existing folders count at once; they are written to config.toml with the other files.
        let mut layout = Layout::of(&before);
        for adopted in &adopted {
            layout.place(adopted.room, adopted.path);
        }
        layout.confine(self.root);
        self.rooms(&layout)?;
        self.ignores(&layout, Sharing::of(&before))?;
        let path = self.root.join(CONFIG);
        let existed = fs::symlink_metadata(&path).is_ok();
        self.file(CONFIG, &config_text(&adopted))?;
        self.file(MARKER, &Marker::create(now).render())?;
        if existed && !adopted.is_empty() {
            // The one change of an existing file comes last, when nothing else can fail.
            let places: Vec<_> = adopted.iter().map(|adopted| (adopted.room.key(), adopted.path)).collect();
            set_values(&path, &places)?;
        }
        for Adopted { room, path, because } in adopted {
            self.note(path, Did::Adopted { room, because });
        }
        Ok(())
    }

    fn rooms(&mut self, layout: &Layout) -> Result<(), StoreError> {
        let context = layout.relative(Room::Context).to_owned();
        // All of these hold what people and agents said.
        for name in ["packets", "loops", "scratch", "indexes", "indexes/sessions", "indexes/roles"] {
            self.folder(&format!("{context}/{name}"), Access::Private)?;
        }
        self.file(&format!("{context}/indexes/active-loop.json"), NO_LOOP)?;
        self.file(&format!("{context}/indexes/relevant-files.jsonl"), "")?;
        self.file(&format!("{context}/indexes/sessions.jsonl"), "")
    }

    /// Makes git ignore what is private or can be rebuilt, wherever the rooms are.
    fn ignores(&mut self, layout: &Layout, sharing: Sharing) -> Result<(), StoreError> {
        let context = layout.relative(Room::Context);
        if sharing == Sharing::Off {
            self.file(&format!("{context}/.gitignore"), Sharing::IGNORED)?;
        }
        let private = [
            layout.relative(Room::Cache).to_owned(),
            layout.relative(Room::Runs).to_owned(),
            format!("{context}/indexes"),
            format!("{context}/scratch"),
        ];
        let mut text = String::from("# Private to this checkout, or rebuilt when needed.\n");
        let mut outside = Vec::new();
        for place in &private {
            match place.strip_prefix(".agent/") {
                Some(inside) => text.push_str(&format!("/{inside}/\n")),
                None => outside.push(place.clone()),
            }
        }
        if !text.contains("\n/cache/\n") {
            // The compiled policy stays here even when the cache moves.
            text.push_str("/cache/\n");
        }
        if let Some(features) = layout.relative(Room::Features).strip_prefix(".agent/") {
            text.push_str(&format!("/{features}/session-state.json\n"));
        }
        text.push_str("/config.local.toml\n");
        self.file(".agent/.gitignore", &text)?;
        for place in outside {
            self.file(&format!("{place}/.gitignore"), "# Private to this checkout, or rebuilt when needed.\n*\n")?;
        }
        Ok(())
    }

    fn file(&mut self, relative: &str, text: &str) -> Result<(), StoreError> {
        let path = self.root.join(relative);
        if let Some((dir, _)) = relative.rsplit_once('/') {
            self.parents(dir)?;
        }
        let did = match create(&path, Exact::Own.bytes(text), Durability::Synced)? {
            Creation::Created => {
                self.undo.push(path);
                Did::Created
            }
            Creation::Existed => Did::Kept,
        };
        self.note(relative, did);
        Ok(())
    }

    fn folder(&mut self, relative: &str, access: Access) -> Result<(), StoreError> {
        if let Some((dir, _)) = relative.rsplit_once('/') {
            self.parents(dir)?;
        }
        let did = self.make(relative, access)?;
        self.note(relative, did);
        Ok(())
    }

    /// Creates the parent folders without reporting them.
    fn parents(&mut self, relative: &str) -> Result<(), StoreError> {
        let ends = relative.match_indices('/').map(|(at, _)| at).chain([relative.len()]);
        for end in ends {
            self.make(&relative[..end], Access::Shared)?;
        }
        Ok(())
    }

    fn make(&mut self, relative: &str, access: Access) -> Result<Did, StoreError> {
        let path = self.root.join(relative);
        if path.is_dir() {
            if matches!(access, Access::Private) {
                // An earlier version made it readable for others.
                os::make_private(&path);
            }
            return Ok(Did::Kept);
        }
        stays_inside(&path, &path)?;
        let made = match access {
            Access::Shared => fs::create_dir(&path),
            Access::Private => os::create_private_dir(&path),
        };
        made.at("create folder", &path)?;
        self.undo.push(path);
        Ok(Did::Created)
    }

    fn note(&mut self, relative: &str, did: Did) {
        self.done.push(Done { path: PathBuf::from(relative), did });
    }

    /// Removes what this call created, newest first. A folder that others put files into stays.
    fn take_back(self) {
        for path in self.undo.iter().rev() {
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
}

/// Keeps the found folders of rooms that are not placed yet, neither by a setting nor by their default folder.
fn adoptable(root: &Path, config: &Config) -> Vec<Adopted> {
    let mut found = adopt(root);
    found.retain(|adopted| {
        !config.is_set(adopted.room.key()) && fs::symlink_metadata(root.join(adopted.room.default_path())).is_err()
    });
    found
}

fn config_text(adopted: &[Adopted]) -> String {
    let mut text = CONFIG_HEAD.to_owned();
    if !adopted.is_empty() {
        text.push_str("\n# Folders that existed before `stead init` and stay where they are.\n[layout]\n");
        for adopted in adopted {
            text.push_str(&format!("{} = \"{}\"\n", adopted.room.name(), adopted.path));
        }
    }
    text
}
