use serde::{Deserialize, Serialize};
use stead_store::sha256;

use crate::{Item, Trust};

/// What a line of the log says about one record that was stored with a feature. It has what takes proof away, so that a
/// failure counts even if its record is removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordLink {
    pub feature: String,
    pub id: String,
    /// The hash of the record's file.
    pub sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Why it is no proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
}

impl RecordLink {
    /// The link of a record and the text of its file.
    pub(crate) fn of(item: &Item, text: &str) -> Self {
        Self {
            feature: item.feature.clone().unwrap_or_default(),
            id: item.id.clone(),
            sha256: sha256(text),
            tree: item.tree.clone(),
            command: item.command.clone(),
            weak: item.weak.clone(),
        }
    }

    /// The record of a failed run as its line has it, for when its file is gone or was changed. A run that passed proves
    /// nothing without its record.
    pub(crate) fn failure(&self, line: &Item) -> Option<Item> {
        self.weak.as_ref()?;
        Some(Item {
            id: self.id.clone(),
            feature: Some(self.feature.clone()),
            tree: self.tree.clone(),
            command: self.command.clone(),
            weak: self.weak.clone(),
            records: Vec::new(),
            trust: Trust::Vouched,
            ..line.clone()
        })
    }
}
