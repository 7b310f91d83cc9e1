use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_guard::mode_of;
use stead_hook::{ChangeStep, GuardChange};
use stead_model::FileId;
use stead_store::{
    Durability, Exact, Redacted, append_line, create, create_parents, read_capped, replace, sha256, take_turn,
};

use crate::MemoryError;
use crate::folder::prepare;
use crate::history::read;

/// The largest guard file.
const LARGEST: usize = 256 * 1024;

const PATIENCE: Duration = Duration::from_secs(5);

/// Every version of the guard files that Stead changed, and how it came to be.
///
/// A change is written down with the new text before the file is replaced, and confirmed afterwards. [`Self::recover`]
/// finishes one that was interrupted, so that the file and the last version are the same.
#[derive(Clone, Debug)]
pub struct GuardVersions {
    dir: PathBuf,
    log: PathBuf,
}

/// Where guard files are.
#[derive(Clone, Debug)]
pub struct GuardFolders {
    pub project: PathBuf,
    /// The person's own, for all projects.
    pub user: Option<PathBuf>,
}

impl GuardFolders {
    /// The path of a guard file with this name; `None` if it would lie elsewhere.
    fn path(&self, file: &str, user: bool) -> Option<PathBuf> {
        let file = FileId::check(file).ok()?;
        let folder = if user { self.user.as_ref()? } else { &self.project };
        Some(folder.join(file.as_str()))
    }
}

/// A change to make.
#[derive(Clone, Debug)]
pub struct FileChange<'a> {
    pub guard: FileId,
    /// The file, which may have another ending than usual.
    pub path: &'a Path,
    pub user: bool,
    /// The text that the change is based on; `None` if there must be no file.
    pub old: Option<&'a str>,
    pub new: &'a str,
    pub what: &'a str,
    pub by: &'a str,
    pub why: &'a str,
    pub evidence: &'a [String],
    pub now: &'a str,
}

/// The version of a guard file: the first twelve digits of its hash, as in the session log.
pub fn version_of(text: &str) -> String {
    sha256(text.as_bytes())[..12].to_owned()
}

impl GuardVersions {
    pub const FOLDER: &str = "guard-versions";

    /// The versions in the project's `graph` folder.
    pub fn of(graph: &Path) -> Self {
        Self { dir: graph.join(Self::FOLDER), log: GuardChange::path(graph) }
    }

    /// Every line about changes, oldest first.
    pub fn lines(&self) -> Result<Vec<GuardChange>, MemoryError> {
        Ok(read(&self.log)?)
    }

    /// The changes of a guard, oldest first; dropped ones are left out.
    pub fn changes(&self, guard: &str) -> Result<Vec<GuardChange>, MemoryError> {
        let lines = self.lines()?;
        let is_dropped =
            |change: &GuardChange| lines.iter().any(|line| line.step == ChangeStep::Dropped && line.id == change.id);
        let own = lines.iter().filter(|line| line.guard == guard && line.step == ChangeStep::Begin);
        Ok(own.filter(|change| !is_dropped(change)).cloned().collect())
    }

    /// When each guard was last changed.
    pub fn last_changes(&self) -> Result<BTreeMap<String, String>, MemoryError> {
        let lines = self.lines()?.into_iter().filter(|line| line.step == ChangeStep::Begin);
        Ok(lines.map(|line| (line.guard, line.ts)).collect())
    }

    /// Until when a person has reviewed the hits of a guard.
    pub fn reviewed(&self, guard: &str) -> Result<Option<String>, MemoryError> {
        let lines = self.lines()?.into_iter().rev();
        let mut reviews = lines.filter(|line| line.step == ChangeStep::Reviewed && line.guard == guard);
        Ok(reviews.next().map(|line| line.ts))
    }

    /// Records that a person looked at the hits of a guard.
    pub fn review(&self, guard: &str, now: &str) -> Result<(), MemoryError> {
        prepare(&self.log)?;
        self.append(&GuardChange {
            v: 1,
            ts: now.to_owned(),
            step: ChangeStep::Reviewed,
            guard: guard.to_owned(),
            by: "person".to_owned(),
            ..GuardChange::default()
        })
    }

    /// The text of a version.
    pub fn text(&self, guard: &FileId, version: &str) -> Option<String> {
        let version = FileId::check(version).ok()?;
        let bytes = read_capped(&self.version_path(guard, version.as_str()), LARGEST).ok()??;
        String::from_utf8(bytes).ok().filter(|text| version_of(text) == version.as_str())
    }

