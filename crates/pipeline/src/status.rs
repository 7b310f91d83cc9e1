//! `status.json`: what an agent reports about its iteration, or what the engine reports if the agent could not.
//!
//! It is parsed strictly, because everything that follows relies on it: a file that is not clearly a status is
//! rejected. A code fence around it, comments and trailing commas change nothing about what it says, so they are accepted
//! and told.

mod lenient;

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use stead_store::{Redacted, StoreError, read_capped};

/// The size limit of a status.
pub(crate) const STATUS_LIMIT: usize = 1024 * 1024;

stead_model::named! {
    /// What should happen next, in the agent's view.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Decision {
        Continue = "continue",
        Stop = "stop",
        Error = "error",
    }
}

/// Whom an agent is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockedOn {
    #[serde(alias = "human")]
    Person,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Work {
    #[serde(default, deserialize_with = "or_default")]
    pub items_completed: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub files_touched: Vec<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The content of `status.json`. Only the decision is required.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Status {
    pub decision: Decision,
    #[serde(default, deserialize_with = "or_default")]
    pub reason: String,
    #[serde(default, deserialize_with = "or_default")]
    pub summary: String,
    #[serde(default, deserialize_with = "or_default")]
    pub work: Work,
    #[serde(default, deserialize_with = "or_default")]
    pub errors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_on: Option<BlockedOn>,
    /// Only the engine writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// What had to be left out to read it.
    #[serde(skip)]
    pub read_without: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Why there is no usable status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusProblem {
    Missing,
    /// None was written, and the answer does not contain the deciding word of the older format.
    Unsaid(String),
    Invalid(String),
}

impl Status {
    /// Reads the agent's status file. Links, folders, long files, and files that are not UTF-8 are rejected.
    pub fn read(path: &Path) -> Result<Self, StatusProblem> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StatusProblem::Missing),
            Err(error) => return Err(StatusProblem::Invalid(format!("it cannot be read: {error}"))),
            Ok(data) if data.is_symlink() => return Err(StatusProblem::Invalid("it is a symbolic link".into())),
            Ok(data) if data.is_dir() => return Err(StatusProblem::Invalid("it is a folder".into())),
            Ok(data) if data.len() > STATUS_LIMIT as u64 => {
                return Err(StatusProblem::Invalid(format!(
                    "it has {} bytes; the limit is {STATUS_LIMIT}",
                    data.len()
                )));
            }
            Ok(_) => {}
        }
        match read_capped(path, STATUS_LIMIT) {
            Ok(Some(bytes)) => Self::parse(&bytes).map_err(StatusProblem::Invalid),
            Ok(None) => Err(StatusProblem::Missing),
            Err(StoreError::NotAFile { .. }) => Err(StatusProblem::Invalid("it is not a regular file".into())),
            Err(StoreError::Io { source, .. }) => Err(StatusProblem::Invalid(format!("it cannot be read: {source}"))),
            Err(error) => Err(StatusProblem::Invalid(error.to_string())),
        }
    }

    /// Parses a status. `Err` says what is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8: {error}"))?;
        let text = text.trim_start_matches('\u{feff}');
        if text.trim().is_empty() {
            return Err("it is empty".into());
        }
        match serde_json::from_str::<Self>(text) {
            Ok(status) => Ok(status),
            Err(error) => match lenient::plain(text) {
                Some(plain) => serde_json::from_str::<Self>(&plain.text)
                    .map(|status| Self { read_without: Some(plain.without), ..status })
                    .map_err(|error| why(&plain.text, &error)),
                None => Err(why(text, &error)),
            },
        }
    }

    /// Builds the status of a failed iteration.
    pub fn error(reason: &str, timestamp: String) -> Self {
        Self {
            decision: Decision::Error,
            reason: reason.to_owned(),
            summary: "The iteration failed.".to_owned(),
            work: Work::default(),
            errors: vec![reason.to_owned()],
            blocked_on: None,
            timestamp: Some(timestamp),
            read_without: None,
            extra: Map::new(),
        }
    }

    /// The file's text.
    pub fn content(&self) -> Redacted<'static> {
        Redacted::pretty(self)
    }
}

/// What is wrong with a text that is not a status.
fn why(text: &str, error: &serde_json::Error) -> String {
    let kind = match serde_json::from_str(text) {
        Ok(Value::Array(_)) => "a list",
        Ok(Value::String(_)) => "a string",
        Ok(Value::Number(_)) => "a number",
        Ok(Value::Bool(_)) => "a boolean",
        Ok(Value::Null) => "nothing",
        Ok(Value::Object(fields)) => return wrong_field(&fields).unwrap_or_else(|| error.to_string()),
        Err(_) => return error.to_string(),
    };
    format!("expected an object, found {kind}")
}

