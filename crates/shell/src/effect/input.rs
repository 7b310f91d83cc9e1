//! Tools we do not know: their name says what they are about, the keys of their input say which texts are paths,
//! commands or programs.

use serde_json::Value;
use stead_model::{Access, Content, Gap, How, Op, Target};

use crate::command;
use crate::effect::target::Last;
use crate::effect::tool::with_tree;
use crate::effect::tool_name::{Kind, is_command, single_quoted, words};
use crate::effect::{Ground, Record};
use crate::facts::Facts;
use crate::inline::Language;
use crate::path::absolute;
use crate::place::Place;

/// Keys whose text is a path, when their letters are put together.
const PATHS: &[&str] = &[
    "absolutepath",
    "dest",
    "destination",
    "dir",
    "directory",
    "file",
    "filename",
    "filepath",
    "files",
    "folder",
    "from",
    "frompath",
    "newpath",
    "notebookpath",
    "oldpath",
    "path",
    "paths",
    "relativepath",
    "source",
    "sourcepath",
    "src",
    "target",
    "targetfile",
    "targetpath",
    "to",
    "topath",
    "uri",
];

/// Keys that name where something goes to.
const GOALS: &[&str] = &["dest", "destination", "newpath", "targetpath", "to", "topath"];

/// Keys whose text will stand in the file.
const TEXTS: &[&str] = &["content", "contents", "filetext", "newcontent", "text"];

/// The longest text that is taken for a path.
const LONGEST: usize = 4_096;
/// Texts of one input that are looked at.
const MOST: usize = 1_000;

/// Adds the effects that the input of a tool tells.
pub(crate) fn effects(
    record: Record,
    ground: &Ground<'_>,
    tool: &str,
    input: &str,
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Record {
    let mut record = record;
    let what = format!("what the tool `{tool}` does is not known");
    if input.trim().is_empty() {
        record.gap(what);
        return record;
    }
    let Ok(value) = serde_json::from_str::<Value>(input) else {
        let why = format!("the input of `{tool}` is not well-formed");
        record.gap_in(Gap { why, texts: vec![input.to_owned()], ..Gap::default() });
        return record;
    };
    let words = words(tool);
    let language = words.iter().find_map(|word| Language::of_word(word)).or_else(|| language_of(&value));
    let mut tree = Tree {
        record,
        ground,
        tool,
        kind: Kind::of(&words),
        language,
        place,
        facts,
        content: content_of(&value),
        seen: 0,
        from: None,
        to: None,
        others: Vec::new(),
    };
    tree.read("", &value);
    let (mut record, paths) = tree.finish();
    record.gap_in(Gap { why: what, paths, ..Gap::default() });
    record
}

struct Tree<'t> {
    record: Record,
    ground: &'t Ground<'t>,
    tool: &'t str,
    kind: Kind,
    language: Option<Language>,
    place: &'t Place<'t>,
    facts: &'t dyn Facts,
    content: Content,
    seen: usize,
    from: Option<String>,
    to: Option<String>,
    /// The other texts, as the paths that they may be.
    others: Vec<Target>,
}

impl Tree<'_> {
    fn read(&mut self, key: &str, value: &Value) {
        self.seen += 1;
        if self.seen > MOST {
            self.record.gap(format!("the input of `{}` is too large", self.tool));
            return;
        }
        match value {
            Value::String(text) => self.text(key, text),
            Value::Array(items) if is_command(key) && items.iter().all(Value::is_string) => {
                let words: Vec<String> = items.iter().filter_map(Value::as_str).map(single_quoted).collect();
                self.command(&words.join(" "));
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(key, item)),
            Value::Object(members) => members.iter().for_each(|(key, value)| self.read(key, value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, key: &str, text: &str) {
        let plain = plain(key);
        if plain == "code"
            && let Some(language) = self.language
        {
            let record = std::mem::take(&mut self.record);
            self.record = command::code_effects(language, text, self.place, self.facts, record);
        } else if is_command(key) {
            self.command(text);
        } else if (PATHS.contains(&plain.as_str()) || names_path(text)) && is_path(text) {
            if self.kind.moves && GOALS.contains(&plain.as_str()) {
                self.to = Some(text.to_owned());
            } else if self.kind.moves && self.from.is_none() {
                self.from = Some(text.to_owned());
            } else {
                self.path(text);
            }
        } else if !self.kind.reads && is_path(text) {
            self.others.push(self.lexical(text));
        }
    }

    fn lexical(&self, text: &str) -> Target {
        self.ground.lexical(&absolute(text, self.place.cwd, self.ground.home()))
    }

    fn command(&mut self, text: &str) {
        let record = std::mem::take(&mut self.record);
        self.record = command::effects(text, self.place.cwd, self.place, self.facts, record);
    }

    fn path(&mut self, text: &str) {
        let last = if self.kind.removes { Last::Kept } else { Last::Followed };
        for target in self.ground.written(text, last) {
            let target = with_tree(self.ground, target);
            let op = match &self.kind {
                Kind { reads: true, .. } => Op::Read { target, access: Access::Shown },
                Kind { removes: true, .. } => Op::Delete(target),
                Kind { changes: true, .. } => Op::Write { target, how: How::Replace, content: self.content.clone() },
                _ => {
                    let why = format!("what `{}` does to `{text}` is not known", self.tool);
                    self.record.gap_in(Gap { why, paths: vec![target], ..Gap::default() });
                    continue;
                }
            };
            self.record.push(op, text);
        }
    }

    /// A tool that moves needs both ends; with one alone that one counts as gone.
    fn finish(mut self) -> (Record, Vec<Target>) {
        match (self.from.take(), self.to.take()) {
            (Some(from), Some(to)) => {
                let targets = self.ground.written(&to, Last::Kept);
                for source in self.ground.written(&from, Last::Kept) {
                    for goal in &targets {
                        let (from, to) = (with_tree(self.ground, source.clone()), with_tree(self.ground, goal.clone()));
                        self.record.push(Op::Rename { from, to }, self.tool);
                    }
                }
            }
            (Some(only), None) | (None, Some(only)) => self.path(&only),
            (None, None) => {}
        }
        (self.record, self.others)
    }
}

fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}

/// A text that can only be a path, whatever its key.
fn names_path(text: &str) -> bool {
    ["/", "./", "../", "~/", "file://"].iter().any(|start| text.starts_with(start))
        && !text.contains(char::is_whitespace)
}

fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST
        && !text.contains('\n')
        && (!text.contains("://") || text.starts_with("file://"))
}

fn language_of(value: &Value) -> Option<Language> {
    Language::of_word(value.get("language").or_else(|| value.get("lang"))?.as_str()?)
}

fn content_of(value: &Value) -> Content {
    let Value::Object(members) = value else { return Content::Unknown };
    let text =
        members.iter().find(|(key, _)| TEXTS.contains(&plain(key).as_str())).and_then(|(_, value)| value.as_str());
    text.map_or(Content::Unknown, |text| Content::Text(text.to_owned()))
}
