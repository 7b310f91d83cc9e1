use super::finding::RoleFinding;
use super::outline::{Outline, Section, numbered};
use super::{COMPLETED, FIELDS, FIRST_STEP, HEAD, KEY_FILES, PENDING, RECOVERY, TITLE_END};

/// Checks a role file against every rule. Errors make it invalid, warnings do not.
pub fn check(text: &str) -> Vec<RoleFinding> {
    let outline = Outline::read(text);
    let mut findings = Vec::new();
    if let Some(problem) = title_problem(outline.rows.first().map_or("", |row| &row.text)) {
        let message = format!("{problem}; expected `# <Role> — {TITLE_END}`");
        findings.push(RoleFinding::error(1, "title", message));
    }
    fields(&outline, &mut findings);
    sections(&outline, &mut findings);
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Returns what is wrong with a first line.
pub(super) fn title_problem(line: &str) -> Option<&'static str> {
    let Some(title) = line.strip_prefix("# ") else { return Some("the first line is not a first-level heading") };
    let title = title.trim_end();
    let word = title.strip_suffix("Context").is_some_and(|before| before.is_empty() || before.ends_with([' ', '—']));
    if !word {
        return Some("the title does not end with the word `Context`");
    }
    match title.split_once('—') {
        None => Some("the title has no em dash (`—`) between the role and `Context`"),
        Some((role, _)) if role.trim().is_empty() => Some("the title names no role"),
        Some(_) => None,
    }
}

fn fields(outline: &Outline, findings: &mut Vec<RoleFinding>) {
    let fenced = outline.fenced();
    for key in FIELDS {
        let rows = 1..outline.head_end();
        let found = rows
            .filter(|at| !fenced[*at])
            .filter_map(|at| Some((at + 1, field(&outline.rows[at].text, key)?)))
            .collect::<Vec<_>>();
        let Some((line, value)) = found.first() else {
            findings.push(missing(outline, &fenced, key));
            continue;
        };
        if *line > HEAD {
            let message = format!("`**{key}**` is below the first {HEAD} lines");
            findings.push(RoleFinding::error(*line, "field-place", message));
        }
        if value.is_empty() {
            findings.push(RoleFinding::error(*line, "field-empty", format!("`**{key}**` has no value")));
        } else if key == FIELDS[0] && !has_date(value) {
            let message = format!("`**{key}**` contains no date of the form YYYY-MM-DD");
            findings.push(RoleFinding::error(*line, "updated", message));
        }
        for (line, _) in &found[1..] {
            let message = format!("`**{key}**` appears twice");
            findings.push(RoleFinding::error(*line, "field-repeated", message));
        }
    }
}

/// A field that is missing or malformed.
fn missing(outline: &Outline, fenced: &[bool], key: &str) -> RoleFinding {
    let similar =
        (1..outline.head_end()).find(|at| !fenced[*at] && loose_field(&outline.rows[*at].text, key).is_some());
    match similar {
        Some(at) => RoleFinding::error(at + 1, "field-form", format!("the field must be written `**{key}**: …`")),
        None => {
            let line = outline.rows.len().clamp(1, HEAD);
            let message = format!("`**{key}**: …` is not within the first {HEAD} lines");
            RoleFinding::error(line, "field-missing", message)
        }
    }
}

/// The value of a line that is meant as a field but malformed: `Updated: …`, `- **Last updated:** …`.
pub(super) fn loose_field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let emphasis = ['*', '_', ' ', '\t'];
    let text = line.trim_start_matches(['-', '>', '+', '*', '_', ' ', '\t']);
    let text = match key == FIELDS[0] && begins(text, "last ") {
        true => &text["last ".len()..],
        false => text,
    };
    if !begins(text, key) {
        return None;
    }
    let rest = text[key.len()..].trim_start_matches(emphasis).strip_prefix(':')?;
    Some(rest.trim_matches(emphasis)).filter(|value| !value.is_empty())
}

