//! Edits of the intents file as text, at the positions of its tree, so that comments and order survive. Each edit is
//! validated by reading the result again: if it does not say exactly what was meant, nothing is written.

use std::ops::Range;
use std::path::Path;

use stead_store::{Durability, Exact, amend, create_parents, redact, replace_creating};
use stead_yaml::{Tree, Value};

use super::file::{IntentFile, LARGEST};
use super::item::{Constraint, Criterion, Intent, Status};
use super::scope::Scope;
use crate::LedgerError;

/// An intent that a person adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewIntent {
    pub id: String,
    pub name: String,
    pub scope: Vec<String>,
    pub constraints: Vec<String>,
    pub criteria: Vec<String>,
    pub related_files: Vec<String>,
}

impl NewIntent {
    fn without_secrets(&self) -> Self {
        let one = |text: &String| redact(text).into_owned();
        let all = |texts: &[String]| texts.iter().map(one).collect();
        Self {
            id: self.id.clone(),
            name: one(&self.name),
            scope: all(&self.scope),
            constraints: all(&self.constraints),
            criteria: all(&self.criteria),
            related_files: all(&self.related_files),
        }
    }
}

impl IntentFile {
    /// Changes the file of a room under a lock; creates it if `change` can work on an empty one.
    pub fn amend(
        room: &Path,
        change: impl FnOnce(&Self) -> Result<Option<String>, LedgerError>,
    ) -> Result<(), LedgerError> {
        let path = room.join(super::INTENTS);
        create_parents(&path)?;
        amend::<LedgerError>(&path, LARGEST, Durability::Synced, |old| {
            let file = Self::of_bytes(path.clone(), old.ok_or_else(|| LedgerError::NoIntents { path: path.clone() })?)?;
            Ok(change(&file)?.map(|text| Exact::Edited.owned(text)))
        })?;
        Ok(())
    }

    /// Adds an intent to the file of a room, which is created if it is missing.
    pub fn add(room: &Path, new: &NewIntent) -> Result<(), LedgerError> {
        if !Self::exists(room) {
            replace_creating(&room.join(super::INTENTS), b"active_intents: []\n", Durability::Synced)?;
        }
        Self::amend(room, |file| file.with_intent(&new.without_secrets()).map(Some))
    }

    /// The text with another status of an intent; `None` if it already has it.
    pub fn with_status(&self, id: &str, status: Status) -> Result<Option<String>, LedgerError> {
        let at = self.position(id)?;
        if self.intents[at].status == status && self.item(at).get("status").is_some() {
            return Ok(None);
        }
        let item = self.item(at);
        let text = match item.get("status") {
            Some(value) => {
                let old = &self.text[value.at.clone()];
                let quote =
                    old.chars().next().filter(|c| matches!(c, '"' | '\'')).map(String::from).unwrap_or_default();
                self.replaced(value.at.clone(), &format!("{quote}{}{quote}", status.name()))
            }
            None => self.with_key(item, &format!("status: {}", status.name()))?,
        };
        let mut expected = self.intents.clone();
        expected[at].status = status;
        self.validated(text, &expected).map(Some)
    }

    /// The text with further patterns in the scope of an intent; `None` if it has them all.
    pub fn with_scope(&self, id: &str, patterns: &[String]) -> Result<Option<String>, LedgerError> {
        let at = self.position(id)?;
        let mut new: Vec<String> = Vec::new();
        Scope::check(patterns)?;
        for pattern in patterns {
            if !self.intents[at].owned_scope.contains(pattern) && !new.contains(pattern) {
                new.push(pattern.clone());
            }
        }
        if new.is_empty() {
            return Ok(None);
        }
        let item = self.item(at);
        let text = match item.get("owned_scope") {
            Some(list) => self.with_items(list, &new.iter().map(|one| quoted(one)).collect::<Vec<_>>())?,
            None => {
                let indent = " ".repeat(self.indent_of(item));
                let lines: String =
                    new.iter().map(|one| format!("{}{indent}  - {}", self.line_end(), quoted(one))).collect();
                self.with_key(item, &format!("owned_scope:{lines}"))?
            }
        };
        let mut expected = self.intents.clone();
        expected[at].owned_scope.extend(new);
        self.validated(text, &expected).map(Some)
    }

