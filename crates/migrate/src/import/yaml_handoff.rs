//! Continuous-Claude's handoffs in YAML. Only the top level is parsed, line by line; what is below a key is kept as
//! text, so invalid YAML does no harm.

use super::draft::Draft;
use super::markdown_handoff::add_prompt;
use stead_context::{Heading, Status};

/// A top-level key and the text after and below it.
struct Entry {
    key: String,
    text: String,
}

/// Parses a handoff. `None` if the text is something else; the error is a message for people.
pub(super) fn read(text: &str) -> Result<Option<Draft>, String> {
    let entries = entries(text)?;
    let get = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| entry.text.as_str());
    let (goal, now) = (get("goal"), get("now"));
    let Some(purpose) = goal.or(now).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let mut draft = Draft::new(purpose.lines().next().unwrap_or(purpose));
    for Entry { key, text } in &entries {
        match key.as_str() {
            "goal" => draft.add(Heading::Intent, text),
            "now" => draft.add(Heading::NextPrompt, text),
            "test" => {
                draft.add(Heading::Validators, &format!("- `{text}`"));
                draft.verify = text.lines().next().filter(|line| !line.is_empty()).map(str::to_owned);
            }
            "next" => draft.add(Heading::Plan, text),
            "done_this_session" => draft.add_titled(Heading::Context, "Done in that session", text),
            "decisions" => draft.add(Heading::Decisions, text),
            "questions" => draft.add(Heading::OpenQuestions, text),
            "blockers" => draft.add_titled(Heading::OpenQuestions, "Blockers", text),
            "findings" => draft.add_titled(Heading::Notes, "Findings", text),
            "worked" => draft.add_titled(Heading::Notes, "Worked", text),
            "failed" => draft.add_titled(Heading::Notes, "Failed", text),
            "files" => draft.add(Heading::RelevantFiles, text),
            "date" => draft.date = Some(text.clone()),
            "session" => draft.add_titled(Heading::Notes, "Session", text),
            "outcome" => draft.add_titled(Heading::Notes, "Outcome", text),
            "status" if text == "blocked" => draft.status = Status::Blocked,
            "status" => {}
            other => draft.add_other(other, text),
        }
        if matches!(key.as_str(), "files" | "done_this_session") {
            draft.add_files(text);
        }
    }
    add_prompt(&mut draft);
    Ok(Some(draft))
}

fn entries(text: &str) -> Result<Vec<Entry>, String> {
    let mut found: Vec<(Entry, Vec<&str>)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with('#') || matches!(line.trim_end(), "---" | "...") {
            continue;
        }
        if line.is_empty() || line.starts_with([' ', '\t', '-']) {
            if let Some((_, below)) = found.last_mut() {
                below.push(line);
            }
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            return Err(format!("line {number}: neither a key nor below one"));
        };
        let key = key.trim().trim_matches('"').to_owned();
        if found.iter().any(|(known, _)| known.key == key) {
            return Err(format!("line {number}: `{key}` appears twice"));
        }
        found.push((Entry { key, text: value.trim().to_owned() }, Vec::new()));
    }
    Ok(found.into_iter().map(|(entry, below)| Entry { text: whole(&entry.text, &below), ..entry }).collect())
}

/// The text after a key, or below it without the common indentation.
fn whole(behind: &str, below: &[&str]) -> String {
    let behind = if matches!(behind, "|" | ">" | "|-" | ">-" | "|+" | ">+") { "" } else { behind };
    let filled = below.iter().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let below: Vec<&str> = below.iter().map(|line| line.get(indent..).unwrap_or_default().trim_end()).collect();
    let below = below.join("\n");
    match (plain(behind), below.trim_matches('\n')) {
        (behind, "") => behind,
        (behind, below) if behind.is_empty() => below.to_owned(),
        (behind, below) => format!("{behind}\n{below}"),
    }
}

/// A value without its quotes; a list on one line becomes several lines.
fn plain(value: &str) -> String {
    let unquoted = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(items) => {
            let parsed: Option<Vec<String>> = serde_json::from_str(value).ok();
            let items = parsed.unwrap_or_else(|| items.split(", ").map(unquoted).collect());
            let items = items.iter().filter(|item| !item.is_empty());
            items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
        }
        None => unquoted(value),
    }
}
