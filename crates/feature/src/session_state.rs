use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_store::read_capped;

use crate::list::plain;
use crate::{Change, Claim, Command, FeatureError};

/// Where the machine is: `session-state.json` beside the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    pub schema: String,
    /// What is going on: the name of the last action.
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// The last command object that was given out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    pub claims: Vec<Claim>,
    /// What coding agents changed, by feature, for the tester.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files_changed: BTreeMap<String, Vec<String>>,
    /// Nothing starts before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Pause>,
    /// Why no more work starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Transitions that a judge refused, and features that passed after one.
    #[serde(skip_serializing_if = "is_zero")]
    pub vetoes: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub recoveries: u64,
    /// The last transitions, the newest last.
    pub history: Vec<Past>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Until when nothing starts, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// In RFC 3339.
    pub until: String,
    pub why: String,
}

/// One transition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Past {
    pub at: String,
    pub event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Default for SessionState {
    fn default() -> Self {
        Self {
            schema: Self::SCHEMA.to_owned(),
            state: "start".to_owned(),
            feature: None,
            command: None,
            claims: Vec::new(),
            files_changed: BTreeMap::new(),
            wait: None,
            ended: None,
            vetoes: 0,
            recoveries: 0,
            history: Vec::new(),
            other: Map::new(),
        }
    }
}

impl SessionState {
    pub const FILE: &'static str = "session-state.json";
    pub const SCHEMA: &'static str = "stead.session-state/1";
    pub(crate) const LIMIT: usize = 16 * 1024 * 1024;

    /// How many transitions are kept.
    const HISTORY: usize = 20;

    /// Reads the state of the features folder; the default if there is none.
    pub fn read(features: &Path) -> Result<Self, FeatureError> {
        let path = features.join(Self::FILE);
        match read_capped(&path, Self::LIMIT)? {
            Some(bytes) => Self::parse(&bytes, &path),
            None => Ok(Self::default()),
        }
    }

    /// Parses the text of a state; `path` is for errors. A file that another tool wrote has no schema, and only fields
    /// that we do not know: they are kept.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, FeatureError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let wrong = |error: serde_json::Error| FeatureError::Syntax {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            message: plain(&error),
        };
        let object: Map<String, Value> = serde_json::from_slice(bytes).map_err(wrong)?;
        match object.get("schema") {
            None => Ok(Self { other: foreign(object), ..Self::default() }),
            Some(schema) if schema == Self::SCHEMA => serde_json::from_slice(bytes).map_err(wrong),
            Some(schema) => {
                let found = schema.as_str().map_or_else(|| schema.to_string(), str::to_owned);
                Err(FeatureError::Newer { path: path.to_owned(), found, known: Self::SCHEMA })
            }
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        text + "\n"
    }

    pub fn claim(&self, feature: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.feature == feature)
    }

    /// Applies what concerns this file.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Feature { .. } => {}
            Change::Claim(claim) => {
                self.claims.retain(|other| other.feature != claim.feature);
                self.claims.push(claim.clone());
            }
            Change::Release { feature } => self.claims.retain(|claim| &claim.feature != feature),
            Change::Files { feature, files } if files.is_empty() => drop(self.files_changed.remove(feature)),
            Change::Files { feature, files } => drop(self.files_changed.insert(feature.clone(), files.clone())),
            Change::Pause(pause) => self.wait.clone_from(pause),
            Change::Ended(why) => self.ended.clone_from(why),
            Change::Veto => self.vetoes += 1,
            Change::Recovery => self.recoveries += 1,
            Change::Record(past) => {
                self.history.push(past.clone());
                let surplus = self.history.len().saturating_sub(Self::HISTORY);
                self.history.drain(..surplus);
            }
        }
    }
}

/// Our names in a file of another tool would be read as ours next time.
fn foreign(mut object: Map<String, Value>) -> Map<String, Value> {
    let ours = serde_json::to_value(SessionState::default()).unwrap_or_default();
    let known = ["feature", "command", "files_changed", "wait", "ended", "vetoes", "recoveries"];
    object.retain(|name, _| ours.get(name).is_none() && !known.contains(&name.as_str()));
    object
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