    /// The text with one more intent at the end of the list.
    pub fn with_intent(&self, new: &NewIntent) -> Result<String, LedgerError> {
        if self.intents.iter().any(|intent| intent.id == new.id) {
            return Err(LedgerError::KnownIntent { id: new.id.clone() });
        }
        stead_model::FileId::check(&new.id).map_err(|why| LedgerError::Invalid {
            what: "id",
            value: new.id.clone(),
            why: why.to_string(),
            hint: Some("use letters, digits, `-` and `_`".to_owned()),
        })?;
        Scope::check(&new.scope)?;
        let mut expected = self.intents.clone();
        expected.push(as_intent(new));
        let list = self.tree.get("active_intents").ok_or_else(|| self.uneditable("it has no list"))?;
        let text = match (&list.value, self.is_flow(list)) {
            // In one line only the start of the list is certain.
            (Value::List(items), true) if !items.is_empty() => {
                let start = list.at.start + 1;
                expected.rotate_right(1);
                self.replaced(start..start, &format!("{}, ", flow(new)))
            }
            (Value::List(items), false) if !items.is_empty() => {
                let dash = " ".repeat(self.dash_column(&items[0]).ok_or_else(|| self.uneditable("no `-` was found"))?);
                self.inserted_below(end_of(list), &block(new, &dash, self.line_end()))
            }
            _ => {
                let lines = block(new, "  ", self.line_end());
                let text = self.replaced(self.empty(list), &format!("{}{lines}", self.line_end()));
                // What stood behind the brackets begins a line now.
                text.replacen(&format!("{lines}{}", self.line_end()), &lines, 1)
            }
        };
        self.validated(text, &expected)
    }

    fn position(&self, id: &str) -> Result<usize, LedgerError> {
        self.find(id)?;
        Ok(self.intents.iter().position(|intent| intent.id == id).unwrap_or_default())
    }

    /// The mapping of an intent.
    fn item(&self, at: usize) -> &Tree {
        match self.tree.get("active_intents").map(|list| &list.value) {
            Some(Value::List(items)) => &items[at],
            _ => &self.tree,
        }
    }

    /// Adds a key below the first one of a mapping.
    fn with_key(&self, item: &Tree, line: &str) -> Result<String, LedgerError> {
        let first = item.entries().first().ok_or_else(|| self.uneditable("an intent is empty"))?;
        match self.is_flow(item) {
            true if line.contains('\n') => Err(self.uneditable("the intent is written in one line")),
            true => Ok(self.replaced(first.value.at.end..first.value.at.end, &format!(", {line}"))),
            false => {
                let indent = " ".repeat(self.indent_of(item));
                Ok(self.inserted_below(end_of(&first.value), &format!("{indent}{line}")))
            }
        }
    }

    /// Adds items at the end of a list, as it is written.
    fn with_items(&self, list: &Tree, items: &[String]) -> Result<String, LedgerError> {
        match &list.value {
            Value::List(known) if !known.is_empty() && self.is_flow(list) => {
                let at = known.last().map_or(list.at.start, |last| last.at.end);
                Ok(self.replaced(at..at, &format!(", {}", items.join(", "))))
            }
            Value::List(known) if !known.is_empty() => {
                let dash = self.dash_column(&known[0]).ok_or_else(|| self.uneditable("no `-` was found"))?;
                let lines: Vec<String> = items.iter().map(|item| format!("{}- {item}", " ".repeat(dash))).collect();
                Ok(self.inserted_below(end_of(list), &lines.join(self.line_end())))
            }
            _ if self.is_flow(list) => Ok(self.replaced(self.empty(list), &format!("[{}]", items.join(", ")))),
            // Nothing stands behind the colon.
            _ => {
                let keys = self.intents.iter().enumerate().flat_map(|(at, _)| self.item(at).entries());
                let key = keys.into_iter().find(|entry| std::ptr::eq(&entry.value, list));
                let key = key.ok_or_else(|| self.uneditable("its layout is not supported"))?;
                let colon = self.text[key.key_at.end..].find(':').map_or(key.key_at.end, |at| key.key_at.end + at + 1);
                Ok(self.replaced(colon..colon, &format!(" [{}]", items.join(", "))))
            }
        }
    }

    /// The brackets of an empty list; a parser gives only where it starts.
    fn empty(&self, list: &Tree) -> Range<usize> {
        let length = self.text[list.at.start..].find(']').map_or(0, |end| end + 1);
        list.at.start..list.at.start + length
    }

