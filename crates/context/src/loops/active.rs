use std::path::Path;

use serde_json::{Map, Value, json};
use stead_store::{Durability, NO_LOOP, Redacted, amend, read_capped};

use crate::ContextError;

/// `indexes/active-loop.json`: which session is in which loop, and which loop was chosen last. Fields of later versions
/// are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActiveLoop {
    fields: Map<String, Value>,
}

/// The size limit of the file, enough for thousands of sessions.
const LIMIT: usize = 1024 * 1024;

const LAST: &str = "active_loop_id";
const SESSIONS: &str = "sessions";

impl ActiveLoop {
    pub const FILE: &str = "active-loop.json";
    const SCHEMA: u64 = 1;

    /// Reads the file in the folder of indexes. A missing or empty file has no entries, nor has one of a project in which
    /// no loop was ever started.
    pub fn read(indexes: &Path) -> Result<Self, ContextError> {
        let path = indexes.join(Self::FILE);
        let bytes = read_capped(&path, LIMIT)?.filter(|bytes| bytes != NO_LOOP.as_bytes());
        Self::parse(&path, bytes.as_deref())
    }

    /// Changes the file, one process at a time; an unchanged file is not written.
    pub(super) fn change(indexes: &Path, change: impl FnOnce(&mut Self)) -> Result<(), ContextError> {
        let path = indexes.join(Self::FILE);
        amend(&path, LIMIT, Durability::Quick, |old| {
            let before = Self::parse(&path, old.as_deref())?;
            let mut after = before.clone();
            change(&mut after);
            Ok::<_, ContextError>((after != before).then(|| Redacted::json(after.render()).into()))
        })?;
        Ok(())
    }

    /// The loop that was chosen last.
    pub fn last(&self) -> Option<&str> {
        self.fields.get(LAST)?.as_str().filter(|id| !id.is_empty())
    }

    /// The loop that a session is in.
    pub fn of_session(&self, session: &str) -> Option<&str> {
        self.sessions().find(|(known, _)| *known == session).map(|(_, id)| id)
    }

    /// All sessions with their loops.
    pub fn sessions(&self) -> impl Iterator<Item = (&str, &str)> {
        let map = self.fields.get(SESSIONS).and_then(Value::as_object);
        map.into_iter().flatten().filter_map(|(session, id)| Some((session.as_str(), id.as_str()?)))
    }

    /// Puts a loop into the foreground, of a session if there is one, and removes it from any other's.
    pub(super) fn put(&mut self, id: &str, session: Option<&str>) {
        self.fields.entry("schema").or_insert(json!(Self::SCHEMA));
        self.fields.insert(LAST.to_owned(), json!(id));
        self.release(id);
        if let Some(session) = session {
            let map = self.fields.entry(SESSIONS).or_insert_with(|| json!({}));
            if !map.is_object() {
                *map = json!({});
            }
            map[session] = json!(id);
        }
    }

    /// Removes a loop from the foreground everywhere.
    pub(super) fn take(&mut self, id: &str) {
        self.release(id);
        if self.last() == Some(id) {
            self.fields.insert(LAST.to_owned(), Value::Null);
        }
    }

    fn release(&mut self, id: &str) {
        if let Some(map) = self.fields.get_mut(SESSIONS).and_then(Value::as_object_mut) {
            map.retain(|_, held| held.as_str() != Some(id));
        }
    }

    fn parse(path: &Path, bytes: Option<&[u8]>) -> Result<Self, ContextError> {
        let bytes = bytes.unwrap_or_default();
        if bytes.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        let wrong = |line: usize, message: String| ContextError::Content { path: path.to_owned(), line, message };
        let fields: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|error| wrong(error.line().max(1), error.to_string()))?;
        match fields.get("schema").map(Value::as_u64) {
            None | Some(Some(Self::SCHEMA)) => Ok(Self { fields }),
            Some(_) => Err(wrong(1, "written by a newer version of stead".to_owned())),
        }
    }

    fn render(&self) -> String {
        serde_json::to_string_pretty(&self.fields).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ActiveLoop, ContextError> {
        ActiveLoop::parse(Path::new("active-loop.json"), Some(text.as_bytes()))
    }

    #[test]
    fn a_loop_holds_one_session_and_a_session_one_loop() {
        let mut active = parse(r#"{"active_loop_id": null, "mine": [1]}"#).unwrap();
        active.put("a", Some("s1"));
        active.put("b", Some("s2"));
        assert_eq!(
            (active.last(), active.of_session("s1"), active.of_session("s2")),
            (Some("b"), Some("a"), Some("b"))
        );
        active.put("b", Some("s1"));
        assert_eq!((active.of_session("s1"), active.of_session("s2")), (Some("b"), None));
        active.take("b");
        assert_eq!((active.last(), active.sessions().count()), (None, 0));
        assert_eq!(parse(&active.render()).unwrap(), active);
        assert!(active.render().contains("\"mine\""));
    }

    #[test]
    fn odd_content_points_to_nothing_or_is_an_error() {
        for text in ["", " \n", "{}", r#"{"active_loop_id": 7}"#, r#"{"active_loop_id": "", "sessions": []}"#] {
            let active = parse(text).unwrap();
            assert_eq!((active.last(), active.of_session("")), (None, None), "{text}");
        }
        for text in ["[]", "{", "nonsense", r#"{"schema": 2}"#] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
