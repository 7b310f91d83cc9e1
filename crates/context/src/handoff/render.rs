use stead_store::redact;

use super::Handoff;
use super::observed::{ListedFile, Observed, past};
use crate::Document;
use crate::contribution::embedded;
use crate::note::NoteKind;
use crate::packet::{FileList, Heading, NOTHING, Status};
use crate::prompt_log::{constraints, head};

/// How much of one request is repeated.
const REQUEST: usize = 2_000;

/// How many sentences of the requests become constraints.
const CONSTRAINTS: usize = 12;

/// How many files the generated next prompt names.
const NAMED: usize = 8;

/// What only the front matter needs.
pub(super) struct Head<'a> {
    pub(super) purpose: &'a str,
    pub(super) now: &'a str,
    pub(super) redacted: usize,
}

/// The whole file.
pub(super) fn packet(handoff: &Handoff<'_>, facts: &Observed, head: &Head<'_>, id: &str, body: &str) -> String {
    let json = |values: Vec<String>| serde_json::to_string(&values).unwrap_or_default();
    let paths = |files: &[ListedFile]| json(files.iter().map(|file| file.path.clone()).collect());
    let safe = |text: &str| redact(text).into_owned();
    let files = facts.confirmed.iter().chain(&facts.suggested);
    let hashes: std::collections::BTreeMap<&str, &str> =
        files.filter_map(|file| Some((file.path.as_str(), file.hash.as_deref()?))).collect();
    let git = handoff.git.as_ref();
    let promise = promise(handoff);
    let most = handoff.max_iterations.or(handoff.sent.max_iterations);
    let lines = [
        ("id", Some(id.to_owned())),
        ("created_at", Some(head.now.to_owned())),
        ("updated_at", Some(head.now.to_owned())),
        ("status", Some(Status::Draft.name().to_owned())),
        ("purpose", Some(head.purpose.to_owned())),
        ("source", Some(handoff.source.unwrap_or("unknown").to_owned())),
        ("session_id", handoff.session.map(str::to_owned)),
        (FileList::Confirmed.key(), Some(paths(&facts.confirmed))),
        (FileList::Suggested.key(), Some(paths(&facts.suggested))),
        ("validators", Some(json(facts.validators.iter().map(|command| safe(command)).collect()))),
        ("loop_promise", Some(promise.map_or_else(|| "null".to_owned(), safe))),
        ("loop_max_iterations", most.map(|most| most.to_string())),
        ("schema", Some("1".to_owned())),
        ("file_hashes", Some(serde_json::to_string(&hashes).unwrap_or_default())),
        ("verify", facts.verify.as_deref().map(safe)),
        ("git_branch", git.and_then(|git| git.branch.clone())),
        ("git_commit", git.and_then(|git| git.commit.clone())),
        ("git_dirty", git.map(|git| git.dirty())),
        ("continues", handoff.continues.clone()),
        ("redacted", (head.redacted > 0).then(|| head.redacted.to_string())),
    ];
    let lines = lines.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Document::build(lines, body).as_str().to_owned()
}

/// The ten sections in order, then the sender's own.
pub(super) fn body(handoff: &Handoff<'_>, facts: &Observed, purpose: &str) -> String {
    let mut text = String::new();
    for heading in Heading::ALL {
        let sent = handoff.sent.sections.get(&heading).map(String::as_str).unwrap_or_default();
        let seen = match heading {
            Heading::Intent => intent(facts, purpose),
            Heading::Context => context(handoff),
            Heading::Constraints => limits(facts),
            Heading::Decisions => notes(facts, NoteKind::Decision, ""),
            Heading::RelevantFiles => files(facts),
            Heading::NextPrompt if sent.is_empty() => next_prompt(handoff, facts, purpose),
            Heading::NextPrompt | Heading::Plan => String::new(),
            Heading::Validators => validators(handoff, facts),
            Heading::OpenQuestions => notes(facts, NoteKind::Question, ""),
            Heading::Notes => notes(facts, NoteKind::Failed, "Failed: "),
        };
        // What was sent comes first; what was recorded follows.
        let parts = match heading {
            Heading::Intent => [seen.as_str(), sent],
            _ => [sent, &seen],
        };
        let parts: Vec<&str> = parts.into_iter().map(str::trim_end).filter(|part| !part.is_empty()).collect();
        let content = if parts.is_empty() { NOTHING.to_owned() } else { parts.join("\n\n") };
        text.push_str(&format!("\n## {}\n\n{content}\n", heading.name()));
    }
    for (title, content) in &handoff.sent.others {
        text.push_str(&format!("\n## {title}\n\n{content}\n"));
    }
    text
}

