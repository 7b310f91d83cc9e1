use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use stead_model::nearest;
use stead_store::seal::read_in_force;

use crate::document::{Spans, line_of_entry};
use crate::links::Links;
use crate::list::plain;
use crate::quick::{self, Rows};
use crate::{FeatureError, FeatureList, Row};

/// The whole list as the machine sees it, read strictly: a wrong type, an id that occurs twice, an unknown dependency
/// or a cycle is an error with its line.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub path: PathBuf,
    pub rows: Vec<Row>,
    /// Where the entries are in the text, if they were read from one.
    pub(crate) spans: Spans,
    /// Which entries depend on which, if that was checked.
    pub(crate) links: Option<Links>,
}

impl PartialEq for Outline {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.rows) == (&other.path, &other.rows)
    }
}

impl Outline {
    /// An outline without a file.
    pub fn of(rows: Vec<Row>) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Reads the list of the features folder; `None` if there is none.
    pub fn read(features: &Path) -> Result<Option<Self>, FeatureError> {
        let path = features.join(FeatureList::FILE);
        match read_in_force(&path, FeatureList::LIMIT)? {
            Some(bytes) => Self::parse(&bytes, &path).map(Some),
            None => Ok(None),
        }
    }

    /// Parses the text of a list; `path` is for errors.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, FeatureError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(text) = std::str::from_utf8(bytes) else { return Err(FeatureError::Encoding { path: path.to_owned() }) };
        Self::of_text(text, path)
    }

    /// Parses the text of a list without a byte order mark.
    pub(crate) fn of_text(text: &str, path: &Path) -> Result<Self, FeatureError> {
        if let Some(Rows { rows, spans }) = quick::rows(text) {
            return Self { path: path.to_owned(), rows, spans, links: None }.checked(text);
        }
        let wrong = |error: serde_json::Error| FeatureError::Syntax {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            message: plain(&error),
        };
        let whole: Whole = serde_json::from_str(text).map_err(wrong)?;
        if let Some(schema) = whole.schema.filter(|schema| schema != FeatureList::SCHEMA) {
            let (path, known) = (path.to_owned(), FeatureList::SCHEMA);
            return Err(FeatureError::Newer { path, found: schema, known });
        }
        let Some(rows) = whole.rows else {
            return Err(FeatureError::Shape { path: path.to_owned(), why: "it has no `features`".into() });
        };
        let spans = Spans::of(text).map_err(wrong)?;
        Self { path: path.to_owned(), rows, spans, links: None }.checked(text)
    }

    /// Checks that the entries fit each other.
    fn checked(mut self, text: &str) -> Result<Self, FeatureError> {
        match self.linked() {
            Ok(links) => {
                self.links = Some(links);
                Ok(self)
            }
            Err((at, field, message)) => {
                let line = line_of_entry(text, at, field);
                Err(FeatureError::Entry { path: self.path, line, message })
            }
        }
    }

    /// Where each id is.
    pub fn places(&self) -> HashMap<&str, usize> {
        self.rows.iter().enumerate().map(|(at, row)| (row.id.as_str(), at)).collect()
    }

    pub fn find(&self, id: &str) -> Result<&Row, FeatureError> {
        self.rows.iter().find(|row| row.id == id).ok_or_else(|| self.unknown(id))
    }

    pub(crate) fn unknown(&self, id: &str) -> FeatureError {
        let nearest = nearest(id, self.rows.iter().map(|row| row.id.as_str())).map(str::to_owned);
        FeatureError::Unknown { id: id.to_owned(), nearest, path: self.path.clone() }
    }

    /// Which entries depend on which.
    pub(crate) fn links(&self) -> Cow<'_, Links> {
        match &self.links {
            Some(links) if links.len() == self.rows.len() => Cow::Borrowed(links),
            _ => Cow::Owned(Links::unchecked(&self.rows, &self.places())),
        }
    }

    /// Which entries depend on which; or the first that does not fit the others: its index, the field, and what is wrong.
    fn linked(&self) -> Result<Links, (usize, &'static str, String)> {
        let mut places = HashMap::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            if places.insert(row.id.as_str(), at).is_some() {
                return Err((at, "id", format!("feature `{}` is listed twice", row.id)));
            }
        }
        let links = Links::of(&self.rows, &places).map_err(|(at, id)| {
            (at, "depends_on", format!("`{}` depends on `{id}`, which is not in the list", self.rows[at].id))
        })?;
        let Some(round) = links.cycle() else { return Ok(links) };
        let names: Vec<&str> = round.iter().chain(round.first()).map(|at| self.rows[*at].id.as_str()).collect();
        let message = format!("dependencies form a cycle: `{}`", names.join("` -> `"));
        Err((round.first().copied().unwrap_or(0), "depends_on", message))
    }
}

