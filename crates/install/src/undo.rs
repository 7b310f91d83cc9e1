//! The undo record that restores the old bytes: `install.json`, see `docs/formats/install.json.md`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::Shape;
use stead_settings::{has_our_lines, remove};
use stead_store::{Durability, Exact, StoreError, create_parents, read_capped, replace, reserve_private};

use crate::signature::{Ownership, ownership};
use crate::{FileEdit, InstallError};

const LIMIT: usize = 64 * 1024 * 1024;

/// What Stead changed, and the previous content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndoRecord {
    pub schema: u32,
    pub files: Vec<UndoFile>,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// One file: its previous content, and how to tell that nothing else changed since.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndoFile {
    /// Relative to the project root if it is inside, with forward slashes.
    pub path: String,
    pub harness: String,
    /// The old content; `None` if there was no file.
    pub before: Option<String>,
    /// Folders created for the file, outermost first.
    #[serde(default)]
    pub created_folders: Vec<String>,
    pub after: Fingerprint,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Tells whether a file is still what we wrote. It detects a person's edits; it does not defend against an adversary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub length: usize,
    /// FNV-1a of 64 bits, in hexadecimal.
    pub fnv1a: String,
}

impl Fingerprint {
    pub(crate) fn of(text: &str) -> Self {
        let hash = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self { length: text.len(), fnv1a: format!("{hash:016x}") }
    }
}

impl Default for UndoRecord {
    fn default() -> Self {
        Self { schema: Self::SCHEMA, files: Vec::new(), unknown: Map::new() }
    }
}

impl UndoRecord {
    /// The newest schema that this version reads and the one it writes.
    pub const SCHEMA: u32 = 1;

    /// The record's file name.
    pub const FILE: &str = "install.json";

    /// Reads a record; it is empty if there is no file.
    pub fn read(path: &Path) -> Result<Self, InstallError> {
        let bytes = read_capped(path, LIMIT)?.unwrap_or_default();
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let corrupt =
            |error: serde_json::Error| InstallError::RecordCorrupt { path: path.to_owned(), why: error.to_string() };
        let value: Value = serde_json::from_slice(&bytes).map_err(corrupt)?;
        match value.get("schema").and_then(Value::as_u64) {
            Some(found) if found > u64::from(Self::SCHEMA) => {
                Err(InstallError::RecordNewer { path: path.to_owned(), found, known: Self::SCHEMA })
            }
            _ => serde_json::from_value(value).map_err(corrupt),
        }
    }

    /// Writes the record, or deletes its file if it is empty.
    pub(crate) fn write(&self, path: &Path) -> Result<(), StoreError> {
        if self.files.is_empty() && self.unknown.is_empty() {
            return match fs::remove_file(path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    Err(StoreError::Io { doing: "delete", path: path.to_owned(), source })
                }
                _ => Ok(()),
            };
        }
        create_parents(path)?;
        // Old settings may contain keys and tokens.
        reserve_private(path)?;
        // A record has string keys only, so it always serialises.
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        replace(path, Exact::Copied.bytes(&text), Durability::Synced)
    }

    /// Finds the entry of a file.
    pub fn file(&self, root: &Path, path: &Path) -> Option<&UndoFile> {
        self.files.iter().find(|file| file.locate(root) == path)
    }

    pub(crate) fn forget(&mut self, root: &Path, path: &Path) {
        self.files.retain(|file| file.locate(root) != path);
    }

    /// Records an edit that is about to be made. The first content counts: a second edit of ours keeps it.
    pub(crate) fn remember(&mut self, root: &Path, edit: &FileEdit) {
        let Some(after) = edit.after.as_deref() else {
            return;
        };
        let known = self.file(root, &edit.path).filter(|known| known.is_intact(edit.before.as_deref()));
        let entry = UndoFile {
            path: portable(root, &edit.path),
            harness: edit.harness.name().to_owned(),
            before: known
                .map_or_else(|| without_ours(edit.shape, edit.before.as_deref()), |known| known.before.clone()),
            created_folders: known.map_or_else(
                || missing_folders(&edit.path).iter().map(|dir| portable(root, dir)).collect(),
                |known| known.created_folders.clone(),
            ),
            after: Fingerprint::of(after),
            unknown: known.map(|known| known.unknown.clone()).unwrap_or_default(),
        };
        self.forget(root, &edit.path);
        self.files.push(entry);
    }
}

impl UndoFile {
    pub(crate) fn locate(&self, root: &Path) -> PathBuf {
        root.join(&self.path)
    }

    /// Returns true if the file is still exactly what we wrote.
    pub fn is_intact(&self, now: Option<&str>) -> bool {
        now.is_some_and(|text| Fingerprint::of(text) == self.after)
    }

    /// The folders created for the file, innermost first.
    pub(crate) fn folders(&self, root: &Path) -> Vec<PathBuf> {
        self.created_folders.iter().rev().map(|dir| root.join(dir)).collect()
    }
}

/// A file that already contained our lines is recorded without them; a command of ours is not recorded.
fn without_ours(shape: Option<Shape>, before: Option<&str>) -> Option<String> {
    let before = before.filter(|text| ownership(text) != Ownership::Ours)?;
    let Some(shape) = shape.filter(|shape| has_our_lines(*shape, before)) else { return Some(before.to_owned()) };
    match remove(shape, before) {
        Ok(Some(text)) if text.is_empty() => None,
        Ok(Some(text)) => Some(text),
        _ => Some(before.to_owned()),
    }
}

fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|dir| !dir.as_os_str().is_empty() && !dir.exists());
    let mut missing: Vec<PathBuf> = above.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// A path as the record stores it.
fn portable(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(inside) => inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"),
        Err(_) => path.display().to_string(),
    }
}
