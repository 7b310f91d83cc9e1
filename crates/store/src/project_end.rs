//! The end of a project on this machine: a person took Stead out of a checkout. What the state folder keeps about it is
//! void from then on, and can be deleted.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::At;
use crate::fault::moment;
use crate::seal::{INDEX, OpenSession, Seal};
use crate::{
    Durability, Exact, MARKER, ProjectState, StoreError, file_stamp, read_capped, remove, replace, sha256, take_turn,
};

const PATIENCE: Duration = Duration::from_secs(5);

/// A record names a few sessions; anything larger is not one.
const LIMIT: usize = 256 * 1024;

/// What is recorded when a person ends a project and keeps its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectEnd {
    pub v: u32,
    pub at: String,
    /// How the marker looked then. A project whose marker was deleted since and came back is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// The sessions that were open then. Their clients may still call Stead, which does not make it a project again.
    #[serde(default)]
    pub sessions: Vec<OpenSession>,
}

impl ProjectEnd {
    /// The record, in the folder about the checkout.
    pub const FILE: &str = "ended.json";

    /// Reads the record of a folder about a checkout. `None` if the project has not ended.
    pub fn read(dir: &Path) -> Option<Self> {
        serde_json::from_slice(&read_capped(&dir.join(Self::FILE), LIMIT).ok()??).ok()
    }

    /// Returns true if the project folder is still the one that was there then.
    pub fn is_about(&self, root: &Path) -> bool {
        self.marker.is_some() && self.marker == marker_stamp(root)
    }
}

impl ProjectState {
    /// Every folder about this checkout, under whatever id it was known.
    pub fn all_of(state: &Path, root: &Path) -> Vec<Self> {
        Self::all_known(state, root).collect()
    }

    /// Ends the project: its seal is void from now on, and nobody seals it until it begins again. What else is known about
    /// the checkout stays.
    pub fn end(&self, root: &Path, sessions: Vec<OpenSession>, now: &str) -> Result<(), StoreError> {
        let end = ProjectEnd { v: 1, at: now.to_owned(), marker: marker_stamp(root), sessions };
        self.create()?;
        let path = self.join(ProjectEnd::FILE);
        // A look that is under way ends before, and the next one finds no seal, and why.
        let _turn = take_turn(&path, PATIENCE)?;
        let text = serde_json::to_string(&end).unwrap_or_default() + "\n";
        replace(&path, Exact::Own.bytes(&text), Durability::Synced)?;
        for name in Seal::FILES {
            delete(&self.join(name))?;
        }
        Ok(())
    }

    /// Takes the end back, for a project that begins again. If it is another one, what was known about the former is
    /// forgotten; `rooms` are as in [`Self::forget`].
    pub fn begin_again(&self, root: &Path, rooms: &[PathBuf]) -> Result<(), StoreError> {
        match ProjectEnd::read(self.dir()) {
            Some(end) if !end.is_about(root) => self.forget(rooms),
            Some(_) => remove(&self.join(ProjectEnd::FILE)),
            None => Ok(()),
        }
    }

    /// Deletes everything that is known about this checkout. `rooms` are the folders of its chained logs, whose ends are kept
    /// beside. The seal goes first: without it nothing is in force, whatever becomes of the rest.
    pub fn forget(&self, rooms: &[PathBuf]) -> Result<(), StoreError> {
        delete(&self.join(INDEX))?;
        let Some(project) = self.dir().parent() else { return Ok(()) };
        for head in self.heads(rooms) {
            delete(&head)?;
        }
        delete(self.dir())?;
        // Other checkouts of the same project may be known.
        let _ = fs::remove_dir(project);
        Ok(())
    }

    /// The copies of the ends of chained logs in these folders.
    pub fn heads(&self, rooms: &[PathBuf]) -> Vec<PathBuf> {
        let endings: Vec<String> = rooms.iter().map(|room| format!("-{}.head", place_of(room))).collect();
        let beside = self.dir().parent().and_then(|project| fs::read_dir(project).ok()).into_iter().flatten().flatten();
        let is_head = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            endings.iter().any(|ending| name.ends_with(ending.as_str()))
        };
        beside.map(|entry| entry.path()).filter(is_head).collect()
    }
}

