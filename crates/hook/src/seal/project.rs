use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_evidence::Ground;
use stead_guard::ProjectRooms;
use stead_model::rfc3339;
use stead_store::seal::{Coming, OpenSeal, OpenSession, Pending, Present, Seal, Sealed, announce, announce_from};
use stead_store::{Durability, Exact, ProjectState, Room, StoreError, create_parents, read_capped, replace};

use super::kind::Kind;
use super::set::SealedSet;
use super::tampering::{Outcome, Tampering};
use crate::guard::guard_rooms;
use crate::location::Env;
use crate::policy::PolicyText;
use crate::record::{PATIENCE, now_millis};

/// The largest displaced file that is put back in place of the sealed one.
const LARGEST: usize = 16 * 1024 * 1024;

/// How far news go back, in milliseconds, and how many there are at most.
const DAY: i64 = 24 * 3600 * 1000;
const NEWS: usize = 5;

/// The folder of the seal of a person's own files, below the state folder.
pub(crate) const PERSON: &str = "seal";

/// What is sealed for a project: its own files, and those of the person that apply to it.
pub struct SealedProject<'a> {
    pub(super) root: &'a Path,
    pub(super) policy: &'a PolicyText,
    pub(super) env: &'a Env<'a>,
    pub(super) project: Option<Seal>,
    person: Option<Seal>,
    /// Read at most once: a look notes its own session, and that one did nothing yet.
    pub(super) known_open: OnceCell<Option<Vec<OpenSession>>>,
}

/// A sealed file, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealFile {
    pub path: String,
    pub kind: String,
    /// The id of the change that waits for a person.
    pub pending: Option<String>,
}

/// Which of the two seals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Project,
    Person,
}

impl<'a> SealedProject<'a> {
    /// The seals of a project. `None` without a state folder outside the project.
    pub fn of(root: &'a Path, policy: &'a PolicyText, env: &'a Env<'a>) -> Option<Self> {
        let seal = |name: &str| Some(Seal::new(Path::new(policy.value("seal", name)?), root));
        let (project, person) = (seal("project"), seal("person"));
        (project.is_some() || person.is_some()).then_some(Self {
            root,
            policy,
            env,
            project,
            person,
            known_open: OnceCell::new(),
        })
    }

    /// Both seals, with what belongs to each.
    pub(super) fn seals(&self) -> impl Iterator<Item = (&Seal, Reach)> {
        let project = self.project.iter().map(|seal| (seal, Reach::Project));
        project.chain(self.person.iter().map(|seal| (seal, Reach::Person)))
    }

    pub(super) fn set(&self, reach: Reach) -> SealedSet {
        match reach {
            Reach::Project => SealedSet::of_project(self.root, self.policy, self.env),
            Reach::Person => SealedSet::of_person(&self.policy.users, self.root, self.env),
        }
    }

    pub(super) fn rooms(&self) -> ProjectRooms {
        guard_rooms(self.policy)
    }

    pub(super) fn evidence_ground(&self) -> Ground {
        Ground {
            root: self.root.to_owned(),
            features: self.policy.room(self.root, Room::Features),
            indexes: self.policy.indexes(self.root),
            cache: self.root.join(Room::Cache.default_path()),
            state: self.policy.project_state(self.root),
        }
    }

    /// Where files that were put aside are kept.
    pub(super) fn displaced(&self) -> PathBuf {
        self.policy.room(self.root, Room::Context).join("scratch/displaced")
    }

    pub(super) fn session_log(&self) -> PathBuf {
        self.policy.indexes(self.root).join("sessions.jsonl")
    }

    /// Opens a seal. The first time, its folder is created, readable by its owner only.
    pub(super) fn open(&self, seal: &Seal, reach: Reach) -> Result<OpenSeal, StoreError> {
        if reach == Reach::Project && !seal.dir().is_dir() {
            let above: Vec<&Path> = seal.dir().ancestors().collect();
            if let [_, project, _, state, ..] = above.as_slice()
                && let Some(id) = project.file_name().and_then(|name| name.to_str())
                && let Some(state) = ProjectState::of(state, id, self.root)
            {
                state.create()?;
            }
        }
        seal.open(PATIENCE)
    }

    /// Lets this process announce what it writes to sealed files.
    pub fn announce(&self) {
        for (seal, reach) in self.seals() {
            let SealedSet { files, folders, logs } = self.set(reach);
            let paths = files.into_iter().map(|(path, _)| path).chain(folders).chain(logs);
            announce_from(seal, paths.collect());
        }
    }

    /// The same for the files that hooks write, without looking for anything.
    pub(super) fn announce_own(&self) {
        let Some(seal) = &self.project else { return };
        let features = self.policy.room(self.root, Room::Features).join(super::set::FEATURES);
        let rooms = [Room::Guards, Room::Intents].map(|room| self.policy.room(self.root, room));
        let cache = self.root.join(Room::Cache.default_path());
        announce_from(seal, rooms.into_iter().chain([features, cache]).collect());
    }

    /// Announces the text of a file to which this process is about to append a line. Announced before, because the disk may
    /// take its time with the line.
    pub fn announce_append(&self, path: &Path, line: &str) {
        let Ok(present) = read_capped(path, LARGEST) else { return };
        let mut bytes = present.unwrap_or_default();
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        announce(path, Coming::Text(&bytes));
    }

