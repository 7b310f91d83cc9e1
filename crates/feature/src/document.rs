//! The text of a list, changed in place: what is not changed keeps its bytes, so that a hand-written file stays as its
//! author formatted it.

mod span;
mod style;

use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};
use stead_model::FileId;
use stead_store::seal::read_in_force;

use crate::authorship::Authorship;
use crate::list::plain;
use crate::{BY_AGENT, Feature, FeatureError, FeatureList, Heading, Outline, Patch, Status, VERIFIERS_BY};
use span::Entry;
pub(crate) use span::{Spans, line_of_entry};
use style::Style;

/// The members of an entry to set; `None` removes one.
pub type Members = Vec<(String, Option<Value>)>;

/// The text of a list, and what the machine needs of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    text: String,
    /// The file starts with a byte order mark, which stays.
    mark: bool,
    outline: Outline,
}

const MARK: &str = "\u{feff}";

impl Document {
    /// An empty list, for a project that has none.
    pub fn empty(path: &Path) -> Self {
        let text = format!("{{\n  \"schema\": \"{}\",\n  \"features\": []\n}}\n", FeatureList::SCHEMA);
        let outline =
            Outline { path: path.to_owned(), spans: Spans::of(&text).unwrap_or_default(), ..Outline::default() };
        Self { text, mark: false, outline }
    }

    /// Takes a text that the strict reader accepts.
    pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<Self, FeatureError> {
        let mut text = String::from_utf8(bytes).map_err(|_| FeatureError::Encoding { path: path.to_owned() })?;
        let mark = text.starts_with(MARK);
        if mark {
            text.drain(..MARK.len());
        }
        let outline = Outline::of_text(&text, path)?;
        Ok(Self { text, mark, outline })
    }

    /// Reads the list of the features folder; `None` if there is none.
    pub fn read(features: &Path) -> Result<Option<Self>, FeatureError> {
        let path = features.join(FeatureList::FILE);
        read_in_force(&path, FeatureList::LIMIT)?.map(|bytes| Self::parse(bytes, &path)).transpose()
    }

    /// Reads the list, which must exist.
    pub fn require(features: &Path) -> Result<Self, FeatureError> {
        Self::read(features)?.ok_or_else(|| FeatureError::ListMissing { path: features.join(FeatureList::FILE) })
    }

    /// The entry of a feature as it is written.
    pub fn value(&self, id: &str) -> Result<Value, FeatureError> {
        let at = self.outline.rows.iter().position(|row| row.id == id).ok_or_else(|| self.outline.unknown(id))?;
        self.value_at(at)
    }

    /// The entry at an index as it is written.
    pub fn value_at(&self, at: usize) -> Result<Value, FeatureError> {
        serde_json::from_str(self.entry(at)).map_err(|error| self.wrong(&error))
    }

    /// What a list of features shows of the entry at an index.
    pub fn heading_at(&self, at: usize) -> Result<Heading<'_>, FeatureError> {
        serde_json::from_str(self.entry(at)).map_err(|error| self.wrong(&error))
    }

    fn entry(&self, at: usize) -> &str {
        self.outline.spans.entries.get(at).map_or("", |span| &self.text[span.clone()])
    }

    /// The entries as they are written.
    pub fn values(&self) -> Result<Vec<Value>, FeatureError> {
        (0..self.outline.rows.len()).map(|at| self.value_at(at)).collect()
    }

    pub fn path(&self) -> &Path {
        &self.outline.path
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the file contains exactly this.
    pub(crate) fn is_written_as(&self, bytes: &[u8]) -> bool {
        let mark = if self.mark { MARK } else { "" };
        bytes.strip_prefix(mark.as_bytes()) == Some(self.text.as_bytes())
    }

    /// The text of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mark = if self.mark { MARK } else { "" };
        [mark.as_bytes(), self.text.as_bytes()].concat()
    }

    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    pub fn list(&self) -> Result<FeatureList, FeatureError> {
        FeatureList::parse_signed(self.text.as_bytes(), self.path())
    }

    /// Reads one feature, without the others.
    pub fn feature(&self, id: &str) -> Result<Feature, FeatureError> {
        let read = Feature::read(&self.value(id)?);
        let mut feature = read.map_err(|why| FeatureError::Shape { path: self.path().to_owned(), why })?;
        Authorship::beside(self.path())?.apply(&mut feature);
        Ok(feature)
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

    /// Marks the verifiers of these features as an agent's.
    pub fn mark_agent_verifiers(&mut self, ids: impl Iterator<Item = String>) -> Result<(), FeatureError> {
        let edits: Vec<_> = ids.map(|id| (id, vec![(VERIFIERS_BY.to_owned(), Some(Value::from(BY_AGENT)))])).collect();
        if edits.is_empty() { Ok(()) } else { self.edit(&[], &edits) }
    }

    /// Applies what the machine decided.
    pub(crate) fn patch(&mut self, patches: &[(String, &Patch)]) -> Result<(), FeatureError> {
        let edits: Vec<(String, Members)> = patches.iter().map(|(id, patch)| (id.clone(), patch.members())).collect();
        self.write(&[], &edits)
    }

    fn write(&mut self, adds: &[Map<String, Value>], edits: &[(String, Members)]) -> Result<(), FeatureError> {
        let style = Style::of(&self.text);
        let (spans, places) = (&self.outline.spans, self.outline.places());
        let mut splices: Vec<(Range<usize>, String)> = Vec::new();
        for (id, members) in edits {
            let span = places.get(id.as_str()).and_then(|at| spans.entries.get(*at));
            let Some(span) = span else { return Err(self.outline.unknown(id)) };
            let entry = Entry::at(&self.text, span).map_err(|error| self.wrong(&error))?;
            splices.push(style.member_splice(&self.text, &entry, members));
        }
        for add in adds {
            let id = add.get("id").and_then(Value::as_str).unwrap_or_default();
            FileId::check(id).map_err(|why| FeatureError::BadId { id: id.to_owned(), why: why.to_string() })?;
            if places.contains_key(id) {
                return Err(FeatureError::Exists { id: id.to_owned() });
            }
        }
        splices.extend(style.entry_splice(&self.text, spans, adds).map_err(|error| self.wrong(&error))?);
        splices.sort_by_key(|(range, _)| (range.start, range.end));
        let text = spliced(&self.text, &splices);
        // What was written must be readable, whatever the text looked like before.
        self.outline = Outline::of_text(&text, self.path())?;
        self.text = text;
        Ok(())
    }

    fn wrong(&self, error: &serde_json::Error) -> FeatureError {
        let (line, column) = (error.line(), error.column());
        FeatureError::Syntax { path: self.path().to_owned(), line, column, message: plain(error) }
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