    fn is_flow(&self, tree: &Tree) -> bool {
        self.text[tree.at.start..].starts_with(['[', '{'])
    }

    /// The column of an intent's keys, from 0.
    fn indent_of(&self, item: &Tree) -> usize {
        item.entries().first().map_or(0, |entry| entry.key_place.column.saturating_sub(1))
    }

    /// The column of the `-` in front of an item.
    fn dash_column(&self, item: &Tree) -> Option<usize> {
        let start = item.entries().first().map_or(item.at.start, |entry| entry.key_at.start);
        let before = &self.text[..start];
        let dash = before.rfind('-')?;
        let begin = before[..dash].rfind('\n').map_or(0, |at| at + 1);
        before[begin..dash].bytes().all(|byte| byte == b' ').then_some(dash - begin)
    }

    fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn replaced(&self, range: Range<usize>, new: &str) -> String {
        format!("{}{new}{}", &self.text[..range.start], &self.text[range.end..])
    }

    /// Inserts lines below the one that holds a position.
    fn inserted_below(&self, at: usize, lines: &str) -> String {
        let end = self.text[at..].find('\n').map_or(self.text.len(), |next| at + next + 1);
        let (before, after) = self.text.split_at(end);
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { self.line_end() };
        format!("{before}{gap}{}{}{after}", lines.trim_end_matches(['\r', '\n']), self.line_end())
    }

    /// Reads the new text and compares it with what was meant.
    fn validated(&self, text: String, expected: &[Intent]) -> Result<String, LedgerError> {
        let read = Self::parse(&text).map_err(|fault| self.uneditable(&fault.message))?.0;
        let plain = |intents: &[Intent]| -> Vec<Intent> {
            intents.iter().map(|intent| Intent { line: 0, ..intent.clone() }).collect()
        };
        match plain(&read) == plain(expected) {
            true => Ok(text),
            false => Err(self.uneditable("its layout is not supported")),
        }
    }

    fn uneditable(&self, why: &str) -> LedgerError {
        LedgerError::Uneditable { path: self.path.clone(), why: why.to_owned() }
    }
}

/// Where the last scalar of a value ends. The end that a parser gives for a block may lie in a later line.
fn end_of(tree: &Tree) -> usize {
    match &tree.value {
        Value::List(items) => items.last().map_or(tree.at.end, end_of),
        Value::Map(entries) => entries.last().map_or(tree.at.end, |entry| end_of(&entry.value)),
        Value::Null => tree.at.start,
        _ => tree.at.end.max(tree.at.start + 1) - 1,
    }
}

/// A string that means the same in YAML, whatever is in it.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn as_intent(new: &NewIntent) -> Intent {
    let constraint = |text: &String| match text.strip_prefix("guard:").map(str::trim) {
        Some(id) if stead_model::FileId::check(id).is_ok() => Constraint::Guard(id.to_owned()),
        _ => Constraint::Text(text.clone()),
    };
    Intent {
        id: new.id.clone(),
        name: new.name.clone(),
        owned_scope: new.scope.clone(),
        constraints: new.constraints.iter().map(constraint).collect(),
        acceptance_criteria: new.criteria.iter().map(|text| Criterion { text: text.clone(), proof: None }).collect(),
        related_files: new.related_files.clone(),
        ..Intent::default()
    }
}

fn block(new: &NewIntent, dash: &str, end: &str) -> String {
    let mut text = format!(
        "{dash}- id: {}{end}{dash}  name: {}{end}{dash}  status: {}{end}",
        quoted(&new.id),
        quoted(&new.name),
        Status::Pending.name()
    );
    let lists = [
        ("owned_scope", &new.scope),
        ("constraints", &new.constraints),
        ("acceptance_criteria", &new.criteria),
        ("related_files", &new.related_files),
    ];
    for (key, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
        text.push_str(&format!("{dash}  {key}:{end}"));
        for value in values {
            text.push_str(&format!("{dash}    - {}{end}", quoted(value)));
        }
    }
    text
}

fn flow(new: &NewIntent) -> String {
    let list = |values: &[String]| values.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(", ");
    format!(
        "{{id: {}, name: {}, status: {}, owned_scope: [{}], constraints: [{}], acceptance_criteria: [{}], \
         related_files: [{}]}}",
        quoted(&new.id),
        quoted(&new.name),
        Status::Pending.name(),
        list(&new.scope),
        list(&new.constraints),
        list(&new.criteria),
        list(&new.related_files)
    )
}