    /// Where the project's seal is kept.
    pub fn dir(&self) -> Option<&Path> {
        self.project.as_ref().map(Seal::dir)
    }

    /// Every sealed file.
    pub fn files(&self) -> Vec<SealFile> {
        let shown = |file: Sealed| SealFile {
            path: file.path,
            kind: file.kind,
            pending: file.pending.map(|pending| pending.id),
        };
        self.seals().flat_map(|(seal, _)| seal.files()).map(shown).collect()
    }

    /// How many files have a change that waits for a person.
    pub(crate) fn waiting(&self) -> usize {
        let open = self.seals().filter(|(seal, _)| !seal.is_clear());
        open.flat_map(|(seal, _)| seal.files()).filter(|file| file.pending.is_some()).count()
    }

    /// All changes that weakened something, oldest first.
    pub fn log(&self) -> Vec<Tampering> {
        let mut all: Vec<Tampering> = self.seals().flat_map(|(seal, _)| Tampering::read(seal.dir())).collect();
        all.sort_by(|a, b| a.ts.cmp(&b.ts));
        all
    }

    /// The changes that wait for a person.
    pub fn pending(&self) -> Vec<Tampering> {
        let ids: Vec<String> = self.files().into_iter().filter_map(|file| file.pending).collect();
        self.log().into_iter().filter(|change| ids.contains(&change.id)).collect()
    }

    /// What waits for a person, and what happened in the last day, newest first.
    pub fn news(&self, now_millis: i64) -> Vec<Tampering> {
        let since = rfc3339(now_millis - DAY);
        let waiting: Vec<String> = self.files().into_iter().filter_map(|file| file.pending).collect();
        let is_news = |change: &Tampering| waiting.contains(&change.id) || change.ts >= since && !change.is_settled();
        self.log().into_iter().rev().filter(is_news).take(NEWS).collect()
    }

    /// The text in force and the text of a change, as far as they are kept.
    pub fn texts(&self, change: &Tampering) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let find = |(seal, _): (&Seal, Reach)| {
            let file = seal.files().into_iter().find(|file| file.path == change.path)?;
            let sealed = file.sha256.as_deref().and_then(|hash| seal.copy(hash));
            let found = match &change.displaced {
                Some(path) => read_capped(&self.root.join(path), LARGEST).ok().flatten(),
                None => seal.present(&change.path).bytes,
            };
            Some((sealed, found))
        };
        self.seals().find_map(find).unwrap_or_default()
    }

    /// Makes a change the sealed version, as a person decided. A file that was put back is replaced by what it displaced.
    /// Returns false if the file has changed again since, or is no longer there.
    pub fn accept(&self, change: &Tampering) -> Result<bool, StoreError> {
        for (seal, reach) in self.seals() {
            let mut open = self.open(seal, reach)?;
            let Some(at) = open.files.iter().position(|file| file.path == change.path) else { continue };
            let path = seal.path_of(&change.path);
            if let (Outcome::PutBack, Some(displaced)) = (change.outcome, &change.displaced) {
                let Some(bytes) = read_capped(&self.root.join(displaced), LARGEST)? else { return Ok(false) };
                create_parents(&path)?;
                replace(&path, Exact::Copied.bytes(&bytes), Durability::Synced)?;
            } else if change.outcome == Outcome::PutBack && change.found.is_none() && path.exists() {
                stead_store::remove(&path)?;
            }
            let present = seal.present(&change.path);
            if present.sha256 != change.found {
                return Ok(false);
            }
            if let (Some(bytes), Some(hash)) = (&present.bytes, &present.sha256) {
                open.keep(bytes, hash)?;
            }
            let file = &mut open.files[at];
            (file.sha256, file.stamp, file.pending) = (present.sha256, present.stamp, None);
            open.write(&self.set(reach).folders)?;
            let accepted = Tampering { ts: rfc3339(now_millis()), outcome: Outcome::Accepted, ..change.clone() };
            accepted.append(seal.dir())?;
            self.forget_caches();
            return Ok(true);
        }
        Ok(false)
    }

    /// Removes the compiled texts, which are made again from what is in force now.
    pub(super) fn forget_caches(&self) {
        for cache in super::set::CACHES {
            let _ = stead_store::remove(&self.root.join(cache));
        }
    }
}

/// Keeps a copy, unless the file can be made again.
fn keep(open: &OpenSeal, file: &Sealed, present: &Present) {
    if let (Some(bytes), Some(hash)) = (&present.bytes, &present.sha256)
        && file.kind != Kind::Cache.name()
    {
        // What could not be copied cannot be put back; it is noticed all the same.
        let _ = open.keep(bytes, hash);
    }
}

/// Seals a file as it is.
pub(super) fn seal_anew(open: &OpenSeal, file: &mut Sealed, present: &Present) {
    keep(open, file, present);
    file.sha256.clone_from(&present.sha256);
    file.stamp.clone_from(&present.stamp);
    file.pending = None;
}

/// Leaves what is sealed in force.
pub(super) fn leave_in_force(open: &OpenSeal, file: &mut Sealed, present: &Present, id: &str) {
    keep(open, file, present);
    file.stamp.clone_from(&present.stamp);
    file.pending = Some(Pending { id: id.to_owned(), sha256: present.sha256.clone() });
}

/// How long the look may take in all, beyond the usual call.
pub(super) const ALARM: Duration = Duration::from_secs(4);
