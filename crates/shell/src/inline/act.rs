//! What calls do, put down act by act.

use stead_model::{Content, How};

use crate::inline::Act;
use crate::inline::eval::Eval;
use crate::inline::value::{UNKNOWN, Value};

/// The most acts that are told.
const ACTS: usize = 512;
/// The most ways to read the words of one program.
const WAYS: usize = 64;

impl Eval<'_> {
    pub(crate) fn act(&mut self, act: Act) -> usize {
        match self.acts.len() {
            number if number < ACTS => self.acts.push(act),
            ACTS => self.acts.push(Act::More),
            _ => {}
        }
        self.acts.len() - 1
    }

    pub(crate) fn gap(&mut self, what: &str) {
        self.act(Act::Gap { what: what.to_owned() });
    }

    /// Reports a write for each text that the path may be.
    pub(crate) fn write(&mut self, path: &Value, how: How, content: Content) -> Value {
        let mut last = 0;
        for path in path.texts() {
            last = self.act(Act::Write { path, how, content: content.clone(), tree: false });
        }
        Value::File(last)
    }

    pub(crate) fn delete(&mut self, path: &Value, tree: bool) {
        for path in path.texts() {
            self.act(Act::Delete { path, tree });
        }
    }

    pub(crate) fn rename(&mut self, from: &Value, to: &Value) {
        for from in from.texts() {
            for to in to.texts() {
                match (from.contains(UNKNOWN), to.contains(UNKNOWN)) {
                    (true, false) => {
                        let (path, how) = (to.clone(), How::Replace);
                        self.act(Act::Write { path, how, content: Content::Unknown, tree: false });
                    }
                    (false, true) => {
                        let tree = !from.rsplit('/').next().is_some_and(|name| name.contains('.'));
                        self.act(Act::Delete { path: from.clone(), tree });
                    }
                    _ => {}
                }
                self.act(Act::Rename { from: from.clone(), to });
            }
        }
    }

    pub(crate) fn looks(&mut self, path: &Value) {
        for path in path.texts() {
            self.act(Act::Read { path });
        }
    }

    /// Runs a text, or words.
    pub(crate) fn starts(&mut self, what: &Value, dir: Option<String>) {
        match what {
            Value::List(items) => {
                for argv in self.ways(items) {
                    self.act(Act::Exec { argv, dir: dir.clone() });
                }
            }
            Value::Text { any, .. } => {
                for text in any.clone() {
                    self.act(Act::Shell { text, dir: dir.clone() });
                }
            }
            Value::Any(values) => {
                for value in values {
                    self.starts(value, dir.clone());
                }
            }
            _ => self.gap("a command that is put together at run time"),
        }
    }

    /// All the words that a list may be, when some of it is one of several.
    fn ways(&mut self, items: &[Value]) -> Vec<Vec<String>> {
        let mut ways: Vec<Vec<String>> = vec![Vec::new()];
        for item in items {
            let texts = match item {
                // A list within a list of words is taken apart.
                Value::List(items) => {
                    let inner = self.ways(items);
                    ways = cross(&ways, &inner);
                    continue;
                }
                item => item.texts(),
            };
            let words: Vec<Vec<String>> = texts.into_iter().map(|text| vec![text]).collect();
            if ways.len() * words.len() > WAYS {
                self.act(Act::More);
            }
            ways = cross(&ways, &words);
        }
        ways
    }

    /// Adds to the text of a file opened for writing.
    pub(crate) fn fills(&mut self, file: usize, text: &Value) {
        if self.spoiled.contains(&file) {
            return;
        }
        let Some(Act::Write { content, .. }) = self.acts.get_mut(file) else { return };
        *content = match (&*content, text.known()) {
            (Content::Unknown, Some(text)) => Content::Text(text.to_owned()),
            (Content::Text(before), Some(text)) => Content::Text(format!("{before}{text}")),
            _ => Content::Unknown,
        };
        if *content == Content::Unknown {
            self.spoiled.push(file);
        }
    }

    /// An open file was handed to somebody: its text is no longer known.
    pub(crate) fn spoils(&mut self, file: usize) {
        self.spoiled.push(file);
        if let Some(Act::Write { content, .. }) = self.acts.get_mut(file) {
            *content = Content::Unknown;
        }
    }
}

/// Each of the first followed by each of the second.
fn cross(first: &[Vec<String>], second: &[Vec<String>]) -> Vec<Vec<String>> {
    let both = first.iter().flat_map(|first| second.iter().map(move |second| [first.clone(), second.clone()].concat()));
    both.take(WAYS).collect()
}
