use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::unix_millis;

use crate::Status;
use crate::status::words;

words! {
    /// What an agent does with a feature.
    Task {
        Code "code",
        Test "test",
    }
}

/// Who works on a feature, and until when nobody else may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub feature: String,
    pub owner: String,
    pub task: Task,
    /// The status before the claim, to which it returns.
    pub from: Status,
    pub since: String,
    pub expires: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<String>,
    /// The work tree, if it has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Claim {
    /// When it expires, in milliseconds; a moment that cannot be read is long past.
    pub fn expires_at(&self) -> i64 {
        unix_millis(&self.expires).unwrap_or(0)
    }

    /// Returns true if nobody else may take the feature. The list is written before the claims, so a claim that does not
    /// fit the status in the list is over.
    pub fn is_live(&self, status: Status, now: i64) -> bool {
        let fits = match self.task {
            Task::Code => status == Status::Claimed,
            Task::Test => status == Status::Implemented,
        };
        fits && now < self.expires_at()
    }
}
