use serde_json::json;
use stead_model::FileId;

use super::{Draft, Form};

/// A line with a check box.
struct Line<'a> {
    indent: usize,
    is_done: bool,
    text: &'a str,
}

/// Reads `- [ ] text`, `* [x] text`, `1. [ ] text`.
fn line(line: &str) -> Option<Line<'_>> {
    let bare = line.trim_start();
    let indent = line[..line.len() - bare.len()].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
    let after = match bare.strip_prefix(['-', '*', '+']) {
        Some(after) => after,
        None => bare
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .strip_prefix(['.', ')'])
            .filter(|after| after.len() < bare.len() - 1)?,
    };
    let boxed = after.strip_prefix(' ')?.trim_start().strip_prefix('[')?;
    let (mark, text) = boxed.split_once(']')?;
    let is_done = match mark {
        "x" | "X" => true,
        " " | "" | "~" | "-" | "/" => false,
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then_some(Line { indent, is_done, text })
}

pub(super) fn is_box(text: &str) -> bool {
    text.lines().next().and_then(line).is_some()
}

/// The lines with boxes and the headings above them; fenced code has none.
fn lines(text: &str) -> Vec<(Line<'_>, String)> {
    let (mut heading, mut fence) = (String::new(), None);
    let mut found = Vec::new();
    for one in text.lines() {
        let bare = one.trim_start();
        let mark = bare.get(..3).filter(|mark| matches!(*mark, "```" | "~~~"));
        if fence.is_some() || mark.is_some() {
            fence = if fence.is_none() { mark } else { fence.filter(|open| mark != Some(open)) };
            continue;
        }
        if let Some(title) = bare.strip_prefix('#') {
            heading = title.trim_start_matches('#').trim().to_owned();
        } else if let Some(line) = line(one) {
            found.push((line, heading.clone()));
        }
    }
    found
}

pub(super) fn recognise(text: &str) -> Option<Form> {
    let lines = lines(text);
    let is_task = |(line, _): &(Line<'_>, String)| task_id(line.text).is_some();
    match lines.is_empty() {
        true => None,
        false if lines.iter().all(is_task) => Some(Form::SpecKit),
        false => Some(Form::Markdown),
    }
}

/// Each box is a feature; boxes below it are its steps.
pub(super) fn boxes(text: &str) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut steps: Vec<String> = Vec::new();
    let mut outer = 0;
    for (line, heading) in lines(text) {
        if let Some(draft) = drafts.last_mut().filter(|_| line.indent > outer + 1) {
            steps.push(plain(line.text));
            draft.set("steps", json!(steps));
            continue;
        }
        (outer, steps) = (line.indent, Vec::new());
        let (id, title) = named(line.text);
        let mut draft = Draft::new(id.as_deref(), &title, line.is_done);
        draft.set("category", json!(heading));
        drafts.push(draft);
    }
    drafts
}

/// `T001 [P] [US1] text`, with `(depends on T000)` and paths in it.
pub(super) fn tasks(text: &str) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (line, heading) in lines(text) {
        let Some(id) = task_id(line.text) else { continue };
        let mut rest = line.text[line.text.find(id).unwrap_or(0) + id.len()..].trim_start_matches(['*', ':', ' ']);
        let mut labels = Vec::new();
        while let Some((label, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            labels.push(label.to_owned());
            rest = after.trim_start();
        }
        let mut draft = Draft::new(Some(id), &plain(rest), line.is_done);
        draft.set("category", json!(heading));
        draft.set("labels", json!(labels));
        let lower = rest.to_ascii_lowercase();
        if let Some(at) = ["depends on", "after"].iter().find_map(|word| lower.find(word)) {
            let words = rest[at..].split(|c: char| !c.is_ascii_alphanumeric());
            let ids: Vec<&str> = words.filter(|word| task_id(word).is_some() && *word != id).collect();
            draft.set("depends_on", json!(ids));
        }
        drafts.push(draft);
    }
    drafts
}

/// The number of a task, such as `T001`.
fn task_id(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches('*');
    let end = bare.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(bare.len());
    let id = &bare[..end];
    let digits = id.strip_prefix('T')?;
    (digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(id)
}

/// Splits `**F-1**: text`, `F-1: text` and `F-1 - text` into id and title. An id has a digit.
fn named(text: &str) -> (Option<String>, String) {
    let bare = plain(text);
    for sign in [": ", " - ", " – ", " — "] {
        if let Some((id, title)) = bare.split_once(sign)
            && id.bytes().any(|byte| byte.is_ascii_digit())
            && FileId::check(id).is_ok()
            && !title.trim().is_empty()
        {
            return (Some(id.to_owned()), title.trim().to_owned());
        }
    }
    (None, bare)
}

/// The text without emphasis.
fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "").trim().to_owned()
}
