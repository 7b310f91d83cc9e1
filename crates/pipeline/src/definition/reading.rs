use std::ops::Range;
use std::sync::Arc;

use stead_model::{expected_one_of, nearest};
use stead_yaml::{Entry, Tree, Value, YamlFault, parse};

use super::{SourceFile, limits};
use crate::lint::{Code, Findings, Hinting};

/// Reads one YAML file, value by value, and reports what it cannot use.
pub(crate) struct Reading {
    pub(crate) findings: Findings,
    pub(crate) codes: Codes,
}

/// The codes of a kind of file for problems that any file can have.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    pub(crate) unreadable: Code,
    pub(crate) unknown: Code,
    pub(crate) wrong: Code,
    /// The code for the older format.
    pub(crate) older: Code,
    /// How such a file starts.
    begin: &'static str,
}

pub(crate) const STAGE: Codes = Codes {
    unreadable: Code::L001,
    unknown: Code::L003,
    wrong: Code::L004,
    older: Code::L014,
    begin: "start with `name: <name>` and `termination: {type: ..}`",
};
pub(crate) const PIPELINE: Codes = Codes {
    unreadable: Code::P001,
    unknown: Code::P006,
    wrong: Code::P007,
    older: Code::P012,
    begin: "start with `name: <name>` and `stages:`",
};

/// More than a million iterations, or three years of seconds, is a typo.
const MOST: u64 = 100_000_000;

impl Reading {
    pub(crate) fn new(file: Arc<SourceFile>, codes: Codes) -> Self {
        Self { findings: Findings::of(file), codes }
    }

    /// Reads the file's top mapping.
    pub(crate) fn top(&mut self) -> Option<Vec<Entry>> {
        let file = self.findings.file.clone();
        match parse(&file.text) {
            Ok(Tree { value: Value::Map(entries), .. }) => Some(entries),
            Ok(tree) => {
                let at = 0..file.line(1).end;
                let message = format!("expected keys and values, found {}", tree.kind());
                self.findings.error(self.codes.unreadable, &at, message).hint(self.codes.begin);
                None
            }
            Err(YamlFault { line, column, message, hint }) => {
                let line = file.line(line.max(1));
                let start = file.text[line.clone()].char_indices().nth(column.saturating_sub(1));
                let at = start.map_or(line.end, |(offset, _)| line.start + offset)..line.end;
                let finding = self.findings.error(self.codes.unreadable, &at, message);
                if let Some(hint) = hint {
                    finding.hint(hint);
                }
                None
            }
        }
    }

