//! The page: generated, except between two marks, where a person's notes are kept byte for byte.

use std::collections::BTreeMap;

use super::state::{MapState, Touched};
use crate::intent::Intent;

const TITLE: &str = "# Intent map";
const ABOUT: &str = "\
Stead writes this page from the ledger. Your notes between `<!-- notes … -->` and `<!-- /notes -->` are kept; other edits
are lost.";
const OPEN: &str = "<!-- notes";
const CLOSE: &str = "<!-- /notes -->";

/// The notes in a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// Between the marks of each intent, with line ends.
    pub(super) of_intents: BTreeMap<String, String>,
    /// Those at the end.
    pub(super) general: String,
}

/// Reads the notes of a page. A page that Stead did not write is one large note.
pub(super) fn notes(page: &str) -> Notes {
    let mut notes = Notes::default();
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let is_ours = lines.iter().any(|line| opening(line).is_some());
    if !is_ours {
        notes.general = page.trim_start_matches('\u{feff}').to_owned();
        if !notes.general.is_empty() && !notes.general.ends_with('\n') {
            notes.general.push('\n');
        }
        return notes;
    }
    let mut at = 0;
    while at < lines.len() {
        let Some(id) = opening(lines[at]) else {
            at += 1;
            continue;
        };
        // A missing second mark must not swallow the rest of the page: it ends at the next heading or mark.
        let is_end = |line: &&str| line.trim() == CLOSE || opening(line).is_some();
        let closing = lines[at + 1..].iter().position(is_end).filter(|end| lines[at + 1 + end].trim() == CLOSE);
        let end = closing
            .or_else(|| lines[at + 1..].iter().position(|line| line.starts_with("## ") || opening(line).is_some()));
        let end = at + 1 + end.unwrap_or(lines.len() - at - 1);
        let text = lines[at + 1..end].concat();
        let slot = if id.is_empty() { &mut notes.general } else { notes.of_intents.entry(id.to_owned()).or_default() };
        slot.push_str(&text);
        at = end;
    }
    notes
}

/// The id in an opening mark; empty for the notes at the end.
fn opening(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix(OPEN)?.strip_suffix("-->")?;
    Some(rest.trim().trim_start_matches(':').trim())
}

/// Renders the page with the notes of the old one.
pub(super) fn render(state: &MapState, intents: &[Intent], old: Option<&str>) -> String {
    let old = old.unwrap_or_default();
    let kept = notes(old);
    let first = old.split_inclusive('\n').next().unwrap_or_default();
    let end = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut page = Page { text: String::new(), end };
    page.lines(&[TITLE, "", ABOUT, ""]);
    let listed = intents.iter().map(|intent| (intent.id.as_str(), Some(intent)));
    let is_listed = |id: &str| intents.iter().any(|intent| intent.id == id);
    let mut others: Vec<&str> = state.intents.keys().chain(kept.of_intents.keys()).map(String::as_str).collect();
    others.retain(|id| !id.is_empty() && !is_listed(id));
    others.sort_unstable();
    others.dedup();
    for (id, intent) in listed.chain(others.into_iter().map(|id| (id, None))) {
        let files = state.intents.get(id);
        let notes = kept.of_intents.get(id).map(String::as_str).unwrap_or_default();
        if files.is_none() && notes.is_empty() {
            continue;
        }
        let name = intent.map(|intent| one_line(&intent.name)).unwrap_or_default();
        page.lines(&[format!("## {id} {name}").trim_end(), ""]);
        page.notes(&format!("{OPEN} {id} -->"), notes);
        for (path, touched) in files.into_iter().flatten().filter(|(path, _)| state.exists(path)) {
            page.file(state, path, touched);
        }
        page.lines(&[""]);
    }
    page.lines(&["## Notes", ""]);
    page.notes(&format!("{OPEN} -->"), &kept.general);
    let kept = page.text.trim_end().len();
    page.text.truncate(kept);
    page.lines(&[""]);
    page.text
}

struct Page {
    text: String,
    end: &'static str,
}

impl Page {
    fn lines(&mut self, lines: &[&str]) {
        for line in lines.iter().flat_map(|text| text.split('\n')) {
            self.text.push_str(line);
            self.text.push_str(self.end);
        }
    }

    /// The marks with what was between them.
    fn notes(&mut self, mark: &str, notes: &str) {
        self.lines(&[mark]);
        self.text.push_str(notes);
        self.lines(&[CLOSE, ""]);
    }

    fn file(&mut self, state: &MapState, path: &str, touched: &Touched) {
        self.lines(&[&format!("- `{}`", one_line(path))]);
        for part in state.parts(path, touched) {
            let lines = if part.start == part.end {
                format!("line {}", part.start)
            } else {
                format!("lines {}-{}", part.start, part.end)
            };
            self.lines(&[&format!("  - {} `{}`, {lines}", part.kind, one_line(&part.name))]);
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