/// The document around the entries.
#[derive(Default)]
struct Whole {
    schema: Option<String>,
    rows: Option<Vec<Row>>,
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Documents;
        impl<'de> Visitor<'de> for Documents {
            type Value = Whole;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `features`, or a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Whole, A::Error> {
                let rows = Vec::deserialize(de::value::SeqAccessDeserializer::new(items))?;
                Ok(Whole { schema: None, rows: Some(rows) })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Whole, A::Error> {
                let mut whole = Whole::default();
                while let Some(name) = members.next_key::<String>()? {
                    match name.as_str() {
                        "schema" => whole.schema = members.next_value()?,
                        "features" => whole.rows = Some(members.next_value()?),
                        _ => drop(members.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(whole)
            }
        }
        deserializer.deserialize_any(Documents)
    }
}

#[cfg(test)]
pub(crate) fn strict_rows(text: &str) -> Option<Vec<Row>> {
    serde_json::from_str::<Whole>(text).ok()?.rows
}

impl From<&FeatureList> for Outline {
    fn from(list: &FeatureList) -> Self {
        Self { path: list.path.clone(), rows: list.features.iter().map(Row::from).collect(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    fn parse(text: &str) -> Result<Outline, String> {
        Outline::parse(text.as_bytes(), Path::new("list")).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = parse(text).unwrap_err();
        // A column is where the reader noticed; the line is what counts.
        let (place, message) = expected.split_once(' ').unwrap();
        assert!(error.starts_with(place) && error.ends_with(message), "{text}\n{error}");
    }

    #[test]
    fn errors_have_a_line() {
        check(
            "{\"features\": [\n {\"id\": \"a\",\n  \"priority\": \"high\"}]}",
            "`list`:3: invalid type: string \"high\", expected a whole number in `priority`",
        );
        check(
            "[{\"id\": \"a\",\n\"files\": [\"x\",\n 3]}]",
            "`list`:3: invalid type: integer `3`, expected a string in `files`",
        );
        check("[{\"id\": \"a\"},\n{\"id\": \"b\"},\n{\n\"id\": \"a\"}]", "`list`:4: feature `a` is listed twice");
        check("[{\"id\": \"a\", \"depends_on\":\n [\"z\"]}]", "`list`:2: `a` depends on `z`, which is not in the list");
        check(
            "[{\"id\": \"x\", \"depends_on\": \"a\"},\n{\"id\": \"a\", \"depends_on\": [\"b\"]},\n{\"id\": \"b\", \"depends_on\": [\"c\"]},\n{\"id\": \"c\", \"depends_on\": [\"a\"]}]",
            "`list`:2: dependencies form a cycle: `a` -> `b` -> `c` -> `a`",
        );
        check("[{\"id\": \"a\", \"depends_on\": [\"a\"]}]", "`list`:1: dependencies form a cycle: `a` -> `a`");
        check("[\n{\"id\": \"a/b\"}]", "`list`:2: invalid id `a/b`: it contains '/'");
        check("[\n{\"title\": \"t\"}]", "`list`:2: a feature has no `id`");
        check("[\n3]", "`list`:2: invalid type: integer `3`, expected a feature, which is an object");
        check("{}", "`list` is not a feature list: it has no `features`");
        check("3", "`list`:1: invalid type: integer `3`, expected an object with `features`, or a list");
        check(
            "{\"schema\": \"stead.feature-list/2\", \"features\": []}",
            "`list` has schema `stead.feature-list/2`; this version of stead supports `stead.feature-list/1`",
        );
        let status = parse("[{\"id\": \"a\",\n \"status\": \"finished\"}]").unwrap_err();
        assert!(
            status.starts_with("`list`:2:") && status.contains("unknown status `finished`; expected one of `pending`"),
            "{status}"
        );
        let on = parse("[{\"id\": \"a\",\n \"blocked_on\": \"rain\"}]").unwrap_err();
        assert!(on.starts_with("`list`:2:") && on.contains("unknown blocked_on `rain`"), "{on}");
        let bytes = Outline::parse(b"[{\"id\": \"\xff\"}]", Path::new("list")).unwrap_err();
        assert_eq!(bytes.to_string(), "`list` is not UTF-8");
    }

    #[test]
    fn every_field_refuses_a_wrong_type_and_takes_null() {
        for (name, kind) in crate::row::FIELDS.iter().filter(|(name, _)| *name != "id") {
            let wrong = if format!("{kind:?}") == "Object" { "[1]" } else { "{\"x\": 1}" };
            let error = parse(&format!("[{{\"id\": \"a\",\n\n \"{name}\": {wrong}}}]")).unwrap_err();
            assert!(error.starts_with("`list`:3:") && error.contains(&format!("`{name}`")), "{error}");
            parse(&format!("[{{\"id\": \"a\", \"{name}\": null}}]")).unwrap();
        }
    }

    #[test]
    fn tested_is_what_guards_protect() {
        let status = |members: &str| parse(&format!("[{{\"id\": 1, {members}}}]")).unwrap().rows[0].status;
        assert_eq!(status(r#""status": "completed""#), Status::Implemented);
        assert_eq!(status(r#""status": "completed", "tested": true"#), Status::Tested);
        assert_eq!(status(r#""tested": true"#), Status::Tested);
        assert_eq!(status(r#""status": "tested""#), Status::Implemented);
        assert_eq!(status(r#""status": "blocked", "tested": true"#), Status::Blocked);
        assert_eq!(status(r#""title": "x""#), Status::Pending);
    }

    #[test]
    fn a_long_chain_is_no_cycle() {
        let entries: Vec<String> =
            (0..20_000).map(|at| format!("{{\"id\": {at}, \"depends_on\": [{}]}}", (at + 1) % 20_000)).collect();
        let open = format!("[{}]", entries.join(",").replace("[0]", "[]"));
        assert_eq!(parse(&open).unwrap().rows.len(), 20_000);
        assert!(parse(&format!("[{}]", entries.join(","))).unwrap_err().contains("cycle"));
    }

    #[test]
    fn both_readers_agree() {
        let text = r#"{"features": [{"id": " a ", "status": "claimed", "priority": 2, "attempts": 3, "retries": 1, "depends_on": [7],
            "last_failure": {"at": "t", "summary": "s"}, "needs_human": {"question": "q"}, "blocked_on": "human"}, {"id": 7}]}"#;
        let list = FeatureList::parse(text.as_bytes(), Path::new("list")).unwrap();
        assert_eq!(Outline::from(&list), parse(text).unwrap());
    }
}