fn intent(facts: &Observed, purpose: &str) -> String {
    let mut text = embedded(purpose);
    if facts.requests.is_empty() {
        return text;
    }
    text.push_str("\n\nRequests, verbatim:\n");
    for (index, request) in facts.requests.iter().enumerate() {
        if index == 1 && facts.more_requests > 0 {
            text.push_str(&format!("\n({} more omitted)\n", facts.more_requests));
        }
        let (kept, was_cut) = head(request.text.trim(), REQUEST);
        text.push('\n');
        for line in kept.lines() {
            text.push_str(format!("> {line}").trim_end());
            text.push('\n');
        }
        if was_cut || request.cut {
            text.push_str("> … (cut)\n");
        }
    }
    text
}

fn context(handoff: &Handoff<'_>) -> String {
    let mut lines = Vec::new();
    if let Some(session) = handoff.session {
        lines.push(format!("- Session: {} `{session}`", handoff.source.unwrap_or("unknown")));
    }
    if let Some(git) = &handoff.git {
        let branch = git.branch.as_deref().unwrap_or("(detached)");
        let commit = git.commit.as_deref().map_or("no commit yet", |commit| commit.get(..12).unwrap_or(commit));
        lines.push(format!("- Git: branch `{branch}` at `{commit}`, {}", git.dirty()));
        lines.extend(git.first.iter().map(|file| format!("  - `{file}`")));
        let more = (git.changed + git.untracked).saturating_sub(git.first.len());
        if more > 0 {
            lines.push(format!("  - and {more} more"));
        }
    }
    if let Some(before) = &handoff.continues {
        lines.push(format!("- Continues packet `{before}`"));
    }
    lines.join("\n")
}

fn limits(facts: &Observed) -> String {
    let mut found: Vec<&str> = Vec::new();
    for sentence in facts.requests.iter().flat_map(|request| constraints(&request.text)) {
        if !found.contains(&sentence) && found.len() < CONSTRAINTS {
            found.push(sentence);
        }
    }
    found.iter().map(|sentence| format!("> {sentence}\n")).collect()
}

fn notes(facts: &Observed, kind: NoteKind, before: &str) -> String {
    let notes = facts.notes.iter().filter(|note| note.kind == kind);
    let line = |text: &str| format!("- {before}{}\n", embedded(text).replace('\n', "\n  "));
    notes.map(|note| line(&note.text)).collect()
}

fn files(facts: &Observed) -> String {
    let mut text = String::new();
    for (list, files) in [(FileList::Confirmed, &facts.confirmed), (FileList::Suggested, &facts.suggested)] {
        text.push_str(&format!("### {}\n\n", list.title()));
        for file in files {
            let why = if file.why.is_empty() { String::new() } else { format!(" {}", file.why) };
            text.push_str(&format!("- `{}`{why}\n", file.path));
        }
        let gone = if list == FileList::Suggested { facts.gone.as_slice() } else { &[] };
        for file in gone {
            text.push_str(&format!("- `{}` {} (gone)\n", file.path, past(&file.action)));
        }
        if files.is_empty() && gone.is_empty() {
            text.push_str(NOTHING);
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// A self-contained prompt, used if nobody wrote a better one.
fn next_prompt(handoff: &Handoff<'_>, facts: &Observed, purpose: &str) -> String {
    let mut lines = vec![embedded(purpose)];
    let names: Vec<String> =
        facts.confirmed.iter().chain(&facts.suggested).take(NAMED).map(|file| format!("`{}`", file.path)).collect();
    if !names.is_empty() {
        lines.push(format!("Read first: {}.", names.join(", ")));
    }
    if facts.notes.iter().any(|note| note.kind == NoteKind::Failed) {
        lines.push("Do not repeat the failed approaches in the packet's notes.".to_owned());
    }
    if let Some(verify) = &facts.verify {
        lines.push(format!("The work is done when `{verify}` passes."));
    }
    if let Some(promise) = promise(handoff) {
        lines.push(format!("Then end with <promise>{}</promise>.", promise.split('|').next().unwrap_or(promise)));
    }
    lines.join("\n\n")
}

fn validators(handoff: &Handoff<'_>, facts: &Observed) -> String {
    let mut lines: Vec<String> = facts.validators.iter().map(|command| format!("- `{command}`")).collect();
    if let Some(verify) = &facts.verify {
        lines.push(format!("- Verify: `{verify}`"));
    }
    if let Some(promise) = promise(handoff) {
        lines.push(format!("- Promise: `{promise}`"));
    }
    if let Some(most) = handoff.max_iterations.or(handoff.sent.max_iterations) {
        lines.push(format!("- At most {most} iterations"));
    }
    lines.join("\n")
}

fn promise<'a>(handoff: &'a Handoff<'_>) -> Option<&'a str> {
    handoff.promise.or(handoff.sent.promise.as_deref())
}
