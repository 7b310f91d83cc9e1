//! Whether a person trusts what a repository brought. Content that arrived with a repository may restrict an agent, but
//! runs nothing and loosens nothing before a person has looked at it.
//!
//! The answer comes from one file in the person's state folder ([`ProjectState`]) and from what git says about the
//! checkout; nothing in the project decides about itself. What an item means is for the caller to know.

mod git_side;
mod item;
mod record;
mod settings;

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{
    Durability, Exact, Person, ProjectState, Redacted, StoreError, UserDirs, amend, create_parents, read_capped, sha256,
};
use git_side::GitSide;
pub use item::{ItemKind, TrustItem};
use record::{By, Entry, Record};
use settings::TrustSettings;

type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The name of the record in the folder of a checkout.
const FILE: &str = "trust.json";

/// The name of the record of what agents and Stead write all the time. It changes with every session; the other one decides
/// about gates and hardly changes.
const WRITTEN: &str = "written.json";

/// The folder of the texts that were trusted, by hash, to show later what changed.
const TEXTS: &str = "trusted";

/// The largest record that is read.
const LIMIT: usize = 16 * 1024 * 1024;

/// The largest text that is kept.
const KEPT: usize = 256 * 1024;

/// How far an item is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A person looked at exactly this.
    Trusted,
    /// It was written in this checkout; nothing brought it here.
    Local,
    /// It arrived, and nobody has looked at it.
    New,
    /// It arrived, and differs from what was trusted under the same name.
    Changed,
}

impl Standing {
    /// Returns true if it may run and loosen.
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::Trusted | Self::Local)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Local => "local",
            Self::New => "new",
            Self::Changed => "changed",
        }
    }
}

/// Who sets a project up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetUpBy {
    /// A person, who trusts what is there.
    Person,
    /// A script or an agent. What is there stays as trusted as it was.
    Program,
}

/// What a person trusts in one checkout of a project.
pub struct Trust {
    root: PathBuf,
    state: Option<ProjectState>,
    /// `None` if nobody has looked at this checkout yet.
    record: Option<Record>,
    /// What was written here, of the kinds that agents write.
    written: Record,
    settings: TrustSettings,
    git: OnceCell<GitSide>,
}

impl Trust {
    /// Reads what is trusted in the project at `root`.
    pub fn of(root: &Path, env: Env<'_>) -> Self {
        let person = Person::read(root);
        // `None` without a state folder outside the project.
        let state = UserDirs::of_person(person.as_ref(), env).and_then(|dirs| ProjectState::find(&dirs.state, root));
        let record = state.as_ref().and_then(|state| Record::read(&state.join(FILE)));
        let written = state.as_ref().and_then(|state| Record::read(&state.join(WRITTEN))).unwrap_or_default();
        // Whoever sets the environment of a process must not choose the person's settings.
        let settings = TrustSettings::of(&|name| match &person {
            Some(person) if Person::FOLDERS.contains(&name) => person.get(name).map(OsString::from),
            _ => env(name),
        });
        Self { root: root.to_owned(), state, record, written, settings, git: OnceCell::new() }
    }

