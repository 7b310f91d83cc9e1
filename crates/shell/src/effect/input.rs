//! Unknown tools: their name indicates what they do, the keys of their input which texts are paths, commands or
//! programs.

use std::path::PathBuf;

use serde_json::{Map, Value};
use stead_model::{Access, Content, Gap, How, Op, Target, patch_changes};

use crate::command;
use crate::effect::target::Last;
use crate::effect::tool::{changes, with_tree};
use crate::effect::tool_name::{Kind, is_arguments, is_command, is_patch, is_root, plain, single_quoted, words};
use crate::effect::{Ground, Record};
use crate::facts::Facts;
use crate::inline::Language;
use crate::path::absolute;
use crate::place::Place;
use crate::programs::patch::diff_changes;
use crate::programs::table;

/// Keys whose text is a path, without separators.
const PATHS: &[&str] = &[
    "absolutepath", "dest", "destination", "dir", "directory", "file", "filename", "filepath", "files", "folder",
    "from", "frompath", "newpath", "notebookpath", "oldpath", "path", "paths", "relativepath", "source", "sourcepath",
    "src", "target", "targetfile", "targetpath", "to", "topath", "uri",
];

/// Keys that name a destination.
const GOALS: &[&str] = &["dest", "destination", "newpath", "targetpath", "to", "topath"];

/// Keys whose text is written to the file.
const TEXTS: &[&str] = &["content", "contents", "filetext", "newcontent", "text"];

/// The maximum length of a text that is taken for a path.
const LONGEST: usize = 4_096;
/// The maximum number of texts of one input that are read.
const MOST: usize = 1_000;

/// Adds the effects that the input of a tool shows.
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
        words: words.clone(),
        record,
        ground,
        tool,
        kind: Kind::of(&words),
        language,
        place,
        facts,
        content: content_of(&value),
        cwd: place.cwd.to_owned(),
        shell: words.iter().map(String::as_str).chain(word_of(&value)).any(is_shell),
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
    /// The words of the tool's name.
    words: Vec<String>,
    record: Record,
    ground: &'t Ground<'t>,
    tool: &'t str,
    kind: Kind,
    language: Option<Language>,
    place: &'t Place<'t>,
    facts: &'t dyn Facts,
    content: Content,
    /// The folder that paths and commands start from.
    cwd: PathBuf,
    /// Its programs are shell text.
    shell: bool,
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
            Value::Object(members) => self.members(members),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Reads what stands together: a command with its words, and paths with the folder they start from.
    fn members(&mut self, members: &Map<String, Value>) {
        let text = |found: &dyn Fn(&str) -> bool| {
            members.iter().find_map(|(key, value)| Some((key, value.as_str().filter(|_| found(key))?)))
        };
        let folder = text(&is_root).map(|(_, folder)| folder).filter(|folder| is_path(folder));
        let cwd = folder.map(|folder| absolute(folder, &self.cwd, self.ground.home()));
        let starts = members.iter().any(|(key, value)| {
            let path = |key: &str| PATHS.contains(&plain(key).as_str()) && !is_root(key);
            value.is_string() && (path(key) || is_command(key) || is_patch(key, &[]))
        });
        let outer = cwd.filter(|_| starts).map(|cwd| std::mem::replace(&mut self.cwd, cwd));
        let listed = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|item| item.as_str().map(single_quoted)).collect()
        };
        let arguments =
            members.iter().find_map(|(key, value)| Some((key, listed(value).filter(|_| is_arguments(key))?)));
        let command = text(&is_command);
        for (key, value) in members {
            match (&command, &arguments) {
                (Some((name, program)), Some((_, words))) if *name == key => {
                    self.command(&format!("{program} {}", words.join(" ")));
                }
                (Some(_), Some((name, _))) if *name == key => {}
                // Where others start from is not meant itself.
                _ if is_root(key) && value.as_str() == folder && starts => {}
                _ => self.read(key, value),
            }
        }
        outer.into_iter().for_each(|outer| self.cwd = outer);
    }

    fn text(&mut self, key: &str, text: &str) {
        let plain = plain(key);
        let mut patched = match text {
            _ if !is_patch(key, &self.words) => Vec::new(),
            text if text.contains("*** Begin Patch") => patch_changes(text),
            text if text.contains("--- ") && text.contains("\n+++ ") => diff_changes(text),
            _ => Vec::new(),
        };
        if !patched.is_empty() && !self.kind.reads {
            for file in &mut patched {
                file.path = self.rooted(&file.path).into();
            }
            changes(&mut self.record, self.ground, &patched);
        } else if plain == "code"
            && let Some(language) = self.language
        {
            self.code(language, text);
        } else if plain == "code" && !self.shell {
            // A program in a language that nobody said: what it does in each of the usual ones counts.
            let why = format!("in which language `{}` runs its program is not known", self.tool);
            self.record.gap_in(Gap { why, texts: vec![text.to_owned()], ..Gap::default() });
            [Language::Python, Language::JavaScript].into_iter().for_each(|language| self.code(language, text));
            self.command(text);
        } else if is_command(key) {
            self.command(text);
        } else if (PATHS.contains(&plain.as_str()) || names_path(text)) && is_path(text) {
            if self.kind.moves && GOALS.contains(&plain.as_str()) {
                self.to = Some(self.rooted(text));
            } else if self.kind.moves && self.from.is_none() {
                self.from = Some(self.rooted(text));
            } else {
                self.path(text);
            }
        } else if !self.kind.reads && is_path(text) {
            self.others.push(self.lexical(text));
        }
    }

    fn lexical(&self, text: &str) -> Target {
        self.ground.lexical(&absolute(text, &self.cwd, self.ground.home()))
    }

    /// A path seen from the folder that the input names.
    fn rooted(&self, text: &str) -> String {
        match self.cwd == self.place.cwd {
            true => text.to_owned(),
            false => absolute(text, &self.cwd, self.ground.home()).to_string_lossy().into_owned(),
        }
    }

    fn command(&mut self, text: &str) {
        let record = std::mem::take(&mut self.record);
        self.record = command::effects(text, &self.cwd, self.place, self.facts, record);
    }

    fn code(&mut self, language: Language, text: &str) {
        let record = std::mem::take(&mut self.record);
        self.record = command::code_effects(language, text, self.place, self.facts, record);
    }

    fn path(&mut self, text: &str) {
        let last = if self.kind.removes { Last::Kept } else { Last::Followed };
        for target in self.ground.written(&self.rooted(text), last) {
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

    /// A move needs both ends; a single path counts as removed.
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

/// What the input says about the language of its program.
fn word_of(value: &Value) -> Option<&str> {
    ["language", "lang", "runtime", "interpreter", "kernel"].iter().find_map(|key| value.get(key)?.as_str())
}

fn language_of(value: &Value) -> Option<Language> {
    Language::of_word(word_of(value)?)
}

fn is_shell(word: &str) -> bool {
    matches!(word, "shell" | "terminal") || table::is_shell(word)
}

fn content_of(value: &Value) -> Content {
    let Value::Object(members) = value else { return Content::Unknown };
    let text =
        members.iter().find(|(key, _)| TEXTS.contains(&plain(key).as_str())).and_then(|(_, value)| value.as_str());
    text.map_or(Content::Unknown, |text| Content::Text(text.to_owned()))
}
