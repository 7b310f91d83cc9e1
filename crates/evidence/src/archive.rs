use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use stead_feature::FeatureError;
use stead_model::{FileId, nearest};
use stead_store::{
    Chain, Creation, Cut, Durability, FlawKind, Line, Lines, Redacted, Verified, VouchedLine, create, create_parents,
    read_capped, sha256,
};

use crate::{Bounds, EvidenceError, Ground, Item, RecordLink, Source, Trust};

/// How long a writer waits for the lock. A hook has replied already.
const PATIENCE: Duration = Duration::from_secs(2);

/// The maximum size of a record, and the maximum number of records of a feature.
const RECORD_LIMIT: usize = 256 * 1024;
const RECORDS: usize = 2_000;

/// How many of the items that hooks wrote for a feature are kept; older ones are removed.
const KEPT: usize = 50;

/// How far back the log is searched for an id.
const LINES: usize = 5_000;

/// After how many lines of the log the time is checked.
const CHECKED: usize = 64;

/// Why a record is foreign that the log does not list.
const UNLISTED: &str = "this checkout's log does not list it";

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

    /// Adds an item to the log, as the next line of its chain, and notes whether the chain vouches for it.
    pub fn log(&self, item: &mut Item) -> Result<(), EvidenceError> {
        if !self.ground.log().exists() {
            create_parents(&self.ground.log())?;
        }
        let chain = self.chain();
        let Ok(Value::Object(record)) = serde_json::to_value(&*item) else { return Ok(()) };
        let appended = chain.append_vouched(record, self.durability, PATIENCE)?;
        item.trust = match appended.unvouched {
            Some(error) => Trust::foreign(format!("nothing vouches for it: {error}")),
            None if chain.copy.is_none() => Trust::foreign(Cut::NoState.name()),
            None => Trust::Vouched,
        };
        Ok(())
    }

    /// The log's chain. What the state folder knows about a project that was moved is taken over first.
    fn chain(&self) -> Chain {
        if let Some(state) = &self.ground.state {
            // If it cannot be created, nothing vouches for the log, which whoever reads it is told.
            let _ = state.create();
        }
        self.ground.chain()
    }

    /// Stores an item with its feature, and returns what the log has to list: without that it stays foreign. If the id
    /// exists already, a suffix is added.
    pub fn keep(&self, item: &mut Item) -> Result<RecordLink, EvidenceError> {
        let feature = checked(item.feature.as_deref().unwrap_or_default())?;
        let folder = self.ground.folder(feature.as_str());
        let first = item.id.clone();
        let mut link = RecordLink::default();
        for number in 2..100 {
            let path = folder.join(format!("{}.json", item.id));
            create_parents(&path)?;
            let text = Redacted::pretty(item);
            if create(&path, text.clone(), self.durability)? == Creation::Created {
                link = RecordLink::of(item, &text);
                break;
            }
            item.id = format!("{first}-{number}");
        }
        if item.source == Source::Hook {
            self.make_room(feature.as_str());
        }
        Ok(link)
    }

    /// Lists a feature's items, newest first, each with whether the log vouches for it. Unreadable ones are skipped.
    pub fn items(&self, feature: &str) -> Result<Vec<Item>, EvidenceError> {
        Ok(self.records(feature, &Bounds::command())?.items)
    }

    /// A feature's items, and what the log knows about it beyond them.
    pub(crate) fn records(&self, feature: &str, bounds: &Bounds<'_>) -> Result<Records, EvidenceError> {
        let folder = self.ground.folder(checked(feature)?.as_str());
        let names = names(&folder);
        let mut files: Vec<(Item, String)> =
            names.into_iter().rev().take(RECORDS).filter_map(|name| read_hashed(&folder.join(name))).collect();
        let (links, failures, cut) = self.links(feature, &files, bounds)?;
        for (item, hash) in &mut files {
            item.trust = match links.get(&item.id) {
                Some(known) if known == hash => Trust::Vouched,
                Some(_) => Trust::foreign("it was changed after it was recorded"),
                None => Trust::foreign(cut.as_deref().unwrap_or(UNLISTED)),
            };
        }
        let items: Vec<Item> = files.into_iter().map(|(item, _)| item).collect();
        let is_kept = |id: &str| items.iter().any(|item| item.id == id && item.trust == Trust::Vouched);
        let failures = failures.into_iter().filter(|failure| !is_kept(&failure.id)).collect();
        Ok(Records { items, failures })
    }

    /// What the log says about a feature's records, up to the oldest of them: their hashes by their ids, the runs among
    /// them that failed, and why the log may know more.
    fn links(&self, feature: &str, files: &[(Item, String)], bounds: &Bounds<'_>) -> Result<Links, EvidenceError> {
        let mut wanted: Vec<&str> = files.iter().map(|(item, _)| item.id.as_str()).collect();
        let (mut hashes, mut failures) = (BTreeMap::new(), Vec::new());
        if wanted.is_empty() {
            return Ok((hashes, failures, None));
        }
        let mut lines = self.chain().read_vouched()?;
        let mut cut = lines.cut().filter(|cut| *cut != Cut::Broken).map(|cut| cut.name().to_owned());
        let mut seen = 0;
        while cut.is_none() && !wanted.is_empty() && !lines.is_done() {
            let Some(line) = lines.next() else { break };
            seen += 1;
            if seen % CHECKED == 0 && !(bounds.go_on)() {
                cut = Some("checking its log takes too long for a hook call".into());
            }
            let Some(item) = line.ok().filter(|line| line.is_vouched).and_then(parse) else { continue };
            for link in item.records.iter().filter(|link| link.feature == feature) {
                wanted.retain(|id| *id != link.id);
                failures.extend(link.failure(&item));
                hashes.entry(link.id.clone()).or_insert_with(|| link.sha256.clone());
            }
        }
        let cut = cut.or_else(|| lines.cut().filter(|_| !wanted.is_empty()).map(|cut| cut.name().to_owned()));
        Ok((hashes, failures, cut))
    }

    /// Returns true if the log was written here, as far as its end tells.
    pub fn is_known(&self) -> bool {
        self.chain().is_known()
    }

    /// The runs from an offset of the log on, newest first, for what needs no proof: no line is checked.
    pub fn noted_since(&self, offset: u64) -> Result<impl Iterator<Item = Item> + use<>, EvidenceError> {
        let lines = self.chain().read_unchecked(offset)?;
        let items = lines.filter_map(|line| Some(Item { trust: Trust::foreign("it was not checked"), ..parse(line)? }));
        Ok(items.filter(|item| item.source != Source::Add))
    }

    /// Reads the runs in the log, newest first, each with whether the log vouches for it.
    pub fn recent(&self) -> Result<impl Iterator<Item = Item> + use<>, EvidenceError> {
        let lines = self.chain().read_vouched()?;
        let why = lines.cut().map_or("it is not part of the log's chain", Cut::name);
        let lines = lines.map_while(Result::ok);
        let items = lines.filter_map(move |line| {
            let is_vouched = line.is_vouched;
            let trust = if is_vouched { Trust::Vouched } else { Trust::foreign(why) };
            Some(Item { trust, ..parse(line)? })
        });
        Ok(items.filter(|item| item.source != Source::Add))
    }

    /// Checks the log's chain. Lines at its start that an earlier version wrote are foreign, but no damage.
    pub fn verify(&self) -> Result<Verified, EvidenceError> {
        let mut found = self.ground.chain().verify()?;
        let lines = Lines::open(&self.ground.log())?.map_while(Result::ok);
        let is_linked =
            |line: &Line| serde_json::from_str::<Value>(&line.text).is_ok_and(|line| line.get("chain").is_some());
        let older = lines.take_while(|line| !is_linked(line)).count();
        found.flaws.retain(|flaw| flaw.kind != FlawKind::Insertion || flaw.line > older);
        Ok(found)
    }

    /// Finds an item by its id or a prefix of it, among the features or in the log.
    pub fn find(&self, id: &str) -> Result<Item, EvidenceError> {
        let mut found: Vec<Item> = Vec::new();
        let mut known = Vec::new();
        let folders = fs::read_dir(self.ground.features.join("evidence")).into_iter().flatten().flatten();
        for folder in folders.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            for name in names(&folder) {
                let own = name.trim_end_matches(".json");
                if own.starts_with(id) && !id.is_empty() {
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
            [one] if !id.is_empty() => self.looked_up(one),
            [first, second, ..] if !id.is_empty() => match found.iter().find(|item| item.id == id) {
                Some(item) => self.looked_up(item),
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

    /// The item with whether the log vouches for it.
    fn looked_up(&self, item: &Item) -> Result<Item, EvidenceError> {
        let Some(feature) = item.feature.as_deref().filter(|_| item.trust == Trust::Unchecked) else {
            return Ok(item.clone());
        };
        let known = self.items(feature)?.into_iter().find(|known| known.id == item.id);
        Ok(known.unwrap_or_else(|| Item { trust: Trust::foreign(UNLISTED), ..item.clone() }))
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
    read_hashed(path).map(|(item, _)| item)
}

/// A record and the hash of its file.
fn read_hashed(path: &Path) -> Option<(Item, String)> {
    let bytes = read_capped(path, RECORD_LIMIT).ok()??;
    let item: Item = serde_json::from_slice(&bytes).ok()?;
    // The name is the id, and the folder the feature: a copy under another name is another record.
    let is_at_home = path.file_stem().and_then(|stem| stem.to_str()) == Some(&item.id);
    // In a later version's record, the same fields may mean something else.
    (item.v <= Item::VERSION && is_at_home).then(|| (item, sha256(&bytes)))
}

/// The item of a line. It is read from the record that the chain vouches for, not from the text again.
fn parse(line: VouchedLine) -> Option<Item> {
    let mut record = line.record;
    record.shift_remove("chain");
    let item: Item = serde_json::from_value(Value::Object(record)).ok()?;
    (item.v <= Item::VERSION).then_some(item)
}

/// A feature's records.
pub(crate) struct Records {
    /// Newest first, each with whether the log vouches for it.
    pub(crate) items: Vec<Item>,
    /// Runs that failed, by the log, and whose records are gone or were changed.
    pub(crate) failures: Vec<Item>,
}

type Links = (BTreeMap<String, String>, Vec<Item>, Option<String>);