    /// The file with the record, if there is a place for it. It may not exist yet.
    pub fn file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|state| state.join(FILE))
    }

    /// The setting of the person that trusts this whole project, if there is one.
    pub fn whole(&self) -> Option<String> {
        let remotes = self.record.as_ref().map(|record| record.remotes.as_slice()).unwrap_or_default();
        self.settings.trusts(&self.root, remotes)
    }

    /// Returns true if somebody has looked at this checkout before.
    pub fn is_known(&self) -> bool {
        self.record.is_some()
    }

    /// How far an item is trusted.
    pub fn standing(&self, item: &TrustItem) -> Standing {
        if self.whole().is_some() {
            return Standing::Trusted;
        }
        let Some(record) = &self.record else { return Standing::New };
        let hash = item.sha256();
        let known = [record, &self.written].map(|record| record.trusted.get(&item.name));
        match known.into_iter().flatten().find(|entry| entry.sha256 == hash) {
            Some(Entry { by: By::Person, .. }) => return Standing::Trusted,
            Some(Entry { by: By::Here, .. }) => return Standing::Local,
            None => {}
        }
        let may_be_local = record.home || item.kind.is_written_by_agents();
        let has_arrived = || record.arrived.get(&item.name).is_some_and(|arrived| *arrived == hash);
        if may_be_local && !has_arrived() && !self.git().brought(item) {
            return Standing::Local;
        }
        if known == [None; 2] { Standing::New } else { Standing::Changed }
    }

    /// Returns true if a person trusts a file of the project with this content, or it was written here. `path` is
    /// relative to the root.
    pub fn is_trusted(&self, kind: ItemKind, path: &str, content: &[u8]) -> bool {
        self.standing(&TrustItem::file(kind, path, content.to_vec())).is_trusted()
    }

    /// The text that was last trusted under a name, if it was kept.
    pub fn trusted_text(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.record.as_ref()?.trusted.get(name)?;
        read_capped(&self.state.as_ref()?.join(TEXTS).join(&entry.sha256), KEPT).ok().flatten()
    }

    /// The names that were trusted, and no longer exist among `items`.
    pub fn gone(&self, items: &[TrustItem]) -> Vec<String> {
        let Some(record) = &self.record else { return Vec::new() };
        let is_there = |name: &String| items.iter().any(|item| item.name == *name);
        let names = record.trusted.keys().chain(self.written.trusted.keys());
        names.filter(|name| !is_there(name)).cloned().collect()
    }

    /// Looks at everything that needs trust. The first look at a checkout notes what arrived with it; later ones note
    /// what was written here meanwhile, so that it stays trusted once it is committed.
    pub fn look(&mut self, items: &[TrustItem], now: &str, durability: Durability) -> Result<(), StoreError> {
        let Some(record) = &self.record else {
            let arrived = items.iter().map(|item| (item.name.clone(), item.sha256())).collect();
            let remotes = git_side::remotes(&self.root);
            return self.write(durability, |record| {
                // Another process may have looked meanwhile.
                if record.looked_at.is_empty() {
                    now.clone_into(&mut record.looked_at);
                    (record.arrived, record.remotes) = (arrived, remotes);
                }
            });
        };
        let is_noted = |item: &TrustItem| {
            let mut known = [record, &self.written].into_iter().filter_map(|record| record.trusted.get(&item.name));
            known.any(|entry| entry.sha256 == item.sha256())
        };
        let new: Vec<&TrustItem> = items
            .iter()
            .filter(|item| self.whole().is_none() && !is_noted(item) && self.standing(item) == Standing::Local)
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        self.keep_texts(&new)?;
        let entries = |by_agents: bool| -> Vec<_> {
            let fitting = new.iter().filter(|item| item.kind.is_written_by_agents() == by_agents);
            fitting.map(|item| (item.name.clone(), Entry::of(item, By::Here, now))).collect()
        };
        let (own, written) = (entries(false), entries(true));
        if !written.is_empty() {
            self.written = self.amend(WRITTEN, durability, |record| record.trusted.extend(written))?;
        }
        if own.is_empty() { Ok(()) } else { self.write(durability, |record| record.trusted.extend(own)) }
    }

    /// Notes that a project was set up here. If `is_new`, its marker did not arrive with a repository.
    pub fn set_up(&mut self, by: SetUpBy, is_new: bool, items: &[TrustItem], now: &str) -> Result<(), StoreError> {
        match by {
            SetUpBy::Person => {
                self.accept(items, now)?;
                if is_new { self.write(Durability::Synced, |record| record.home = true) } else { Ok(()) }
            }
            SetUpBy::Program => {
                let is_first = self.record.is_none();
                self.look(items, now, Durability::Quick)?;
                // What is there may have arrived, and the look noted it; what comes later is written here.
                let is_home = is_new && is_first;
                if is_home { self.write(Durability::Quick, |record| record.home = true) } else { Ok(()) }
            }
        }
    }

    /// Records that a person trusts these items as they are, and nothing else of what arrived.
    pub fn accept(&mut self, items: &[TrustItem], now: &str) -> Result<(), StoreError> {
        self.keep_texts(&items.iter().collect::<Vec<_>>())?;
        let remotes = git_side::remotes(&self.root);
        let entries: Vec<_> = items.iter().map(|item| (item.name.clone(), Entry::of(item, By::Person, now))).collect();
        self.write(Durability::Synced, |record| {
            now.clone_into(&mut record.looked_at);
            record.remotes = remotes;
            record.trusted = entries.into_iter().collect();
            record.arrived.clear();
        })?;
        self.forget_written()
    }

    /// Takes all trust back: everything that is there counts as arrived.
    pub fn revoke(&mut self, items: &[TrustItem], now: &str) -> Result<(), StoreError> {
        let arrived = items.iter().map(|item| (item.name.clone(), item.sha256())).collect();
        self.write(Durability::Synced, |record| {
            *record = Record { looked_at: now.to_owned(), arrived, ..Record::default() };
        })?;
        self.forget_written()
    }

    /// A person has decided about everything that was there.
    fn forget_written(&mut self) -> Result<(), StoreError> {
        if !self.written.trusted.is_empty() {
            self.written = self.amend(WRITTEN, Durability::Synced, |record| record.trusted.clear())?;
        }
        Ok(())
    }

    fn git(&self) -> &GitSide {
        self.git.get_or_init(|| GitSide::of(&self.root))
    }

    fn write(&mut self, durability: Durability, change: impl FnOnce(&mut Record)) -> Result<(), StoreError> {
        self.record = Some(self.amend(FILE, durability, change)?);
        Ok(())
    }

    fn amend(
        &self,
        file: &str,
        durability: Durability,
        change: impl FnOnce(&mut Record),
    ) -> Result<Record, StoreError> {
        let Some(state) = &self.state else {
            return Err(StoreError::NoStateFolder { root: self.root.clone() });
        };
        state.create()?;
        let mut new = Record::default();
        amend::<StoreError>(&state.join(file), LIMIT, durability, |old| {
            let mut record = old.as_deref().and_then(Record::parse).unwrap_or_default();
            let before = record.clone();
            change(&mut record);
            let text = (record != before || old.is_none()).then(|| Redacted::json(record.render()).into());
            new = record;
            Ok(text)
        })?;
        Ok(new)
    }

    /// Keeps the texts of definitions, by hash. Others change too often to be worth it.
    fn keep_texts(&self, items: &[&TrustItem]) -> Result<(), StoreError> {
        let Some(state) = &self.state else { return Ok(()) };
        for item in items.iter().filter(|item| !item.kind.is_written_by_agents() && item.content.len() <= KEPT) {
            let path = state.join(TEXTS).join(item.sha256());
            state.create()?;
            create_parents(&path)?;
            crate::create(&path, Exact::Copied.bytes(&item.content), Durability::Quick)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
