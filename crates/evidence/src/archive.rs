use std::fs;
use std::path::Path;
use std::time::Duration;

use stead_feature::FeatureError;
use stead_model::{FileId, nearest};
use stead_store::{Creation, Durability, StoreError, Tail, append_line, create, create_parents, read_capped};

use crate::{EvidenceError, Ground, Item, Source};

/// How long a writer waits for the lock.
const PATIENCE: Duration = Duration::from_millis(300);

/// The maximum size of a record, and the maximum number of records of a feature.
const RECORD_LIMIT: usize = 256 * 1024;
const RECORDS: usize = 2_000;

/// How many of the items that hooks wrote for a feature are kept; older ones are removed.
const KEPT: usize = 50;

/// How far back the log is searched for an id.
const LINES: usize = 5_000;

/// Where evidence is stored: each test and build as one line of a log, and the evidence for a feature as one file each
/// in the feature's folder.
#[derive(Clone, Copy, Debug)]
pub struct Archive<'a> {
    ground: &'a Ground,
    durability: Durability,
}

impl<'a> Archive<'a> {
    /// For commands, which sync.
    pub fn new(ground: &'a Ground) -> Self {
        Self { ground, durability: Durability::Synced }
    }

    /// For the hook path, which does not sync.
    pub fn quick(ground: &'a Ground) -> Self {
        Self { ground, durability: Durability::Quick }
    }

    /// Adds an item to the log.
    pub fn log(&self, item: &Item) -> Result<(), EvidenceError> {
        let path = self.ground.log();
        let line = serde_json::to_string(item).unwrap_or_default();
        match append_line(&path, &line, self.durability, PATIENCE) {
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                create_parents(&path)?;
                Ok(append_line(&path, &line, self.durability, PATIENCE)?)
            }
            outcome => Ok(outcome?),
        }
    }

    /// Stores an item with its feature. If the id exists already, a suffix is added.
    pub fn keep(&self, item: &mut Item) -> Result<(), EvidenceError> {
        let feature = checked(item.feature.as_deref().unwrap_or_default())?;
        let folder = self.ground.folder(feature.as_str());
        let first = item.id.clone();
        for number in 2..100 {
            let path = folder.join(format!("{}.json", item.id));
            create_parents(&path)?;
            let text = serde_json::to_string_pretty(item).unwrap_or_default() + "\n";
            if create(&path, text.as_bytes(), self.durability)? == Creation::Created {
                break;
            }
            item.id = format!("{first}-{number}");
        }
        if item.source == Source::Hook {
            self.make_room(feature.as_str());
        }
        Ok(())
    }

    /// Lists a feature's items, newest first. Unreadable ones are skipped.
    pub fn items(&self, feature: &str) -> Result<Vec<Item>, EvidenceError> {
        let folder = self.ground.folder(checked(feature)?.as_str());
        let names = names(&folder);
        Ok(names.into_iter().rev().take(RECORDS).filter_map(|name| read(&folder.join(name))).collect())
    }

    /// Reads the log, newest first.
    pub fn recent(&self) -> Result<impl Iterator<Item = Item> + use<>, EvidenceError> {
        self.recent_since(0)
    }

    /// The same for the lines from an offset on.
    pub fn recent_since(&self, offset: u64) -> Result<impl Iterator<Item = Item> + use<>, EvidenceError> {
        let lines = Tail::open(&self.ground.log())?.unchecked();
        let lines = lines.map_while(Result::ok).take_while(move |line| line.offset >= offset);
        Ok(lines.filter_map(|line| serde_json::from_str(&line.text).ok()))
    }

    /// Finds an item by its id or a prefix of it, among the features or in the log.
    pub fn find(&self, id: &str) -> Result<Item, EvidenceError> {
        let mut found: Vec<Item> = Vec::new();
        let mut known = Vec::new();
        let folders = fs::read_dir(self.ground.features.join("evidence")).into_iter().flatten().flatten();
        for folder in folders.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            for name in names(&folder) {
                let own = name.trim_end_matches(".json");
                if own.starts_with(id) {
                    found.extend(read(&folder.join(&name)));
                }
                known.push(own.to_owned());
            }
        }
        for item in self.recent()?.take(LINES) {
            known.push(item.id.clone());
            if item.id.starts_with(id) && !found.iter().any(|other| other.id == item.id) {
                found.push(item);
            }
        }
        // One run that counts for several features has one id.
        found.dedup_by(|one, other| one.id == other.id);
        match found.as_slice() {
            [one] if !id.is_empty() => Ok(one.clone()),
            [first, second, ..] if !id.is_empty() => match found.iter().find(|item| item.id == id) {
                Some(item) => Ok(item.clone()),
                None => Err(EvidenceError::AmbiguousItem {
                    id: id.to_owned(),
                    first: format!("`{}`", first.id),
                    second: format!("`{}`", second.id),
                }),
            },
            _ => Err(EvidenceError::UnknownItem {
                nearest: nearest(id, known.iter().map(String::as_str)).map(str::to_owned),
                id: id.to_owned(),
            }),
        }
    }

    /// Removes the oldest items that hooks wrote if there are too many. Items that Stead ran or people added stay.
    fn make_room(&self, feature: &str) {
        let folder = self.ground.folder(feature);
        let names = names(&folder);
        if names.len() <= KEPT {
            return;
        }
        let by_hooks =
            names.iter().filter(|name| read(&folder.join(name)).is_some_and(|item| item.source == Source::Hook));
        let by_hooks: Vec<_> = by_hooks.collect();
        for name in &by_hooks[..by_hooks.len().saturating_sub(KEPT)] {
            let _ = fs::remove_file(folder.join(name));
        }
    }
}

fn checked(feature: &str) -> Result<FileId, EvidenceError> {
    let bad = |why: String| FeatureError::BadId { id: feature.to_owned(), why };
    Ok(FileId::check(feature).map_err(|why| bad(why.to_string()))?)
}

/// The records of a folder by name, oldest first.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".json") && !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

fn read(path: &Path) -> Option<Item> {
    let bytes = read_capped(path, RECORD_LIMIT).ok()??;
    let item: Item = serde_json::from_slice(&bytes).ok()?;
    // In a later version's record, the same fields may mean something else.
    (item.v <= Item::VERSION).then_some(item)
}
