//! The text of a list, changed in place: what is not changed keeps its bytes, so that a hand-written file stays as its
//! author formatted it.

mod span;
mod style;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use stead_model::FileId;
use stead_store::read_capped;

use crate::list::plain;
use crate::{Feature, FeatureError, FeatureList, Outline, Patch, Status};
pub(crate) use span::line_of_entry;
use span::{Entry, Spans};
use style::Style;

/// The members of an entry to set; `None` removes one.
pub type Members = Vec<(String, Option<Value>)>;

/// The text of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    path: PathBuf,
    text: String,
    /// The file starts with a byte order mark, which stays.
    mark: bool,
}

const MARK: &str = "\u{feff}";

impl Document {
    /// An empty list, for a project that has none.
    pub fn empty(path: &Path) -> Self {
        let text = format!("{{\n  \"schema\": \"{}\",\n  \"features\": []\n}}\n", FeatureList::SCHEMA);
        Self { path: path.to_owned(), text, mark: false }
    }

    /// Takes a text that the strict reader accepts.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, FeatureError> {
        Outline::parse(bytes, path)?;
        Self::checked(bytes.to_vec(), path)
    }

    fn checked(bytes: Vec<u8>, path: &Path) -> Result<Self, FeatureError> {
        let text = String::from_utf8(bytes).map_err(|_| FeatureError::Encoding { path: path.to_owned() })?;
        let (text, mark) = match text.strip_prefix(MARK) {
            Some(rest) => (rest.to_owned(), true),
            None => (text, false),
        };
        Ok(Self { path: path.to_owned(), text, mark })
    }

    /// Reads the list of the features folder; `None` if there is none.
    pub fn read(features: &Path) -> Result<Option<Self>, FeatureError> {
        let path = features.join(FeatureList::FILE);
        read_capped(&path, FeatureList::LIMIT)?.map(|bytes| Self::parse(&bytes, &path)).transpose()
    }

    /// Reads the list, which must exist.
    pub fn require(features: &Path) -> Result<Self, FeatureError> {
        Self::read(features)?.ok_or_else(|| FeatureError::ListMissing { path: features.join(FeatureList::FILE) })
    }

    /// Reads the list and what the machine needs of it, in one pass.
    pub fn read_checked(features: &Path) -> Result<Option<(Self, Outline)>, FeatureError> {
        let path = features.join(FeatureList::FILE);
        let Some(bytes) = read_capped(&path, FeatureList::LIMIT)? else { return Ok(None) };
        let outline = Outline::parse(&bytes, &path)?;
        Ok(Some((Self::checked(bytes, &path)?, outline)))
    }

    /// The entry of a feature as it is written.
    pub fn value(&self, id: &str) -> Result<Value, FeatureError> {
        match self.spans()?.entries.iter().find(|entry| entry.id == id) {
            Some(entry) => serde_json::from_str(&self.text[entry.span.clone()]).map_err(|error| self.wrong(&error)),
            None => Err(self.outline()?.unknown(id)),
        }
    }

    /// The entries as they are written.
    pub fn values(&self) -> Result<Vec<Value>, FeatureError> {
        let spans = self.spans()?;
        let values = spans.entries.iter().map(|entry| serde_json::from_str(&self.text[entry.span.clone()]));
        values.collect::<Result<_, _>>().map_err(|error| self.wrong(&error))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mark = if self.mark { MARK } else { "" };
        [mark.as_bytes(), self.text.as_bytes()].concat()
    }

    pub fn outline(&self) -> Result<Outline, FeatureError> {
        Outline::parse(self.text.as_bytes(), &self.path)
    }

    pub fn list(&self) -> Result<FeatureList, FeatureError> {
        FeatureList::parse(self.text.as_bytes(), &self.path)
    }

    /// Reads one feature of an outline of this text, without looking for it.
    pub fn feature_of(&self, outline: &Outline, id: &str) -> Result<Feature, FeatureError> {
        let place = outline.rows.iter().position(|row| row.id == id).and_then(|at| outline.spans.get(at));
        let entry = place.and_then(|(start, end)| self.text.get(*start..*end));
        match entry.and_then(|entry| serde_json::from_str(entry).ok()).and_then(|entry| Feature::read(&entry).ok()) {
            Some(feature) if feature.id == id => Ok(feature),
            _ => self.feature(id),
        }
    }

    /// Reads one feature, without the others.
    pub fn feature(&self, id: &str) -> Result<Feature, FeatureError> {
        Feature::read(&self.value(id)?).map_err(|why| FeatureError::Shape { path: self.path.clone(), why })
    }

    /// Adds entries at the end and changes others. Neither can make a feature tested.
    pub fn edit(&mut self, adds: &[Map<String, Value>], edits: &[(String, Members)]) -> Result<(), FeatureError> {
        let added = adds.iter().flat_map(|entry| entry.iter().map(|(name, value)| (name.as_str(), Some(value))));
        let edited = edits.iter().flat_map(|(_, members)| members);
        let edited = edited.map(|(name, value)| (name.as_str(), value.as_ref()));
        if let Some((name, _)) = added.chain(edited).find(|(name, value)| claims_proof(name, *value)) {
            return Err(FeatureError::Refused {
                feature: name.to_owned(),
                why: "cannot be set: a feature is tested only with evidence".into(),
                hint: Some("`stead feature report ID --passed` runs its verifiers".into()),
            });
        }
        self.write(adds, edits)
    }

    /// Applies what the machine decided.
    pub(crate) fn patch(&mut self, patches: &[(String, &Patch)]) -> Result<(), FeatureError> {
        let edits: Vec<(String, Members)> = patches.iter().map(|(id, patch)| (id.clone(), patch.members())).collect();
        self.write(&[], &edits)
    }

    fn write(&mut self, adds: &[Map<String, Value>], edits: &[(String, Members)]) -> Result<(), FeatureError> {
        let spans = self.spans()?;
        let style = Style::of(&self.text);
        let places: HashMap<&str, &Entry> = spans.entries.iter().map(|entry| (entry.id.as_str(), entry)).collect();
        let mut splices: Vec<(Range<usize>, String)> = Vec::new();
        for (id, members) in edits {
            let Some(entry) = places.get(id.as_str()) else { return Err(self.outline()?.unknown(id)) };
            splices.push(style.member_splice(&self.text, entry, members));
        }
        for add in adds {
            let id = add.get("id").and_then(Value::as_str).unwrap_or_default();
            FileId::check(id).map_err(|why| FeatureError::BadId { id: id.to_owned(), why: why.to_string() })?;
            if places.contains_key(id) {
                return Err(FeatureError::Exists { id: id.to_owned() });
            }
        }
        splices.extend(style.entry_splice(&self.text, &spans, adds));
        splices.sort_by_key(|(range, _)| (range.start, range.end));
        let text = spliced(&self.text, &splices);
        // What was written must be readable, whatever the text looked like before.
        Outline::parse(text.as_bytes(), &self.path)?;
        self.text = text;
        Ok(())
    }

    fn spans(&self) -> Result<Spans, FeatureError> {
        Spans::of(&self.text).map_err(|error| self.wrong(&error))
    }

    fn wrong(&self, error: &serde_json::Error) -> FeatureError {
        let (line, column) = (error.line(), error.column());
        FeatureError::Syntax { path: self.path.clone(), line, column, message: plain(error) }
    }
}

/// Returns true if a member would make a feature tested.
fn claims_proof(name: &str, value: Option<&Value>) -> bool {
    match (name, value) {
        ("tested", Some(value)) => value == &Value::Bool(true),
        ("status", Some(Value::String(word))) => word.trim() == Status::Tested.word(),
        _ => false,
    }
}

fn spliced(text: &str, splices: &[(Range<usize>, String)]) -> String {
    let mut new = String::with_capacity(text.len() + splices.iter().map(|(_, new)| new.len()).sum::<usize>());
    let mut at = 0;
    for (range, replacement) in splices {
        new.push_str(&text[at..range.start]);
        new.push_str(replacement);
        at = range.end;
    }
    new.push_str(&text[at..]);
    new
}

#[cfg(test)]
mod tests;
