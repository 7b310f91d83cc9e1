use serde_json::{Map, Value};
use stead_model::Shape;

use crate::command::our_command;
use crate::position::positions;
use crate::{SettingsError, document};

/// The keys under which clients look for the command of an entry.
const COMMAND_KEYS: [&str; 4] = ["command", "bash", "powershell", "windows"];

/// One of Stead's lines in a settings text, with everything that decides whether the client runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct OurLine {
    pub harness: String,
    /// Empty for a file that is entirely ours.
    pub event: String,
    /// The other keys of the entry's group, such as its matcher.
    pub group: Map<String, Value>,
    pub entry: Value,
}

impl OurLine {
    pub fn matcher(&self) -> Option<&str> {
        self.group.get("matcher").or_else(|| self.entry.get("matcher")).and_then(Value::as_str)
    }

    /// The command that the client runs.
    pub fn command(&self) -> Option<&str> {
        entry_command(&self.entry).map(|(command, _)| command)
    }
}

/// Lists Stead's lines in document order.
pub fn our_lines(shape: Shape, text: &str) -> Result<Vec<OurLine>, SettingsError> {
    Ok(lines_of(shape, &document::read(shape, text)?))
}

/// Returns true if the text contains one of Stead's lines. A text that cannot be parsed is searched for the words
/// instead, so that a broken file stays protected.
pub fn has_our_lines(shape: Shape, text: &str) -> bool {
    match our_lines(shape, text) {
        Ok(lines) => !lines.is_empty(),
        Err(_) => text.contains("stead") && text.contains(" hook "),
    }
}

pub(crate) fn lines_of(shape: Shape, document: &Value) -> Vec<OurLine> {
    positions(shape, document).into_iter().map(|place| place.line).collect()
}

/// The command of an entry that calls Stead, and the harness it names.
pub(crate) fn entry_command(entry: &Value) -> Option<(&str, String)> {
    COMMAND_KEYS.iter().find_map(|key| {
        let command = entry.get(*key)?.as_str()?;
        our_command(command).map(|harness| (command, harness))
    })
}

/// A file that is entirely ours says so in a line of its opening comment: `stead hook <harness>`.
pub(crate) fn whole_harness(text: &str) -> Option<String> {
    text.lines().take(5).find_map(|line| {
        let words = &line[line.find("stead hook ")? + "stead hook ".len()..];
        let word: String = words.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        (!word.is_empty()).then_some(word)
    })
}

pub(crate) fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

pub(crate) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