/// Names the first field with an invalid value; serde only reports what it found.
fn wrong_field(fields: &Map<String, Value>) -> Option<String> {
    SHAPES.iter().find_map(|(path, shape)| {
        let mut found = Some(fields);
        let mut value = None;
        for name in path.split('.') {
            value = found?.get(name);
            found = value.and_then(Value::as_object);
        }
        let value = value?;
        shape.is_wrong(value).then(|| format!("`{path}` must be {}, not {}", shape.words(), shown(value)))
    })
}

const SHAPES: [(&str, Shape); 8] = [
    ("decision", Shape::One(&["continue", "stop", "error"])),
    ("reason", Shape::Text),
    ("summary", Shape::Text),
    ("work", Shape::Object),
    ("work.items_completed", Shape::Texts),
    ("work.files_touched", Shape::Texts),
    ("errors", Shape::Texts),
    ("blocked_on", Shape::Perhaps(&["human", "person"])),
];

/// What a field of a status may contain, besides nothing.
enum Shape {
    Text,
    Texts,
    Object,
    One(&'static [&'static str]),
    /// One of these, or nothing.
    Perhaps(&'static [&'static str]),
}

impl Shape {
    fn is_wrong(&self, value: &Value) -> bool {
        match self {
            Self::One(words) => !value.as_str().is_some_and(|said| words.contains(&said)),
            // Only the decision is required.
            _ if value.is_null() => false,
            Self::Perhaps(words) => !value.as_str().is_some_and(|said| words.contains(&said)),
            Self::Text => !value.is_string(),
            Self::Texts => !value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            Self::Object => !value.is_object(),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Texts => "a list of strings".to_owned(),
            Self::Object => "an object".to_owned(),
            Self::One(words) | Self::Perhaps(words) => {
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
            }
        }
    }
}

/// A value in a few words.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match value {
        Value::Array(items) if items.iter().all(Value::is_string) => "a list".to_owned(),
        Value::Array(_) => "a list with other values".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        _ if text.chars().count() <= 40 => format!("`{text}`"),
        _ => "a long string".to_owned(),
    }
}

