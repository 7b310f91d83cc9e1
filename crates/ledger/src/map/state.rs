use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use stead_store::StoreError;

use super::place::{FileLook, Placed};
use crate::trace::{
    ContributorKind, FileNote, FileOp, FileTrace, Ledger, MutationClass, NodeNote, Record, Source, TraceLine,
};

/// What changed for one intent in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Touched {
    /// The named parts, as kind and name, with the last hash of their syntax.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) parts: BTreeMap<String, (String, String)>,
    /// The lines of the newest change, for files without named parts.
    #[serde(default)]
    pub(super) lines: (u64, u64),
    /// When it was last changed.
    #[serde(default)]
    pub(super) at: String,
}

/// What the ledger says, folded; the intent `""` has what was changed for none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MapState {
    v: u32,
    /// The last line of each file of the ledger that was folded: its offset and id.
    read: BTreeMap<String, (u64, String)>,
    pub(super) intents: BTreeMap<String, BTreeMap<String, Touched>>,
    pub(super) files: BTreeMap<String, FileLook>,
    /// Some files were not looked at again.
    #[serde(default)]
    pub(super) is_unfinished: bool,
}

enum Folded {
    All,
    TooMuch,
    /// The line that was folded last is not there any more.
    Replaced,
}

impl MapState {
    const VERSION: u32 = 1;

