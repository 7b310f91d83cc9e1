//! Handoffs in Markdown: front matter, then sections. HumanLayer's, and Continuous-Claude's before it wrote YAML.

use super::draft::Draft;
use stead_context::{Document, FrontMatterError, Heading, Section, sections};

/// Where a handoff's section belongs in a packet.
enum Slot {
    /// Without its title, which the packet's heading already says.
    Bare(Heading),
    Titled(Heading),
}

/// Sections of handoffs, by their titles in lower case and letters only.
fn slot(title: &str) -> Option<Slot> {
    let plain: String = title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    Some(match plain.as_str() {
        "tasks" | "task" | "recentchanges" | "thissession" | "completed" | "whatwasdone" | "status" | "ledger"
        | "summary" | "criticalreferences" => Slot::Titled(Heading::Context),
        "learnings" | "keylearnings" | "artifacts" | "postmortem" | "othernotes" | "findings" | "failedapproaches"
        | "worked" | "failed" => Slot::Titled(Heading::Notes),
        "actionitemsnextsteps" | "actionitems" | "next" => Slot::Bare(Heading::Plan),
        "now" => Slot::Bare(Heading::NextPrompt),
        "blockers" => Slot::Titled(Heading::OpenQuestions),
        _ => Slot::Bare(Heading::guess(title)?),
    })
}

/// Front matter keys with a counterpart.
const USED: [&str; 3] = ["date", "topic", "status"];

/// Parses a handoff. `None` if the text is something else; the error is a message for people.
pub(super) fn read(text: &str) -> Result<Option<Draft>, String> {
    let document = match Document::parse(text) {
        Ok(document) => Some(document),
        Err(FrontMatterError::NoHead) => None,
        Err(problem) => return Err(problem.to_string()),
    };
    let body = document.as_ref().map_or(text, Document::body);
    let all = sections(body);
    let title = all.iter().find(|section| section.level == 1).map(|section| section.title);
    let get = |key: &str| document.as_ref().and_then(|document| document.get(key)).filter(|value| !value.is_empty());
    let purpose = get("topic").or(title.map(without_label)).unwrap_or("handoff");
    let mut draft = Draft::new(purpose);
    draft.date = get("date").map(str::to_owned);
    draft.branch = get("branch").filter(|branch| is_name(branch)).map(str::to_owned);
    draft.commit = get("git_commit").filter(|commit| is_commit(commit)).map(str::to_owned);
    let mut others = Vec::new();
    for section in all.iter().filter(|section| is_outermost(section, &all)) {
        let text = &body[section.content.clone()];
        draft.add_files(text);
        match slot(section.title) {
            Some(Slot::Bare(heading)) => draft.add(heading, text),
            Some(Slot::Titled(heading)) => draft.add_titled(heading, section.title, text),
            None => others.push((section.title, text)),
        }
    }
    if draft.is_empty() {
        return Ok(None);
    }
    for (title, text) in others {
        draft.add_other(title, text);
    }
    add_opening(&mut draft, body, &all);
    draft.add(Heading::Intent, &draft.purpose.clone());
    add_prompt(&mut draft);
    if let Some(document) = &document {
        add_head(&mut draft, document);
    }
    Ok(Some(draft))
}

/// A template that nobody filled in names neither branch nor commit.
fn is_name(branch: &str) -> bool {
    !branch.contains(|c: char| c.is_whitespace() || "[]{}~^:?*\\".contains(c)) && !branch.starts_with('-')
}

fn is_commit(commit: &str) -> bool {
    (7..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The sections to import: second-level ones, and first-level ones that have none.
fn is_outermost(section: &Section<'_>, all: &[Section<'_>]) -> bool {
    let inside =
        |rank: usize| all.iter().any(|other| other.level == rank && section.content.contains(&other.heading.start));
    section.level == 2 || (section.level == 1 && !inside(2))
}

/// A title without the word for its kind.
fn without_label(title: &str) -> &str {
    let label = title.get(..8).filter(|label| label.eq_ignore_ascii_case("handoff:"));
    label.map_or(title, |label| title[label.len()..].trim())
}

/// The text before the first section.
fn add_opening(draft: &mut Draft, body: &str, all: &[Section<'_>]) {
    let first = all.iter().find(|section| section.level == 2).map_or(body.len(), |section| section.heading.start);
    let title = all.iter().find(|section| section.level == 1 && section.heading.start < first);
    let start = title.map_or(0, |title| title.heading.end);
    if title.is_none_or(|title| !is_outermost(title, all)) {
        draft.add(Heading::Context, &body[start.min(first)..first]);
    }
}

/// A packet starts with a prompt; a handoff has steps.
pub(super) fn add_prompt(draft: &mut Draft) {
    if draft.has(Heading::NextPrompt) {
        return;
    }
    let plan = draft.text(Heading::Plan);
    let steps = match plan.is_empty() {
        true => "The handoff names no next step; ask what to do.".to_owned(),
        false => format!("Remaining steps:\n\n{plan}"),
    };
    draft.add(Heading::NextPrompt, &format!("Continue with: {}\n\n{steps}", draft.purpose));
}

/// The front matter's remarks on time and state, for people.
fn add_head(draft: &mut Draft, document: &Document) {
    let rest = document.keys().filter(|key| !USED.contains(key));
    let lines: Vec<String> = rest
        .filter_map(|key| Some(format!("- {key}: {}", document.get(key).filter(|value| !value.is_empty())?)))
        .collect();
    if !lines.is_empty() {
        draft.add_titled(Heading::Notes, "From the old front matter", &lines.join("\n"));
    }
}
