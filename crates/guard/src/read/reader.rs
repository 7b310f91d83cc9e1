use stead_model::suggestion;
use stead_yaml::{Entry, Position, Tree, Value};

use crate::problem::Problem;
use crate::source::Source;
use stead_model::Severity;

/// Collects problems while a file is read, so that all of them are reported at once.
pub(crate) struct Reader<'a> {
    source: &'a Source,
    pub(crate) guard: Option<String>,
    pub(crate) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a Source) -> Self {
        Self { source, guard: None, problems: Vec::new() }
    }

    pub(crate) fn fault(&mut self, place: Position, message: impl Into<String>, hint: Option<String>) {
        self.problems.push(Problem {
            severity: Severity::Error,
            file: self.source.file.clone(),
            line: place.line,
            column: place.column,
            guard: self.guard.clone(),
            message: message.into(),
            hint,
        });
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.problems.is_empty()
    }

    /// Reports an unknown key, and suggests a known one.
    pub(crate) fn unknown(&mut self, entry: &Entry, what: &str, known: &[&str]) {
        let hint = suggestion(&entry.key, known.iter().copied());
        self.fault(entry.key_place, format!("{what} has no `{}`", entry.key), Some(hint));
    }

    /// Reads one of a few words.
    pub(crate) fn word<T>(
        &mut self,
        node: &Tree,
        what: &str,
        known: &[&str],
        named: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(node, what)?;
        let found = named(&text);
        if found.is_none() {
            let hint = suggestion(&text, known.iter().copied());
            self.fault(node.place, format!("`{what}` cannot be `{text}`"), Some(hint));
        }
        found
    }

    /// Reads a string; other scalars are used as written.
    pub(crate) fn text(&mut self, node: &Tree, what: &str) -> Option<String> {
        match node.scalar() {
            Some(text) if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) => {
                self.fault(node.place, format!("`{what}` contains a control character"), None);
                None
            }
            Some(text) if !text.trim().is_empty() => Some(text),
            Some(_) => {
                self.fault(node.place, format!("`{what}` is empty"), None);
                None
            }
            None => {
                self.fault(node.place, format!("`{what}` is {}, not a string", node.kind()), None);
                None
            }
        }
    }

    /// Reads one string or a list of them.
    pub(crate) fn texts(&mut self, node: &Tree, what: &str) -> Vec<(String, Position)> {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        if items.is_empty() {
            self.fault(node.place, format!("`{what}` is an empty list, which nothing can match"), None);
        }
        items.iter().filter_map(|item| Some((self.text(item, what)?, item.place))).collect()
    }

    pub(crate) fn number(&mut self, node: &Tree, what: &str, most: u64) -> Option<u64> {
        match node.value {
            Value::Whole(number) if u64::try_from(number).is_ok_and(|number| number > 0 && number <= most) => {
                u64::try_from(number).ok()
            }
            _ => {
                self.fault(node.place, format!("`{what}` is not a number from 1 to {most}"), None);
                None
            }
        }
    }

    pub(crate) fn truth(&mut self, node: &Tree, what: &str) -> Option<bool> {
        match node.value {
            Value::Bool(value) => Some(value),
            _ => {
                self.fault(node.place, format!("`{what}` is {}, not true or false", node.kind()), None);
                None
            }
        }
    }

    /// Returns the entries of a mapping; reports any other node.
    pub(crate) fn map<'n>(&mut self, node: &'n Tree, what: &str) -> Option<&'n [Entry]> {
        match &node.value {
            Value::Map(entries) => Some(entries),
            _ => {
                self.fault(node.place, format!("`{what}` is {}, not a mapping", node.kind()), None);
                None
            }
        }
    }
}
