//! File tools, whose input says what they change.

use std::borrow::Cow;

use serde_json::Value;
use stead_model::{Access, Change, Content, FileChange, How, ITSELF, Op, Target, ToolCall};

use crate::effect::target::Last;
use crate::effect::{Ground, Record};

/// Records the changes of a call, in order.
pub(crate) fn changes(record: &mut Record, ground: &Ground<'_>, changes: &[FileChange<'_>]) {
    for file in changes {
        let part = file.path.as_ref();
        match &file.change {
            Change::Write { content } => {
                let content = content.as_ref().map_or(Content::Unknown, |text| Content::Text(text.to_string()));
                write(record, ground, part, How::Replace, &content);
            }
            Change::Edit(edits) => {
                let parts = edits.iter().map(|edit| (edit.old.to_string(), edit.new.to_string(), edit.all));
                let content = match edits.is_empty() {
                    true => Content::Unknown,
                    false => Content::Replacements(parts.collect()),
                };
                write(record, ground, part, How::Edit, &content);
            }
            Change::Delete => {
                for target in ground.written(part, Last::Kept) {
                    record.push(Op::Delete(with_tree(ground, target)), part);
                }
            }
            Change::Rename { to } => {
                let targets = ground.written(to, Last::Kept);
                for from in ground.written(part, Last::Kept) {
                    for to in &targets {
                        let (from, to) = (with_tree(ground, from.clone()), with_tree(ground, to.clone()));
                        record.push(Op::Rename { from, to }, &format!("{part} → {}", file_name(&file.change)));
                    }
                }
            }
        }
    }
}

fn file_name<'c>(change: &'c Change<'_>) -> &'c str {
    match change {
        Change::Rename { to } => to,
        _ => "",
    }
}

fn write(record: &mut Record, ground: &Ground<'_>, path: &str, how: How, content: &Content) {
    for target in ground.written(path, Last::Followed) {
        record.push(Op::Write { target, how, content: content.clone() }, path);
    }
}

/// Keys of a search that limit it to files with such names.
const GLOBS: &[&str] = &["glob", "glob_pattern", "include", "include_pattern", "includePattern"];

/// Keys whose patterns a search passes over.
const OMITTED: &[&str] = &["exclude"];

/// Records what a reading tool looks at.
pub(crate) fn reads(record: &mut Record, ground: &Ground<'_>, call: &ToolCall<'_>, paths: &[Cow<'_, str>]) {
    let mut globs = patterns(&call.input, GLOBS);
    globs.retain(|glob| !paths.iter().any(|path| path == glob));
    // Searches read their exclusions as `.gitignore` does not: a name without a slash is one in the folder itself.
    let omitted = |pattern: String| match (pattern.strip_suffix("/**"), pattern.starts_with("**/")) {
        (Some(folder), true) => folder.to_owned(),
        (None, true) => format!("{ITSELF}{pattern}"),
        (Some(folder), false) => ground.in_full(folder),
        (None, false) => format!("{ITSELF}{}", ground.in_full(&pattern)),
    };
    let except: Vec<String> = patterns(&call.input, OMITTED).into_iter().map(omitted).collect();
    if paths.is_empty() && globs.is_empty() {
        record.gap(format!("which files `{}` reads is not said", call.tool));
    }
    for path in paths {
        let glob = path.contains(['*', '?']);
        for target in ground.written(path, if glob { Last::Kept } else { Last::Followed }) {
            let target = Target { glob, except: except.clone(), ..with_tree(ground, target) };
            record.push(Op::Read { target, access: Access::Shown }, path);
        }
    }
    for glob in globs {
        let folders: Vec<&str> = if paths.is_empty() { vec!["."] } else { paths.iter().map(AsRef::as_ref).collect() };
        for folder in folders {
            let below = format!("{}/**/{}", folder.trim_end_matches('/'), glob.trim_start_matches('/'));
            for target in ground.written(&below.replace("**/**/", "**/"), Last::Kept) {
                let target = Target { glob: true, except: except.clone(), ..target };
                record.push(Op::Read { target, access: Access::Shown }, &glob);
            }
        }
    }
}

/// The patterns that the input of a search gives under some keys, as one text or a list.
fn patterns(input: &str, keys: &[&str]) -> Vec<String> {
    if !keys.iter().any(|key| input.contains(key)) {
        return Vec::new();
    }
    let Ok(Value::Object(members)) = serde_json::from_str::<Value>(input) else { return Vec::new() };
    let named = members.iter().filter(|(key, _)| keys.contains(&key.as_str()));
    let texts = named.flat_map(|(_, value)| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let texts = texts.filter_map(Value::as_str).flat_map(|text| text.split([',', ' ']));
    texts.filter(|glob| !glob.is_empty()).map(str::to_owned).collect()
}

/// Deleting a folder deletes everything in it.
pub(crate) fn with_tree(ground: &Ground<'_>, target: Target) -> Target {
    let tree = ground.is_folder(target.path.as_ref()) == Some(true);
    Target { tree, ..target }
}