/// The value of a well-formed field.
pub(super) fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix("**")?.strip_prefix(key)?.strip_prefix("**:").map(str::trim)
}

/// Returns true if a text contains a calendar date.
fn has_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..bytes.len()).any(|at| {
        let number = |from: usize, to: usize| text[at + from..at + to].parse::<u32>().unwrap_or(0);
        [0, 1, 2, 3, 5, 6, 8, 9].iter().all(|offset| digit(at + offset))
            && bytes[at + 4] == b'-'
            && bytes[at + 7] == b'-'
            && !digit(at + 10)
            && (at == 0 || !digit(at - 1))
            && (1..=12).contains(&number(5, 7))
            && (1..=31).contains(&number(8, 10))
    })
}

fn sections(outline: &Outline, findings: &mut Vec<RoleFinding>) {
    let sections = outline.sections();
    let find = |title: &str| sections.iter().find(|section| section.title.starts_with(title));
    let end = outline.rows.len().max(1);
    match find(RECOVERY) {
        Some(section) => recovery(outline, section, findings),
        None => findings.push(RoleFinding::error(end, "recovery-missing", format!("missing section `## {RECOVERY}`"))),
    }
    match find(COMPLETED) {
        Some(section) => completed(outline, section, findings),
        None => {
            findings.push(RoleFinding::error(end, "completed-missing", format!("missing section `## {COMPLETED}`")))
        }
    }
    for (title, rule) in [(PENDING, "pending-missing"), (KEY_FILES, "key-files-missing")] {
        if find(title).is_none() {
            findings.push(RoleFinding::warning(end, rule, format!("missing section `## {title}`")));
        }
    }
}

/// The rows of a section outside code blocks, with their line numbers.
fn plain<'a>(outline: &'a Outline, section: &Section<'_>) -> impl Iterator<Item = (usize, &'a str)> {
    let fenced = outline.fenced();
    let rows = section.body.clone().filter(move |at| !fenced[*at]);
    rows.map(|at| (at + 1, outline.rows[at].text.as_str()))
}

fn recovery(outline: &Outline, section: &Section<'_>, findings: &mut Vec<RoleFinding>) {
    match plain(outline, section).find_map(|(line, text)| Some((line, numbered(text)?))) {
        None => {
            let message = format!("`## {RECOVERY}` has no numbered step");
            findings.push(RoleFinding::error(section.heading + 1, "recovery-steps", message));
        }
        Some((line, step)) if !begins(step, FIRST_STEP) => {
            let message = format!("the first step should be \"{FIRST_STEP}\"");
            findings.push(RoleFinding::warning(line, "first-step", message));
        }
        Some(_) => {}
    }
}

fn begins(text: &str, words: &str) -> bool {
    text.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words))
}

fn completed(outline: &Outline, section: &Section<'_>, findings: &mut Vec<RoleFinding>) {
    let tasks: Vec<_> = plain(outline, section).filter(|(_, text)| is_task(text)).collect();
    let entries = if tasks.is_empty() {
        plain(outline, section).filter(|(_, text)| !text.starts_with([' ', '\t']) && numbered(text).is_some()).collect()
    } else {
        tasks
    };
    let is_empty = section.body.clone().all(|at| outline.rows[at].text.trim().is_empty());
    if entries.is_empty() && !is_empty {
        let message = format!("`## {COMPLETED}` should list the work as `### Task N: …` or as numbered items");
        findings.push(RoleFinding::warning(section.heading + 1, "completed-form", message));
    }
    for (line, text) in entries {
        if !has_done_mark(text) {
            let message = "completed work should be marked `(DONE)` or `(DONE — commit <hash>)`";
            findings.push(RoleFinding::warning(line, "done-mark", message));
        }
    }
}

fn is_task(text: &str) -> bool {
    text.strip_prefix("### Task ").is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

fn has_done_mark(text: &str) -> bool {
    text.match_indices("(DONE").any(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        rest.contains(')') && !rest.starts_with(|c: char| c.is_alphanumeric())
    })
}
