use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use stead_code::{Budget, Language, nodes};
use stead_store::{file_stamp, read_capped};

/// The largest file whose nodes are looked for.
const LARGEST: usize = 2_000_000;

/// A named part of a file, and where it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    pub kind: String,
    pub name: String,
    pub start: u64,
    pub end: u64,
    /// The hash of its syntax; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub normal: String,
}

/// A file as it was last looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileLook {
    /// Empty if there is no such file.
    pub(super) stamp: String,
    pub(super) lines: u64,
    /// The named parts, in order; none if the language is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Placed>,
}

impl FileLook {
    /// The stamp of a file now; empty if it is none.
    pub(super) fn stamp(path: &Path) -> String {
        match fs::metadata(path) {
            Ok(data) if data.is_file() => file_stamp(&data).text,
            _ => String::new(),
        }
    }

    /// Reads a file of the project.
    pub(super) fn of(root: &Path, path: &str) -> Self {
        let file = root.join(path);
        let stamp = Self::stamp(&file);
        let bytes = if stamp.is_empty() { None } else { read_capped(&file, LARGEST).ok().flatten() };
        let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return Self { stamp, ..Self::default() };
        };
        let found = Language::of(path, &text).and_then(|language| nodes(language, &text, &Budget::default()).ok());
        let parts = found.unwrap_or_default().into_iter().map(|node| Placed {
            kind: node.kind.to_owned(),
            name: node.name,
            start: node.start as u64,
            end: node.end as u64,
            normal: node.normal.map(|hash| hash.to_string()).unwrap_or_default(),
        });
        Self { stamp, lines: text.lines().count() as u64, parts: parts.collect() }
    }
}