    pub(crate) fn wrong(&mut self, at: &Range<usize>, message: impl Into<String>) -> Hinting<'_> {
        self.findings.error(self.codes.wrong, at, message)
    }

    /// Reports an unknown key. Keys that start with `x-` belong to the user.
    pub(crate) fn unknown(&mut self, entry: &Entry, known: &[&str]) {
        if entry.key.starts_with("x-") {
            return;
        }
        // A stage file has no other stages, so keys about them do not belong there.
        let elsewhere = if self.codes.unknown == Code::L003 { " of a stage in a pipeline" } else { "" };
        let finding = self.findings.error(self.codes.unknown, &entry.key_at, format!("unknown key `{}`", entry.key));
        finding.hint(match (home(&entry.key), nearest(&entry.key, known.iter().copied())) {
            (Some(home @ ("parallel" | "inputs" | "when")), _) => format!("it belongs below `{home}`{elsewhere}"),
            (Some(home), _) => format!("it belongs below `{home}`"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("{}; custom keys start with `x-`", expected_one_of(known.iter().copied())),
        });
    }

    pub(crate) fn invalid(&mut self, entry: &Entry, wanted: &str) -> Hinting<'_> {
        let message = format!("`{}` must be {wanted}, not {}", entry.key, self.shown(&entry.value));
        self.wrong(&place(entry), message)
    }

    pub(crate) fn map<'t>(&mut self, entry: &'t Entry) -> Option<&'t [Entry]> {
        match &entry.value.value {
            Value::Map(entries) => Some(entries),
            // Everything in it may be commented out.
            Value::Null => Some(&[]),
            _ => {
                self.invalid(entry, "a mapping").hint("write its keys below it, one per line");
                None
            }
        }
    }

    pub(crate) fn text(&mut self, entry: &Entry) -> Option<String> {
        match entry.value.scalar() {
            Some(text) if !text.trim().is_empty() => Some(text),
            _ => {
                let is_empty = entry.value.value == Value::Null;
                let finding = self.invalid(entry, "a string");
                if is_empty {
                    finding.hint("add a value, or remove the key");
                }
                None
            }
        }
    }

    /// Reads a string or a list of strings.
    pub(crate) fn texts(&mut self, entry: &Entry) -> Vec<String> {
        match self.placed_texts(entry) {
            Some(texts) => texts.into_iter().map(|(text, _)| text).collect(),
            None => Vec::new(),
        }
    }

    /// Reads a string or a list of strings, each with its position; `None` if it is neither.
    pub(crate) fn placed_texts(&mut self, entry: &Entry) -> Option<Vec<(String, Range<usize>)>> {
        let fit =
            |tree: &Tree| tree.scalar().filter(|text| !text.trim().is_empty()).map(|text| (text, tree.at.clone()));
        let Value::List(items) = &entry.value.value else {
            let text = fit(&entry.value);
            if text.is_none() {
                self.invalid(entry, "a string or a list of strings");
            }
            return text.map(|text| vec![text]);
        };
        let mut texts = Vec::new();
        let mut is_fit = true;
        for (index, item) in items.iter().enumerate() {
            match fit(item) {
                Some(text) => texts.push(text),
                None => {
                    is_fit = false;
                    let message =
                        format!("item {} of `{}` must be a string, not {}", index + 1, entry.key, self.shown(item));
                    self.wrong(&place_of(item, entry), message);
                }
            }
        }
        is_fit.then_some(texts)
    }

    pub(crate) fn flag(&mut self, entry: &Entry) -> bool {
        match entry.value.value {
            Value::Bool(value) => value,
            _ => {
                let typed = entry.value.scalar().unwrap_or_default().to_lowercase();
                let finding = self.invalid(entry, "`true` or `false`");
                match typed.as_str() {
                    "yes" | "on" | "y" | "true" => finding.hint("write `true`"),
                    "no" | "off" | "n" | "false" => finding.hint("write `false`"),
                    _ => {}
                }
                false
            }
        }
    }

    /// Reads an integer of at least 1.
    pub(crate) fn count(&mut self, entry: &Entry) -> Option<u32> {
        self.seconds(entry).and_then(|count| u32::try_from(count).ok())
    }

    pub(crate) fn seconds(&mut self, entry: &Entry) -> Option<u64> {
        match entry.value.value {
            Value::Whole(value) if (1..=i128::from(MOST)).contains(&value) => u64::try_from(value).ok(),
            _ => {
                let hint = number_hint(&entry.value);
                let finding = self.invalid(entry, "an integer from 1 to 100000000");
                if let Some(hint) = hint {
                    finding.hint(hint);
                }
                None
            }
        }
    }

    pub(crate) fn money(&mut self, entry: &Entry) -> Option<f64> {
        let amount = match entry.value.value {
            Value::Whole(value) => value as f64,
            Value::Number(value) => value,
            _ => f64::NAN,
        };
        if amount.is_finite() && amount > 0.0 {
            return Some(amount);
        }
        self.invalid(entry, "an amount above 0");
        None
    }

    /// A value as written in the file, or a word for its kind.
    fn shown(&self, tree: &Tree) -> String {
        match &tree.value {
            Value::Text(text) => match text.trim().is_empty() {
                true => "an empty string".to_owned(),
                false if text.chars().count() > 40 || text.contains('\n') => "a longer string".to_owned(),
                // In quotes it is neither a number nor a boolean.
                false if text.parse::<f64>().is_ok() || text.parse::<bool>().is_ok() => format!("the string `{text}`"),
                false => format!("`{text}`"),
            },
            // A number may be written in several ways; show the one in the file.
            Value::Whole(_) | Value::Number(_) => match self.findings.file.text.get(tree.at.clone()) {
                Some(written) if !written.trim().is_empty() => format!("`{}`", written.trim()),
                _ => tree.kind().to_owned(),
            },
            Value::Bool(value) => format!("`{value}`"),
            _ => tree.kind().to_owned(),
        }
    }

    /// Reads one of several words.
    pub(crate) fn choice<T: Copy>(&mut self, entry: &Entry, words: &[(&str, T)]) -> Option<T> {
        let typed = entry.value.scalar().unwrap_or_default();
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == typed) {
            return Some(*value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("`{}` must be one of {}, not {}", entry.key, known.join(", "), self.shown(&entry.value));
        let finding = self.findings.error(self.codes.wrong, &place(entry), message);
        if let Some(near) = nearest(&typed, known) {
            finding.hint(format!("did you mean `{near}`?"));
        }
        None
    }
}

/// The section that a misplaced key belongs to.
fn home(key: &str) -> Option<&'static str> {
    match key {
        "min_iterations" | "consensus" | "promise" | "promises" => Some("termination"),
        "over" | "providers" | "join" | "worktree" => Some("parallel"),
        "from" | "select" => Some("inputs"),
        "outcome" => Some("when"),
        key if limits::KEYS.contains(&key) => Some("guardrails"),
        _ => None,
    }
}

/// What to point at for an entry's value: the value, or the key if the value is empty or spans lines.
pub(crate) fn place(entry: &Entry) -> Range<usize> {
    let is_block = matches!(entry.value.value, Value::Map(_) | Value::List(_) | Value::Null);
    if is_block || entry.value.at.is_empty() { entry.key_at.clone() } else { entry.value.at.clone() }
}

/// What to point at for an item of a list.
fn place_of(item: &Tree, list: &Entry) -> Range<usize> {
    match &item.value {
        _ if !item.at.is_empty() => item.at.clone(),
        Value::Map(entries) => entries.first().map_or(list.key_at.clone(), |entry| entry.key_at.clone()),
        _ => list.key_at.clone(),
    }
}

/// What to write instead of something that looks like an integer but is not.
fn number_hint(tree: &Tree) -> Option<String> {
    match &tree.value {
        Value::Number(value) if value.fract() == 0.0 && (1.0..=MOST as f64).contains(value) => {
            Some(format!("write it in digits: `{value}`"))
        }
        Value::Text(text) => {
            let value: u64 = text.trim().trim_start_matches('0').replace(['_', ','], "").parse().ok()?;
            Some(format!("write only the digits: `{value}`"))
        }
        _ => None,
    }
}

pub(crate) fn find<'t>(entries: &'t [Entry], key: &str) -> Option<&'t Entry> {
    entries.iter().find(|entry| entry.key == key)
}
