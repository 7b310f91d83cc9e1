use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use stead_store::{Creation, Durability, Exact, StoreError, amend, create, create_parents, read_capped, redact};

use stead_context::{ContextError, Document, ROLE_FILE_LIMIT};

stead_model::named! {
    /// The kind of an import.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ImportKind {
        Loop = "loops",
        Handoff = "handoffs",
        Role = "roles",
    }
}

/// One file of another tool, and what will happen to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub kind: ImportKind,
    /// The file, relative to the project root.
    pub source: String,
    pub outcome: Outcome,
    /// What changes on the way.
    pub done: Vec<String>,
    /// What Stead cannot represent.
    pub left: Vec<String>,
}

impl Import {
    pub(super) fn new(kind: ImportKind, source: &str, outcome: Outcome) -> Self {
        Self { kind, source: source.to_owned(), outcome, done: Vec::new(), left: Vec::new() }
    }
}

/// What will happen to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A new file is created from it.
    New { target: PathBuf, text: String },
    /// It is repaired in place.
    Repaired { target: PathBuf, before: String, text: String },
    /// It was imported before, into this file.
    Already { target: String },
    /// It was imported before and changed since. The new text is not imported.
    Outdated { target: String },
    /// It is in a folder of such files, but is something else.
    Foreign { why: &'static str },
    /// It cannot be parsed.
    Refused { why: String },
}

/// Imports one file. `None` if there is nothing to do.
pub fn apply_import(import: &Import) -> Result<Option<PathBuf>, ContextError> {
    match &import.outcome {
        Outcome::New { target, text } => {
            create_parents(target)?;
            match create(target, redact(text), Durability::Synced)? {
                Creation::Created => Ok(Some(target.clone())),
                // Another process was faster; the existing file is not ours to replace.
                _ => Err(StoreError::NotAFile { path: target.clone() }.into()),
            }
        }
        Outcome::Repaired { target, before, text } => {
            amend(target, ROLE_FILE_LIMIT, Durability::Synced, |bytes| {
                let is_same = bytes.as_deref() == Some(before.as_bytes());
                Ok::<_, ContextError>(is_same.then(|| Exact::Edited.owned(text.as_str())))
            })?;
            Ok(Some(target.clone()))
        }
        Outcome::Already { .. } | Outcome::Outdated { .. } | Outcome::Foreign { .. } | Outcome::Refused { .. } => {
            Ok(None)
        }
    }
}

/// The key that names the file something was imported from.
pub(super) const FROM: &str = "imported_from";
/// The key with the hash of its content at that time.
pub(super) const HASH: &str = "imported_hash";

/// What was imported into a folder before.
pub(super) struct Carried(Vec<Known>);

struct Known {
    name: String,
    hash: String,
    target: String,
}

impl Carried {
    pub(super) fn read(folder: &Path) -> Self {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut known: Vec<Known> =
            files.filter(|path| path.extension().is_some_and(|end| end == "md")).filter_map(known).collect();
        known.sort_by(|one, other| one.target.cmp(&other.target));
        Self(known)
    }

    /// The target of an imported file, and the hash of its content at that time.
    pub(super) fn by_name(&self, name: &str) -> Option<(String, &str)> {
        let known = self.0.iter().rfind(|known| known.name == name)?;
        Some((known.target.clone(), &known.hash))
    }

    /// The target of a file that was imported with this hash.
    pub(super) fn by_hash(&self, name: &str, hash: &str) -> Option<String> {
        self.0.iter().find(|known| known.name == name && known.hash == hash).map(|known| known.target.clone())
    }
}

fn known(path: PathBuf) -> Option<Known> {
    const LIMIT: usize = 32 * 1024 * 1024;
    let text = String::from_utf8(read_capped(&path, LIMIT).ok()??).ok()?;
    let document = Document::parse(text).ok()?;
    let target = path.file_stem()?.to_string_lossy().into_owned();
    Some(Known { name: document.get(FROM)?.to_owned(), hash: document.get(HASH)?.to_owned(), target })
}

/// Free names for new files.
pub(super) struct Names {
    folder: PathBuf,
    given: BTreeSet<String>,
}

impl Names {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), given: BTreeSet::new() }
    }

    /// A free id, and its file.
    pub(super) fn free(&mut self, stem: &str) -> (String, PathBuf) {
        let mut number = 1;
        loop {
            let id = if number == 1 { stem.to_owned() } else { format!("{stem}-{number}") };
            let path = self.folder.join(format!("{id}.md"));
            if path.symlink_metadata().is_err() && self.given.insert(id.clone()) {
                return (id, path);
            }
            number += 1;
        }
    }
}
