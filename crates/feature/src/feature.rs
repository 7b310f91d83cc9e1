use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{BY_AGENT, BlockedOn, Status, VERIFIERS_BY};

/// One feature of the list: a piece of work, its files, and the commands that prove it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feature {
    pub id: String,
    pub title: String,
    pub description: String,
    pub steps: Vec<String>,
    pub category: String,
    pub labels: Vec<String>,
    /// Lower numbers first; without one, after those that have one.
    pub priority: Option<i64>,
    pub depends_on: Vec<String>,
    /// Paths and patterns below the project root; those that start with `!` exclude files. Without any, the whole
    /// project counts.
    pub files: Vec<String>,
    /// Commands that must succeed in the project's root.
    pub verifiers: Vec<String>,
    /// Who wrote them, as written; see [`Feature::has_agent_verifiers`].
    pub verifiers_by: String,
    /// It has a user interface, which needs evidence from a browser.
    pub ui: bool,
    pub success_criteria: Map<String, Value>,
    pub timeout_seconds: Option<u64>,
    /// The intent that binds the agents that work on it.
    pub intent: String,
    /// The word as written; see [`Feature::state`].
    pub status: String,
    pub tested: bool,
    /// Ids of the evidence that proved it.
    pub evidence: Vec<String>,
    /// Coding attempts that reached a test or failed. Never reset.
    pub attempts: u64,
    /// Failures since the last unblock.
    pub retries: u64,
    pub last_failure: Option<Failure>,
    pub needs_human: Option<NeedsHuman>,
    pub blocked_on: Option<BlockedOn>,
    /// Fields that this version does not know.
    pub other: Map<String, Value>,
}

/// Why the last attempt failed, and what was learnt from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Failure {
    pub at: String,
    pub summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Which assumption was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
    /// How the next attempt prevents it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prevention: Option<String>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A question to a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NeedsHuman {
    pub question: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl NeedsHuman {
    pub fn is_open(&self) -> bool {
        self.answer.as_deref().is_none_or(|answer| answer.trim().is_empty())
    }
}

impl Feature {
    /// How far it is. An unknown word counts as pending; the strict reader refuses it.
    pub fn state(&self) -> Status {
        Status::of(&self.status, self.tested).unwrap_or(Status::Pending)
    }

    /// Returns true if an agent wrote the verifiers. They are judged as its own commands, and must run tests.
    pub fn has_agent_verifiers(&self) -> bool {
        self.verifiers_by.trim() == BY_AGENT
    }

    /// Reads one entry of the list leniently. Fails with a short message.
    pub fn read(value: &Value) -> Result<Self, String> {
        let Value::Object(members) = value else { return Err("it is not an object".into()) };
        let mut feature = Self::default();
        for (name, value) in members {
            match name.as_str() {
                "id" => feature.id = id(value)?,
                "title" => feature.title = text(value),
                "description" => feature.description = text(value),
                "steps" => feature.steps = list(value).unwrap_or_default(),
                "category" => feature.category = text(value),
                "labels" => feature.labels = list(value).unwrap_or_default(),
                "priority" => feature.priority = value.as_i64(),
                "depends_on" => feature.depends_on = ids(value),
                "files" => feature.files = list(value).ok_or("`files` is not a list of paths")?,
                "verifiers" => feature.verifiers = list(value).ok_or("`verifiers` is not a list of commands")?,
                VERIFIERS_BY => feature.verifiers_by = text(value),
                "ui" => feature.ui = value == &Value::Bool(true),
                "success_criteria" => feature.success_criteria = value.as_object().cloned().unwrap_or_default(),
                "timeout_seconds" => feature.timeout_seconds = value.as_u64(),
                "intent" => feature.intent = text(value),
                "status" => feature.status = text(value),
                "tested" => feature.tested = value == &Value::Bool(true),
                "evidence" => feature.evidence = list(value).unwrap_or_default(),
                "attempts" => feature.attempts = value.as_u64().unwrap_or(0),
                "retries" => feature.retries = value.as_u64().unwrap_or(0),
                "last_failure" => feature.last_failure = Failure::deserialize(value).ok(),
                "needs_human" => feature.needs_human = NeedsHuman::deserialize(value).ok(),
                "blocked_on" => feature.blocked_on = value.as_str().and_then(BlockedOn::named),
                _ => {
                    feature.other.insert(name.clone(), value.clone());
                }
            }
        }
        if feature.id.is_empty() { Err("it has no `id`".into()) } else { Ok(feature) }
    }
}

/// Numbers are ids too.
fn id(value: &Value) -> Result<String, String> {
    match value {
        Value::String(id) => Ok(id.trim().to_owned()),
        Value::Number(id) => Ok(id.to_string()),
        _ => Err("its `id` is not a string".into()),
    }
}

fn ids(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(|item| id(item).ok()).filter(|id| !id.is_empty()).collect(),
        one => id(one).ok().filter(|id| !id.is_empty()).into_iter().collect(),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A list of strings, or a single string. Blank ones are ignored.
fn list(value: &Value) -> Option<Vec<String>> {
    let texts: Vec<&str> = match value {
        Value::Null => Vec::new(),
        Value::String(one) => vec![one],
        Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    Some(texts.into_iter().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect())
}