/// Names the folder of a chained log in the name of the copy of its end: clones of a project have the same id, and each
/// its own logs.
pub fn place_of(dir: &Path) -> String {
    sha256(dir.as_os_str().as_encoded_bytes()).get(..16).unwrap_or_default().to_owned()
}

/// Deletes a file, a link or a whole folder. Links in a folder are not followed, and what is gone already is no error.
pub fn delete(path: &Path) -> Result<(), StoreError> {
    moment();
    let is_folder = match fs::symlink_metadata(path) {
        Ok(data) => data.is_dir(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).at("look at", path),
    };
    match if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) } {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        done => done.at("delete", path)?,
    }
    moment();
    Ok(())
}

fn marker_stamp(root: &Path) -> Option<String> {
    fs::metadata(root.join(MARKER)).ok().map(|data| file_stamp(&data).text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Marker;
    use crate::project_state::tests::{Home, ID};

    impl Home {
        /// A checkout with a seal, a record of trust and the end of a log.
        fn sealed(&self, name: &str) -> (PathBuf, ProjectState) {
            let root = self.checkout(name);
            fs::create_dir_all(root.join(".agent/context")).unwrap();
            let marker = Marker { project_id: ID.to_owned(), ..Marker::create("2026-01-01T00:00:00Z") };
            fs::write(root.join(MARKER), marker.render()).unwrap();
            let state = self.of(&root);
            state.create().unwrap();
            for file in [INDEX, "trust.json", "evidence.head"] {
                fs::write(state.join(file), "x").unwrap();
            }
            fs::write(self.head(&root), "x").unwrap();
            (root, state)
        }

        fn head(&self, root: &Path) -> PathBuf {
            let place = place_of(&root.join(".agent/intents"));
            self.state().join("projects").join(ID).join(format!("agent_trace-{place}.head"))
        }
    }

    #[test]
    fn an_end_voids_the_seal_and_keeps_the_rest() {
        let home = Home::new();
        let (root, state) = home.sealed("project");
        let sessions = vec![OpenSession { harness: "claude".into(), session: "s".into(), seen: 1 }];
        state.end(&root, sessions.clone(), "now").unwrap();
        assert!(!state.join(INDEX).exists() && state.join("trust.json").exists());
        let end = ProjectEnd::read(state.dir()).unwrap();
        assert!(end.is_about(&root) && end.sessions == sessions);
        // Whoever ends it twice changes nothing.
        state.end(&root, Vec::new(), "later").unwrap();
        state.begin_again(&root, &[]).unwrap();
        assert!(ProjectEnd::read(state.dir()).is_none() && state.join("trust.json").exists());
    }

    #[test]
    fn a_project_that_was_deleted_begins_without_its_past() {
        let home = Home::new();
        let (root, state) = home.sealed("project");
        state.end(&root, Vec::new(), "now").unwrap();
        let text = fs::read(root.join(MARKER)).unwrap();
        fs::remove_dir_all(root.join(".agent")).unwrap();
        fs::create_dir_all(root.join(".agent/context")).unwrap();
        fs::write(root.join(MARKER), text).unwrap();
        state.begin_again(&root, &[root.join(".agent/intents")]).unwrap();
        assert!(!state.dir().exists() && !home.head(&root).exists());
    }

    #[test]
    fn another_checkout_of_the_project_is_not_touched() {
        let home = Home::new();
        let ((root, state), (other, kept)) = (home.sealed("project"), home.sealed("other"));
        state.forget(&[root.join(".agent/intents")]).unwrap();
        assert!(!state.dir().exists() && !home.head(&root).exists());
        assert!(kept.join(INDEX).exists() && home.head(&other).exists());
        // What is gone already is no error.
        state.forget(&[]).unwrap();
        kept.forget(&[other.join(".agent/intents")]).unwrap();
        assert!(!home.state().join("projects").join(ID).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_deleted_and_not_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let (kept, link) = (folder.path().join("kept"), folder.path().join("gone/link"));
        fs::create_dir_all(&kept).unwrap();
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        fs::write(kept.join("file"), "x").unwrap();
        std::os::unix::fs::symlink(&kept, &link).unwrap();
        delete(&folder.path().join("gone")).unwrap();
        assert!(kept.join("file").exists() && !link.exists());
    }
}
