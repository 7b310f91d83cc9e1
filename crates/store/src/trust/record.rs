use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{LIMIT, TrustItem};
use crate::read_capped;

/// The content of `trust.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) v: u32,
    /// When somebody first looked, or a person last did.
    #[serde(default)]
    pub(super) looked_at: String,
    /// The project was set up here, so what git did not bring was written here.
    #[serde(default)]
    pub(super) home: bool,
    /// The addresses of the git remotes at that time. Later ones could be anybody's.
    #[serde(default)]
    pub(super) remotes: Vec<String>,
    /// What was there at the first look, with hashes.
    #[serde(default)]
    pub(super) arrived: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) trusted: BTreeMap<String, Entry>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// One trusted item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) sha256: String,
    pub(super) by: By,
    pub(super) at: String,
}

/// Why an item is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    /// A person looked at it.
    Person,
    /// It was written in this checkout.
    Here,
}

impl Entry {
    pub(super) fn of(item: &TrustItem, by: By, now: &str) -> Self {
        Self { sha256: item.sha256(), by, at: now.to_owned() }
    }
}

impl Record {
    const VERSION: u32 = 1;

    pub(super) fn read(path: &Path) -> Option<Self> {
        Self::parse(&read_capped(path, LIMIT).ok()??)
    }

    /// A corrupt record, or one of a later version, counts as none: nothing is trusted then.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok().filter(|record: &Self| record.v == Self::VERSION)
    }

    pub(super) fn render(&self) -> String {
        let whole = Self { v: Self::VERSION, ..self.clone() };
        // A map with string keys always serialises.
        let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
        text.push('\n');
        text
    }
}
