//! Repairs what can be repaired without knowing the work: the title, the format and position of the fields, names of
//! headings, missing sections. Everything else is kept byte for byte, and a second repair changes nothing.

use super::check::{field, loose_field, title_problem};
use super::outline::{Outline, Row, numbered};
use super::{COMPLETED, FIELDS, FIRST_STEP, HEAD, KEY_FILES, PENDING, RECOVERY, TITLE_END};
use crate::RoleName;

/// The value of a field that is unknown.
const UNKNOWN: &str = "unknown";

/// Other names under which a section was kept, in lower case.
const NAMES: [(&str, &[&str]); 4] = [
    (RECOVERY, &["recovery", "recovery procedure", "recovery plan", "how to recover", "after compact"]),
    (
        COMPLETED,
        &[
            "completed", "completed this session", "completed tasks", "work completed", "work done", "done",
            "finished work",
        ],
    ),
    (PENDING, &["pending", "todo", "to do", "open work", "outstanding", "outstanding work", "remaining work"]),
    (KEY_FILES, &["key files", "important files", "relevant files", "files"]),
];

/// A repaired file and what was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    /// In order; empty if there was nothing to repair.
    pub done: Vec<String>,
}

/// Repairs a role file. `updated` replaces a missing date and has the form `YYYY-MM-DDTHH:MMZ`.
pub fn fix(text: &str, role: &RoleName, updated: &str) -> Fixed {
    let outline = Outline::read(text);
    let end = outline.rows.first().filter(|row| row.end == "\r\n").map_or("\n", |_| "\r\n");
    let mut fixer = Fixer { outline, end, done: Vec::new() };
    fixer.title(role);
    fixer.fields(role, updated);
    fixer.headings();
    fixer.recovery();
    fixer.completed();
    Fixed { text: fixer.outline.write(), done: fixer.done }
}

struct Fixer {
    outline: Outline,
    /// The line end of new lines.
    end: &'static str,
    done: Vec<String>,
}

impl Fixer {
    fn rows(&mut self) -> &mut Vec<Row> {
        &mut self.outline.rows
    }

    fn did(&mut self, what: impl Into<String>) {
        self.done.push(what.into());
    }

    fn text(&self, at: usize) -> &str {
        self.outline.rows.get(at).map_or("", |row| &row.text)
    }

    fn insert(&mut self, at: usize, text: impl Into<String>) {
        let end = self.end;
        if let Some(before) = at.checked_sub(1).and_then(|before| self.rows().get_mut(before))
            && before.end.is_empty()
        {
            before.end = end.to_owned();
        }
        self.rows().insert(at, Row { text: text.into(), end: end.to_owned() });
    }

    fn title(&mut self, role: &RoleName) {
        if title_problem(self.text(0)).is_none() {
            return;
        }
        let blank = self.outline.rows.iter().take_while(|row| row.text.trim().is_empty()).count();
        if blank > 0 {
            self.rows().drain(..blank);
            self.did("removed blank lines before the title");
        }
        let level = self.text(0).bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = self.text(0)[level..].starts_with(' ');
        let is_title = level == 1 || (level > 1 && self.text(0).to_lowercase().contains("context"));
        if !(is_heading && is_title) {
            let found = self.stray_title();
            let text = match found {
                Some(at) => self.rows().remove(at).text,
                None => format!("# {} — {TITLE_END}", role.title()),
            };
            self.insert(0, text);
            if !self.text(1).trim().is_empty() {
                self.insert(1, "");
            }
            self.did(if found.is_some() { "moved the title to the first line" } else { "added a title" });
        }
        if title_problem(self.text(0)).is_some() {
            let title = format!("# {} — {TITLE_END}", named(self.text(0)).unwrap_or_else(|| role.title()));
            self.rows()[0].text = title;
            self.did("fixed the format of the title");
        }
    }

    /// A first-level heading near the top that was meant as the title.
    fn stray_title(&self) -> Option<usize> {
        let fenced = self.outline.fenced();
        let is_title = |text: &str| text.starts_with("# ") && text.to_lowercase().contains("context");
        (1..self.outline.head_end()).find(|at| !fenced[*at] && is_title(self.text(*at)))
    }

    fn fields(&mut self, role: &RoleName, updated: &str) {
        for (key, known) in FIELDS.into_iter().zip([updated, role.as_str(), UNKNOWN]) {
            self.field(key, known);
        }
        let places: Vec<_> = FIELDS.into_iter().map(|key| self.field_at(key)).collect();
        if places.iter().all(|at| at.is_some_and(|at| at < HEAD)) {
            return;
        }
        let mut block = Vec::new();
        for (key, known) in FIELDS.into_iter().zip([updated, role.as_str(), UNKNOWN]) {
            block.push(match self.field_at(key) {
                Some(at) => self.rows().remove(at).text,
                None => {
                    self.did(format!("added `**{key}**`"));
                    format!("**{key}**: {known}")
                }
            });
        }
        if places.iter().flatten().any(|at| *at >= HEAD) {
            self.did("moved the fields below the title");
        }
        if self.outline.rows.len() < 2 || !self.text(1).trim().is_empty() {
            self.insert(1, "");
        }
        for (offset, text) in block.into_iter().enumerate() {
            self.insert(2 + offset, text);
        }
        if self.outline.rows.len() > 5 && !self.text(5).trim().is_empty() {
            self.insert(5, "");
        }
    }