    /// Changes a guard file and keeps both versions. Fails if the file is not what the change is based on.
    pub fn change(&self, change: &FileChange<'_>) -> Result<GuardChange, MemoryError> {
        prepare(&self.log)?;
        let _turn = take_turn(&self.log, PATIENCE)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let current = read_capped(change.path, LARGEST)?.map(text);
        if current.as_deref() != change.old {
            return Err(MemoryError::ChangedMeanwhile { file: change.path.display().to_string() });
        }
        if let Some(old) = change.old {
            self.keep(&change.guard, old)?;
        }
        self.keep(&change.guard, change.new)?;
        let mode = |text: &str| mode_of(text).map(|mode| mode.name().to_owned()).unwrap_or_default();
        let to = version_of(change.new);
        let seed = format!("{}\n{}\n{}\n{to}", change.now, change.guard.as_str(), std::process::id());
        let line = GuardChange {
            v: 1,
            ts: change.now.to_owned(),
            id: format!("c-{}", &sha256(seed.as_bytes())[..8]),
            step: ChangeStep::Begin,
            guard: change.guard.as_str().to_owned(),
            file: change.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            user: change.user,
            what: change.what.to_owned(),
            by: change.by.to_owned(),
            from: change.old.map(version_of),
            to,
            mode_from: change.old.map(mode).unwrap_or_default(),
            mode_to: mode(change.new),
            why: change.why.to_owned(),
            evidence: change.evidence.to_vec(),
            ..GuardChange::default()
        };
        self.append(&line)?;
        create_parents(change.path)?;
        replace(change.path, Exact::Edited.bytes(change.new), Durability::Synced)?;
        self.conclude(&line, ChangeStep::Done)?;
        Ok(line)
    }

    /// Finishes changes that were interrupted, and returns their number. A file that somebody changed since is left alone.
    pub fn recover(&self, folders: &GuardFolders) -> Result<usize, MemoryError> {
        if !self.log.exists() || open(&self.lines()?).is_empty() {
            return Ok(0);
        }
        let _turn = take_turn(&self.log, PATIENCE)?;
        // Another process may have finished them while this one waited.
        let lines = self.lines()?;
        let open = open(&lines);
        for change in &open {
            let step = self.finish(change, folders)?;
            self.conclude(change, step)?;
        }
        Ok(open.len())
    }

    fn finish(&self, change: &GuardChange, folders: &GuardFolders) -> Result<ChangeStep, MemoryError> {
        let Ok(guard) = FileId::check(&change.guard) else { return Ok(ChangeStep::Dropped) };
        let Some(path) = folders.path(&change.file, change.user) else { return Ok(ChangeStep::Dropped) };
        let current = read_capped(&path, LARGEST)?.map(|bytes| version_of(&String::from_utf8_lossy(&bytes)));
        if current.as_deref() == Some(&change.to) {
            return Ok(ChangeStep::Done);
        }
        match self.text(&guard, &change.to).filter(|_| current == change.from) {
            Some(text) => {
                create_parents(&path)?;
                replace(&path, Exact::Copied.bytes(&text), Durability::Synced)?;
                Ok(ChangeStep::Done)
            }
            None => Ok(ChangeStep::Dropped),
        }
    }

    fn conclude(&self, change: &GuardChange, step: ChangeStep) -> Result<(), MemoryError> {
        let GuardChange { v, ts, id, guard, .. } = change.clone();
        self.append(&GuardChange { v, ts, id, guard, step, ..GuardChange::default() })
    }

    fn append(&self, line: &GuardChange) -> Result<(), MemoryError> {
        Ok(append_line(&self.log, Redacted::line(line), Durability::Synced, PATIENCE)?)
    }

    fn keep(&self, guard: &FileId, text: &str) -> Result<(), MemoryError> {
        let path = self.version_path(guard, &version_of(text));
        create_parents(&path)?;
        create(&path, Exact::Copied.bytes(text), Durability::Synced)?;
        Ok(())
    }

    fn version_path(&self, guard: &FileId, version: &str) -> PathBuf {
        self.dir.join(guard.as_str()).join(format!("{version}.yaml"))
    }
}

