use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use stead_model::nearest;
use stead_store::read_capped;

use crate::document::line_of_entry;
use crate::list::plain;
use crate::queue::cycle;
use crate::{FeatureError, FeatureList, Row};

/// The whole list as the machine sees it, read strictly: a wrong type, an id that occurs twice, an unknown dependency
/// or a cycle is an error with its line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    pub path: PathBuf,
    pub rows: Vec<Row>,
}

impl Outline {
    /// Reads the list of the features folder; `None` if there is none.
    pub fn read(features: &Path) -> Result<Option<Self>, FeatureError> {
        let path = features.join(FeatureList::FILE);
        match read_capped(&path, FeatureList::LIMIT)? {
            Some(bytes) => Self::parse(&bytes, &path).map(Some),
            None => Ok(None),
        }
    }

    /// Parses the text of a list; `path` is for errors.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, FeatureError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(text) = std::str::from_utf8(bytes) else { return Err(FeatureError::Encoding { path: path.to_owned() }) };
        let whole: Whole = serde_json::from_str(text).map_err(|error| FeatureError::Syntax {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            message: plain(&error),
        })?;
        if let Some(schema) = whole.schema.filter(|schema| schema != FeatureList::SCHEMA) {
            let (path, known) = (path.to_owned(), FeatureList::SCHEMA);
            return Err(FeatureError::Newer { path, found: schema, known });
        }
        let Some(rows) = whole.rows else {
            return Err(FeatureError::Shape { path: path.to_owned(), why: "it has no `features`".into() });
        };
        let outline = Self { path: path.to_owned(), rows };
        match outline.fault() {
            None => Ok(outline),
            Some((at, field, message)) => {
                let line = line_of_entry(text, at, field);
                Err(FeatureError::Entry { path: path.to_owned(), line, message })
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

    /// The first entry that does not fit the others: its index, the field, and what is wrong.
    fn fault(&self) -> Option<(usize, &'static str, String)> {
        let mut places = HashMap::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            if places.insert(row.id.as_str(), at).is_some() {
                return Some((at, "id", format!("feature `{}` is listed twice", row.id)));
            }
        }
        for (at, row) in self.rows.iter().enumerate() {
            if let Some(id) = row.depends_on.iter().find(|id| !places.contains_key(id.as_str())) {
                return Some((at, "depends_on", format!("`{}` depends on `{id}`, which is not in the list", row.id)));
            }
        }
        let round = cycle(&self.rows, &places)?;
        let names: Vec<&str> = round.iter().chain(round.first()).map(|at| self.rows[*at].id.as_str()).collect();
        let message = format!("dependencies form a cycle: `{}`", names.join("` -> `"));
        Some((*round.first()?, "depends_on", message))
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

impl From<&FeatureList> for Outline {
    fn from(list: &FeatureList) -> Self {
        Self { path: list.path.clone(), rows: list.features.iter().map(Row::from).collect() }
    }
}