    /// Fixes the format of one field in place.
    fn field(&mut self, key: &str, known: &str) {
        if let Some(at) = self.field_at(key) {
            if field(self.text(at), key) == Some("") {
                self.rows()[at].text = format!("**{key}**: {known}");
                self.did(format!("filled `**{key}**`"));
            }
            return;
        }
        let fenced = self.outline.fenced();
        let loose = |at: &usize| !fenced[*at] && loose_field(self.text(*at), key).is_some();
        if let Some(at) = (1..self.outline.head_end()).find(loose) {
            let value = loose_field(self.text(at), key).unwrap_or(known);
            let text = format!("**{key}**: {value}");
            self.rows()[at].text = text;
            self.did(format!("fixed the format of `**{key}**`"));
        }
    }

    fn field_at(&self, key: &str) -> Option<usize> {
        let fenced = self.outline.fenced();
        (1..self.outline.head_end()).find(|at| !fenced[*at] && field(self.text(*at), key).is_some())
    }

    /// Renames sections to their standard names.
    fn headings(&mut self) {
        for (name, others) in NAMES {
            let sections = self.outline.sections();
            if sections.iter().any(|section| section.title.starts_with(name)) {
                continue;
            }
            let meant = sections.iter().find_map(|section| {
                let lower = section.title.to_lowercase();
                if lower.starts_with(&name.to_lowercase()) {
                    return Some((section.heading, format!("## {name}{}", section.title.get(name.len()..)?)));
                }
                let bare = lower.trim_end_matches([':', '.', ' ']);
                others.contains(&bare).then(|| (section.heading, format!("## {name}")))
            });
            if let Some((at, text)) = meant {
                self.did(format!("renamed `{}` to `{text}`", self.text(at).trim_end()));
                self.rows()[at].text = text;
            }
        }
    }

    fn recovery(&mut self) {
        let Some((heading, body)) = self.section(RECOVERY) else {
            let at = self.outline.head_end();
            self.add_section(at, RECOVERY, &[&format!("1. {FIRST_STEP}")]);
            return;
        };
        let fenced = self.outline.fenced();
        let plain: Vec<usize> = body.filter(|at| !fenced[*at]).collect();
        if plain.iter().any(|at| numbered(self.text(*at)).is_some()) {
            return;
        }
        let bullets: Vec<usize> = plain.into_iter().filter(|at| bullet(self.text(*at)).is_some()).collect();
        for (number, at) in bullets.iter().enumerate() {
            let text = format!("{}. {}", number + 1, bullet(self.text(*at)).unwrap_or_default());
            self.rows()[*at].text = text;
        }
        if bullets.is_empty() {
            self.insert(heading + 1, format!("1. {FIRST_STEP}"));
            self.did("added a first recovery step");
        } else {
            self.did("numbered the recovery steps");
        }
    }

    fn completed(&mut self) {
        if self.section(COMPLETED).is_none() {
            let at = self.section(RECOVERY).map_or(self.outline.rows.len(), |(_, body)| body.end);
            self.add_section(at, COMPLETED, &[]);
        }
    }

    fn section(&self, name: &str) -> Option<(usize, std::ops::Range<usize>)> {
        let sections = self.outline.sections();
        sections.into_iter().find(|section| section.title.starts_with(name)).map(|found| (found.heading, found.body))
    }

    fn add_section(&mut self, at: usize, name: &str, lines: &[&str]) {
        let mut at = at;
        if at > 0 && !self.text(at - 1).trim().is_empty() {
            self.insert(at, "");
            at += 1;
        }
        self.insert(at, format!("## {name}"));
        for line in lines {
            at += 1;
            self.insert(at, *line);
        }
        if at + 1 < self.outline.rows.len() {
            self.insert(at + 1, "");
        }
        self.did(format!("added `## {name}`"));
    }
}

/// The role's name in a heading that is not a proper title yet.
fn named(heading: &str) -> Option<String> {
    let separators = |c: char| c.is_whitespace() || "-–—:|".contains(c);
    let mut name = heading.trim_start_matches('#').trim();
    for word in ["context", "session"] {
        if let Some(at) = name.len().checked_sub(word.len())
            && name.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(word))
            && (at == 0 || name[..at].ends_with(separators))
        {
            name = name[..at].trim_end();
        }
    }
    let name = name.trim_matches(separators);
    (!name.is_empty()).then(|| name.to_owned())
}

/// The text of an item of a plain list.
fn bullet(text: &str) -> Option<&str> {
    let item = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark))?.trim();
    (!item.is_empty()).then_some(item)
}
