use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::file::read_capped;
use crate::{MARKER, StoreError};

/// The content of the project marker. Unknown fields are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    pub schema: u32,
    /// A version 4 UUID that identifies this project, even under another name.
    pub project_id: String,
    /// ISO 8601 in UTC.
    pub created_at: String,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl Marker {
    /// The newest schema that this version reads and the one it writes.
    pub const SCHEMA: u32 = 1;

    /// A marker holds a few fields; anything larger is not one.
    const LIMIT: usize = 256 * 1024;

    pub fn path(root: &Path) -> PathBuf {
        root.join(MARKER)
    }

    /// Creates the marker of a new project.
    pub fn create(created_at: &str) -> Self {
        Self {
            schema: Self::SCHEMA,
            project_id: Uuid::new_v4().to_string(),
            created_at: created_at.to_owned(),
            unknown: Map::new(),
        }
    }

    /// Reads a project's marker; a missing, a corrupt and a newer one are different errors.
    pub fn read(root: &Path) -> Result<Self, StoreError> {
        let path = Self::path(root);
        match read_capped(&path, Self::LIMIT)? {
            Some(bytes) => Self::parse(&bytes, &path),
            None => Err(StoreError::MarkerMissing { path }),
        }
    }

    /// Renders the marker as its file stores it.
    pub fn render(&self) -> String {
        // A map with string keys always serialises.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a text; `path` is for the error.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, StoreError> {
        let corrupt = |why: String| StoreError::MarkerCorrupt { path: path.to_owned(), why };
        let value: Value = serde_json::from_slice(bytes).map_err(|error| corrupt(error.to_string()))?;
        // A newer schema may have changed any other field, so it is checked first.
        match value.get("schema").and_then(Value::as_u64) {
            Some(found) if found > u64::from(Self::SCHEMA) => {
                return Err(StoreError::MarkerNewer { path: path.to_owned(), found, known: Self::SCHEMA });
            }
            Some(0) => return Err(corrupt("`schema` starts at 1".into())),
            _ => {}
        }
        let marker: Self = serde_json::from_value(value).map_err(|error| corrupt(error.to_string()))?;
        match Uuid::try_parse(&marker.project_id) {
            Ok(_) => Ok(marker),
            Err(error) => Err(corrupt(format!("`project_id` is not a UUID: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "3f1a2b4c-5d6e-4f70-8a9b-0c1d2e3f4a5b";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = match Marker::parse(text.as_bytes(), Path::new("root.json")) {
            Ok(marker) => marker.project_id,
            Err(error) => error.to_string(),
        };
        assert!(said.contains(expected), "{text}: {said}");
    }

    #[test]
    fn markers_are_told_apart() {
        let good = format!(r#"{{"schema":1,"project_id":"{ID}","created_at":"2026-01-01T00:00:00Z"}}"#);
        check(&good, ID);
        check(&good.replace(":1,", ":2,"), "has schema 2; this version of stead supports schemas up to 1");
        check(r#"{"schema":9,"project":{"new":"shape"}}"#, "has schema 9");
        check(r#"{"schema":99999999999999999}"#, "has schema 99999999999999999");
        check(&good.replace(":1,", ":0,"), "corrupt");
        check(&good.replace(":1,", ":\"1\","), "corrupt");
        check(&good.replace(ID, "me"), "`project_id` is not a UUID");
        check(&good[..good.len() - 3], "corrupt: EOF");
        check("", "corrupt");
        check("[]", "corrupt");
        check("\u{feff}{}", "corrupt");
        check(&"[".repeat(5000), "corrupt: recursion limit");
    }

    #[test]
    fn unknown_fields_are_kept() {
        let text =
            format!(r#"{{"schema":1,"project_id":"{ID}","created_at":"x","name":"demo","tags":[1,{{"a":null}}]}}"#);
        let marker = Marker::parse(text.as_bytes(), Path::new("root.json")).unwrap();
        let again: Value = serde_json::from_str(&marker.render()).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(&text).unwrap());
    }

    #[test]
    fn every_project_has_its_own_id() {
        let one = Marker::create("now");
        assert_ne!(one.project_id, Marker::create("now").project_id);
        assert_eq!(Uuid::try_parse(&one.project_id).unwrap().get_version_num(), 4);
    }
}