/// Treats `null` as a missing value: models write it.
fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<Decision, &str>) {
        match (Status::parse(text.as_bytes()), expected) {
            (Ok(status), Ok(decision)) => assert_eq!(status.decision, decision, "{text}"),
            (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
            (got, _) => panic!("{text}: {got:?}"),
        }
    }

    #[test]
    fn a_decision_is_enough() {
        check(r#"{"decision": "continue"}"#, Ok(Decision::Continue));
        check("\u{feff}{\"decision\": \"stop\", \"reason\": null, \"work\": null}\n", Ok(Decision::Stop));
        check(
            r#"{"decision": "error", "work": {"files_touched": ["a"], "more": 1}, "later": [1]}"#,
            Ok(Decision::Error),
        );
        check(r#"{"decision": "stop", "blocked_on": "person"}"#, Ok(Decision::Stop));
        check(r#"{"decision": "stop", "blocked_on": "human", "needs_human": {"question": "?"}}"#, Ok(Decision::Stop));
    }

    #[test]
    fn a_fence_and_comments_change_nothing() {
        let check = |text: &str, without: Option<&str>| {
            let status = Status::parse(text.as_bytes()).unwrap();
            assert_eq!((status.decision, status.read_without.as_deref()), (Decision::Stop, without), "{text}");
        };
        check(r#"{"decision": "stop", "reason": "see https://x // no comment"}"#, None);
        check("```json\n{\"decision\": \"stop\"}\n```\n", Some("a code fence"));
        check("\n```\n{\"decision\": \"stop\"}```", Some("a code fence"));
        check("// my status\n{\"decision\": /* all done */ \"stop\"} // end", Some("comments"));
        check("```jsonc\n{\n  // nothing left\n  \"decision\": \"stop\"\n}\n```", Some("a code fence and comments"));
        check("```json\r\n{\r\n\"decision\": \"stop\"\r\n}\r\n```\r\n", Some("a code fence"));
        check("~~~~\n{\"decision\": \"stop\", \"reason\": \"```\"}\n~~~~", Some("a code fence"));
        check("{\"decision\": \"stop\",}", Some("trailing commas"));
        check(
            "{\"errors\": [\"a, }\", /* , ] */],\n\"decision\": \"stop\", // ,\n}",
            Some("comments and trailing commas"),
        );
    }

    #[test]
    fn whoever_waits_for_a_person_is_blocked_whatever_it_decided() {
        let status = Status::parse(br#"{"decision": "continue", "blocked_on": "human"}"#).unwrap();
        assert_eq!(status.blocked_on, Some(BlockedOn::Person));
    }

    #[test]
    fn what_is_not_plainly_a_status_is_none() {
        check("", Err("empty"));
        check("null", Err("expected an object, found nothing"));
        check("[]", Err("expected an object, found a list"));
        check("\"stop\"", Err("expected an object, found a string"));
        check("{}", Err("missing field `decision`"));
        check(r#"{"decision": "done"}"#, Err("`decision` must be `continue` or `stop` or `error`, not `\"done\"`"));
        check(r#"{"decision": "Stop"}"#, Err("`decision` must be"));
        check(r#"{"decision": null}"#, Err("`decision` must be"));
        check(r#"{"decision": "stop", "decision": "continue"}"#, Err("duplicate field"));
        check(r#"{"decision": "stop"} {"decision": "stop"}"#, Err("trailing"));
        check(r#"{"decision": "stop", "reason": 5}"#, Err("`reason` must be a string, not `5`"));
        check(r#"{"decision": "stop", "work": []}"#, Err("`work` must be an object, not a list"));
        check(
            r#"{"decision": "stop", "work": {"files_touched": 1}}"#,
            Err("`work.files_touched` must be a list of strings"),
        );
        check(r#"{"decision": "stop", "errors": "none"}"#, Err("`errors` must be a list of strings, not `\"none\"`"));
        check(r#"{"decision": "stop", "errors": [1]}"#, Err("not a list with other values"));
        check(r#"{"decision": "stop", "blocked_on": "weather"}"#, Err("`blocked_on` must be `human` or `person`"));
        check("```json\n{\"decision\": \"stop\"}\n```\n```json\n{\"decision\": \"error\"}\n```", Err("expected"));
        check("Here it is:\n```json\n{\"decision\": \"stop\"}\n```", Err("expected"));
        check("```python\n{\"decision\": \"stop\"}\n```", Err("expected"));
        check("{\"decision\": \"stop\", // twice\n\"decision\": \"error\"}", Err("duplicate field"));
        check("{\"decision\": \"done\" // wrong\n}", Err("`decision` must be"));
        check("{\"decision\": \"stop\",,}", Err("line 1"));
        check("{,}", Err("line 1"));
        check("{\"decision\": \"stop\", \"cost\": NaN,}", Err("line 1"));
        check("{\"decision\": \"stop\", \"reason\": \"a\",} {}", Err("line 1"));
        assert!(Status::parse(b"{\"decision\": \"stop\", \"reason\": \"\xff\"}").unwrap_err().contains("UTF-8"));
    }

    #[test]
    fn unknown_fields_are_kept() {
        let text = r#"{"decision": "stop", "work": {"lines": 3}, "confidence": 0.5}"#;
        let written = Status::parse(text.as_bytes()).unwrap().content().as_bytes().to_vec();
        let again: Value = serde_json::from_slice(&written).unwrap();
        assert_eq!((&again["confidence"], &again["work"]["lines"]), (&Value::from(0.5), &Value::from(3)));
    }

    #[test]
    fn odd_files_are_no_status() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status.json");
        let check = |part: &str| match Status::read(&path) {
            Err(StatusProblem::Invalid(why)) => assert!(why.contains(part), "{why}"),
            other => panic!("{part}: {other:?}"),
        };
        assert_eq!(Status::read(&path), Err(StatusProblem::Missing));
        fs::create_dir(&path).unwrap();
        check("folder");
        fs::remove_dir(&path).unwrap();
        let mut long = br#"{"decision": "stop", "reason": ""#.to_vec();
        long.resize(STATUS_LIMIT, b'x');
        long.extend(b"\"}");
        fs::write(&path, long).unwrap();
        check("bytes");
        fs::remove_file(&path).unwrap();
        #[cfg(unix)]
        {
            let real = folder.path().join("real.json");
            fs::write(&real, r#"{"decision": "stop"}"#).unwrap();
            std::os::unix::fs::symlink(&real, &path).unwrap();
            check("symbolic link");
            fs::remove_file(&path).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            check("not a regular file");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Status::parse(&bytes);
        }

        #[test]
        fn what_was_written_is_read(reason in ".{0,40}", summary in ".{0,40}") {
            let mut status = Status::error(&reason, "2026-11-15T20:00:00.000Z".into());
            status.summary = summary;
            prop_assert_eq!(Status::parse(status.content().as_bytes()), Ok(status));
        }
    }
}