    /// Reads the state; one that cannot be read is rebuilt.
    pub(super) fn read(path: &Path) -> Self {
        let text = stead_store::read_file(path).unwrap_or_default();
        let state: Option<Self> = serde_json::from_slice(&text).ok();
        state.filter(|state| state.v == Self::VERSION).unwrap_or(Self { v: Self::VERSION, ..Self::default() })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Returns true if a file of the ledger has another last line than the one that was folded.
    pub(super) fn is_behind(&self, ledger: &Ledger) -> bool {
        ledger.sources().iter().any(|source| {
            let last = Ledger::read_back(source).ok().and_then(|mut lines| lines.next()?.ok());
            last.map(mark) != self.read.get(&key(source)).cloned()
        })
    }

    /// Returns true if nothing is known about any intent.
    pub(super) fn has_nothing(&self) -> bool {
        self.intents.keys().all(String::is_empty)
    }

    /// Folds the new lines of the ledger; `false` if there are more than `most`, and then nothing is changed.
    pub(super) fn fold(&mut self, ledger: &Ledger, most: usize) -> Result<bool, StoreError> {
        let mut next = self.clone();
        let mut room = most;
        for source in ledger.sources() {
            let folded = match next.read.get(&key(&source)).cloned() {
                Some(known) => next.fold_since(&source, &known, &mut room)?,
                None => next.fold_all(&source, &mut room)?,
            };
            match folded {
                Folded::All => {}
                Folded::TooMuch => return Ok(false),
                Folded::Replaced => {
                    // What was folded may not be true any more.
                    *self = Self { v: Self::VERSION, files: std::mem::take(&mut next.files), ..Self::default() };
                    return self.fold(ledger, most);
                }
            }
        }
        *self = next;
        Ok(true)
    }

    fn fold_all(&mut self, source: &Source, room: &mut usize) -> Result<Folded, StoreError> {
        let mut last = None;
        for line in Ledger::read(source)? {
            if *room == 0 {
                return Ok(Folded::TooMuch);
            }
            *room -= 1;
            let line = line?;
            self.take(&line.record);
            last = Some(mark(line));
        }
        self.read.extend(last.map(|last| (key(source), last)));
        Ok(Folded::All)
    }

    fn fold_since(&mut self, source: &Source, known: &(u64, String), room: &mut usize) -> Result<Folded, StoreError> {
        let mut lines: Vec<TraceLine> = Vec::new();
        for line in Ledger::read_back(source)? {
            let line = line?;
            if known.0 == line.line.offset && known.1 == line.record.id {
                for line in lines.iter().rev() {
                    self.take(&line.record);
                }
                self.read.extend(lines.into_iter().next().map(|newest| (key(source), mark(newest))));
                return Ok(Folded::All);
            }
            if *room == 0 {
                return Ok(Folded::TooMuch);
            }
            *room -= 1;
            lines.push(line);
        }
        Ok(Folded::Replaced)
    }

    fn take(&mut self, record: &Record) {
        if record.contributor() == ContributorKind::Human {
            return;
        }
        let intent = record.intent().unwrap_or_default();
        let notes = record.stead().map(|note| note.files.as_slice()).unwrap_or_default();
        for file in &record.files {
            let note = notes.iter().find(|note| note.path == file.path);
            if let Some(from) = note.and_then(|note| note.from.as_deref()) {
                self.rename(from, &file.path);
            }
            if note.is_some_and(|note| note.op == FileOp::Delete) {
                continue;
            }
            match record.class() {
                // What was moved still belongs to the intents that it was written for.
                MutationClass::Refactor => self.follow(file, note),
                MutationClass::Evolution | MutationClass::Unknown => self.add(intent, record, file, note),
            }
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        for files in self.intents.values_mut() {
            if let Some(touched) = files.remove(from) {
                let known = files.entry(to.to_owned()).or_default();
                known.parts.extend(touched.parts);
                known.lines = touched.lines;
                known.at = known.at.clone().max(touched.at);
            }
        }
    }

    fn add(&mut self, intent: &str, record: &Record, file: &FileTrace, note: Option<&FileNote>) {
        let touched = self.intents.entry(intent.to_owned()).or_default().entry(file.path.clone()).or_default();
        touched.at = touched.at.clone().max(record.timestamp.clone());
        let ranges = file.conversations.iter().flat_map(|talk| &talk.ranges);
        if let Some(range) = ranges.max_by_key(|range| range.end_line.saturating_sub(range.start_line)) {
            touched.lines = (range.start_line, range.end_line);
        }
        for node in note.map(innermost).unwrap_or_default() {
            touched.parts.insert(node.name.clone(), (node.kind.clone(), node.normal.clone().unwrap_or_default()));
        }
    }

    fn follow(&mut self, file: &FileTrace, note: Option<&FileNote>) {
        let Some(note) = note else { return };
        for files in self.intents.values_mut() {
            let parts = files.values().flat_map(|touched| touched.parts.values());
            let owned: BTreeSet<String> = parts.map(|(_, normal)| normal.clone()).collect();
            let moved =
                note.nodes.iter().filter(|node| node.normal.as_ref().is_some_and(|normal| owned.contains(normal)));
            let moved: Vec<_> = moved
                .map(|node| (node.name.clone(), (node.kind.clone(), node.normal.clone().unwrap_or_default())))
                .collect();
            if !moved.is_empty() {
                files.entry(file.path.clone()).or_default().parts.extend(moved);
            }
        }
    }

    /// Looks at the files that changed since the last time; `false` if there was no time for all of them.
    pub(super) fn look(&mut self, root: &Path, until: Instant) -> bool {
        let wanted: BTreeSet<String> = self.intents.values().flat_map(|files| files.keys().cloned()).collect();
        self.files.retain(|path, _| wanted.contains(path));
        let mut is_done = true;
        for path in wanted.into_iter().filter(|path| is_inside(path)) {
            let stamp = FileLook::stamp(&root.join(&path));
            if self.files.get(&path).is_some_and(|look| look.stamp == stamp) {
                continue;
            }
            if Instant::now() >= until {
                is_done = false;
                continue;
            }
            self.files.insert(path.clone(), FileLook::of(root, &path));
        }
        is_done
    }

    /// The named parts of a file that were changed for an intent, where they are now, in the order of the file.
    pub(super) fn parts(&self, path: &str, touched: &Touched) -> Vec<&Placed> {
        let Some(look) = self.files.get(path) else { return Vec::new() };
        let is_gone = |name: &str| !look.parts.iter().any(|part| part.name == name);
        // Something that has another name now is known by its syntax.
        let renamed: BTreeSet<&str> = touched
            .parts
            .iter()
            .filter(|(name, (_, normal))| !normal.is_empty() && is_gone(name))
            .map(|(_, (_, normal))| normal.as_str())
            .collect();
        let is_ours = |part: &&Placed| touched.parts.contains_key(&part.name) || renamed.contains(part.normal.as_str());
        look.parts.iter().filter(is_ours).collect()
    }

    /// Returns true if a file of the map exists.
    pub(super) fn exists(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|look| !look.stamp.is_empty())
    }
}

fn key(source: &Source) -> String {
    let names = source.path.iter().rev().take(2).map(|name| name.to_string_lossy());
    names.collect::<Vec<_>>().join(" ")
}

fn mark(line: TraceLine) -> (u64, String) {
    (line.line.offset, line.record.id)
}

/// The ledger may come from elsewhere: its paths stay below the root.
fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// The changed nodes that contain no other changed node: a method, not its class too.
fn innermost(note: &FileNote) -> Vec<&NodeNote> {
    let contains = |outer: &NodeNote| {
        note.nodes.iter().any(|inner| {
            inner.start >= outer.start && inner.end <= outer.end && (inner.start, inner.end) != (outer.start, outer.end)
        })
    };
    note.nodes.iter().filter(|node| !node.name.is_empty() && !contains(node)).collect()
}