/// The changes that were begun and neither finished nor dropped.
fn open(lines: &[GuardChange]) -> Vec<GuardChange> {
    let is_over = |change: &GuardChange| {
        lines.iter().any(|line| line.id == change.id && matches!(line.step, ChangeStep::Done | ChangeStep::Dropped))
    };
    lines.iter().filter(|line| line.step == ChangeStep::Begin && !is_over(line)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        dir: tempfile::TempDir,
        versions: GuardVersions,
        folders: GuardFolders,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let versions = GuardVersions::of(&dir.path().join("graph"));
            let folders = GuardFolders { project: dir.path().join("guards"), user: None };
            Self { dir, versions, folders }
        }

        fn path(&self) -> PathBuf {
            self.dir.path().join("guards/g.yaml")
        }

        fn file(&self) -> Option<String> {
            std::fs::read_to_string(self.path()).ok()
        }

        fn change(&self, old: Option<&str>, new: &str, now: &str) -> Result<GuardChange, MemoryError> {
            let guard = FileId::check("g").unwrap();
            self.versions.change(&FileChange {
                guard,
                path: &self.path(),
                user: false,
                old,
                new,
                what: "x",
                by: "person",
                why: "",
                evidence: &[],
                now,
            })
        }

        /// Cuts the log after its first `lines`, as a kill would.
        fn cut(&self, lines: usize) {
            let log = self.dir.path().join("graph/guard-changes.jsonl");
            let text = std::fs::read_to_string(&log).unwrap();
            std::fs::write(&log, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
        }
    }

    const A: &str = "id: g\nmode: shadow\n";
    const B: &str = "id: g\nmode: warn\n";

    #[test]
    fn a_change_keeps_both_versions() {
        let world = World::new();
        world.change(None, A, "1").unwrap();
        let change = world.change(Some(A), B, "2").unwrap();
        assert_eq!((change.mode_from.as_str(), change.mode_to.as_str()), ("shadow", "warn"));
        assert_eq!(world.file().as_deref(), Some(B));
        let guard = FileId::check("g").unwrap();
        assert_eq!(world.versions.text(&guard, &version_of(A)).as_deref(), Some(A));
        assert_eq!(world.versions.text(&guard, "nonsense"), None);
        assert_eq!(world.versions.changes("g").unwrap().len(), 2);
        assert_eq!(world.versions.recover(&world.folders).unwrap(), 0);
        assert!(matches!(world.change(Some(A), B, "3"), Err(MemoryError::ChangedMeanwhile { .. })));
        assert!(matches!(world.change(None, B, "3"), Err(MemoryError::ChangedMeanwhile { .. })));
    }

    #[test]
    fn a_kill_at_any_point_leaves_file_and_version_agreed() {
        // Before the file was replaced.
        let world = World::new();
        world.change(None, A, "1").unwrap();
        world.change(Some(A), B, "2").unwrap();
        std::fs::write(world.path(), A).unwrap();
        world.cut(3);
        assert_eq!(world.versions.recover(&world.folders).unwrap(), 1);
        assert_eq!(world.file().as_deref(), Some(B));
        assert_eq!(world.versions.recover(&world.folders).unwrap(), 0);
        // After it, but before that was written down.
        world.cut(3);
        assert_eq!(world.versions.recover(&world.folders).unwrap(), 1);
        assert_eq!(world.file().as_deref(), Some(B));
        // The same for a new file.
        let world = World::new();
        world.change(None, A, "1").unwrap();
        std::fs::remove_file(world.path()).unwrap();
        world.cut(1);
        world.versions.recover(&world.folders).unwrap();
        assert_eq!(world.file().as_deref(), Some(A));
    }

    #[test]
    fn what_a_person_did_meanwhile_stays() {
        let world = World::new();
        world.change(None, A, "1").unwrap();
        world.change(Some(A), B, "2").unwrap();
        // A finished change is not repeated.
        std::fs::write(world.path(), A).unwrap();
        assert_eq!(world.versions.recover(&world.folders).unwrap(), 0);
        assert_eq!(world.file().as_deref(), Some(A));
        // An unfinished one is dropped.
        world.cut(3);
        std::fs::write(world.path(), "id: g\nmode: off\n").unwrap();
        assert_eq!(world.versions.recover(&world.folders).unwrap(), 1);
        assert_eq!(world.file().as_deref(), Some("id: g\nmode: off\n"));
        assert_eq!(world.versions.changes("g").unwrap().len(), 1);
    }

    #[test]
    fn of_two_at_once_one_wins() {
        let world = World::new();
        world.change(None, A, "1").unwrap();
        let texts: Vec<String> = (0..8).map(|number| format!("{B}# {number}\n")).collect();
        let done: Vec<bool> = std::thread::scope(|scope| {
            let all: Vec<_> =
                texts.iter().map(|text| scope.spawn(|| world.change(Some(A), text, "2").is_ok())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(done.iter().filter(|done| **done).count(), 1, "{done:?}");
        let last = world.versions.changes("g").unwrap().pop().unwrap();
        assert_eq!(last.to, version_of(&world.file().unwrap()));
    }
}
