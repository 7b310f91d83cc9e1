//! The folder `.agent`, as a person may want it deleted. Other tools may use a folder of that name as well, so what is not
//! Stead's stays.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{CONFIG, CONFIG_LOCAL, Layout, MARKER, OWN, Room, StoreError, delete, read_text};

/// What git ignores in the folder, next to the rooms.
const IGNORES: &str = ".gitignore";

/// How Stead's own `.gitignore` begins: that of a project, and the one that keeps a tree clean while git has no `.agent`.
const IGNORED: [&str; 2] = ["# Private to this checkout, or rebuilt when needed.\n", "*\n"];

/// What is in the folder, and what of the project is elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnFolder {
    root: PathBuf,
    /// What Stead made, in the order in which it is deleted: the marker goes last, so that a project that is deleted in part
    /// is still one.
    pub own: Vec<PathBuf>,
    /// Names of what it did not make.
    pub foreign: Vec<String>,
    /// Rooms outside the folder, relative to the root. They were there before Stead, or a person put them there.
    pub elsewhere: Vec<String>,
    /// The folder itself is a link, and what it leads to is not Stead's to delete.
    pub is_link: bool,
}

impl OwnFolder {
    pub fn of(root: &Path, layout: &Layout) -> Self {
        let folder = root.join(OWN);
        let mut found = Self { root: root.to_owned(), ..Self::default() };
        let is_inside = |place: &str| place.starts_with(".agent/");
        let elsewhere = Room::ALL.map(|room| layout.relative(room).to_owned()).into_iter();
        found.elsewhere = elsewhere.filter(|place| !is_inside(place) && root.join(place).exists()).collect();
        found.elsewhere.dedup();
        let Ok(data) = fs::symlink_metadata(&folder) else { return found };
        if data.is_symlink() {
            found.is_link = true;
            return found;
        }
        let moved = Room::ALL.map(|room| layout.relative(room).to_owned());
        let rooms = Room::ALL.map(|room| room.default_path().to_owned()).into_iter().chain(moved);
        let mut known: Vec<String> = rooms.filter(|place| is_inside(place)).collect();
        known.extend([CONFIG.to_owned(), CONFIG_LOCAL.to_owned()]);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{OWN}/{name}");
            let below: Vec<&String> = known.iter().filter(|own| own.starts_with(&format!("{path}/"))).collect();
            if !below.is_empty() && !known.contains(&path) {
                found.own.extend(below.into_iter().map(|room| root.join(room)));
                continue;
            }
            let is_own = match name.as_str() {
                IGNORES => read_text(&entry.path()).is_ok_and(|text| is_own_ignore(&text)),
                _ => known.contains(&path) || is_left_over(&name),
            };
            match is_own {
                true => found.own.push(entry.path()),
                false => found.foreign.push(path),
            }
        }
        let context = folder.join("context");
        found.own.sort_by_key(|path| (*path == context, path.clone()));
        found.foreign.sort();
        found
    }

    /// Returns true if there is a project in it.
    pub fn exists(root: &Path) -> bool {
        root.join(MARKER).is_file()
    }

    /// Returns true if there is nothing of Stead's.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Deletes what Stead made, and the folder, if that leaves it empty.
    pub fn delete(&self) -> Result<(), StoreError> {
        let folder = self.root.join(OWN);
        for path in &self.own {
            delete(path)?;
            // A folder around a room is Stead's only if nothing else is in it.
            let around = path.ancestors().skip(1).take_while(|dir| dir.starts_with(&folder));
            around.take_while(|dir| fs::remove_dir(dir).is_ok()).for_each(drop);
        }
        if !self.is_link {
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

fn is_own_ignore(text: &str) -> bool {
    let [project, clean] = IGNORED;
    text.starts_with(project) || text == clean
}

/// A temporary file of a write that was killed.
fn is_left_over(name: &str) -> bool {
    name.starts_with(".stead-") && name.ends_with(".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        crate::init(root.path(), &|_| None, "2026-01-01T00:00:00Z").unwrap();
        root
    }

    #[test]
    fn a_whole_project_goes() {
        let root = project();
        fs::write(root.path().join(".agent/.stead-x1.tmp"), "").unwrap();
        let found = OwnFolder::of(root.path(), &Layout::default());
        assert_eq!((found.foreign.len(), found.elsewhere.len()), (0, 0), "{found:?}");
        assert_eq!(found.own.last().unwrap(), &root.path().join(".agent/context"));
        found.delete().unwrap();
        assert!(!root.path().join(OWN).exists());
        assert!(OwnFolder::of(root.path(), &Layout::default()).is_empty());
        found.delete().unwrap();
    }

    #[test]
    fn what_others_put_there_stays() {
        let root = project();
        fs::create_dir_all(root.path().join(".agent/skills/x")).unwrap();
        fs::write(root.path().join(".agent/.gitignore"), "*.log\n").unwrap();
        for room in ["docs/intents", ".agent/team/guards", ".agent/team/notes"] {
            fs::create_dir_all(root.path().join(room)).unwrap();
        }
        let layout = Layout::with(|room| match room {
            Room::Intents => Some("docs/intents"),
            Room::Guards => Some(".agent/team/guards"),
            _ => None,
        });
        let found = OwnFolder::of(root.path(), &layout);
        assert_eq!(found.foreign, [".agent/.gitignore", ".agent/skills"]);
        assert_eq!(found.elsewhere, ["docs/intents"]);
        found.delete().unwrap();
        assert!(root.path().join(".agent/skills/x").is_dir() && !root.path().join(MARKER).exists());
        assert!(root.path().join("docs/intents").is_dir());
        assert!(root.path().join(".agent/team/notes").is_dir() && !root.path().join(".agent/team/guards").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_left_alone() {
        let root = project();
        fs::rename(root.path().join(OWN), root.path().join("kept")).unwrap();
        std::os::unix::fs::symlink("kept", root.path().join(OWN)).unwrap();
        let found = OwnFolder::of(root.path(), &Layout::default());
        assert!(found.is_link && found.is_empty());
        found.delete().unwrap();
        assert!(root.path().join(MARKER).is_file());
    }
}
