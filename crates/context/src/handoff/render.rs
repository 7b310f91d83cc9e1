//! The text of a packet. Whatever Stead observed says where it is from, so that a reader can check it.

mod context;

use stead_store::redact;

use self::context::context;
use super::Handoff;
use super::carried::says;
use super::observed::{ListedFile, Observed, Quoted, minute, past};
use crate::Document;
use crate::contribution::embedded;
use crate::note::NoteKind;
use crate::packet::{FileList, Heading, NOTHING, PacketKind, Status};
use crate::prompt_log::head;
use crate::turn::TodoState;

/// How much of the first request is repeated, and of the others.
const FIRST: usize = 2_000;
const REQUEST: usize = 600;

/// How much of a sentence is quoted.
const SENTENCE: usize = 500;

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
        ("kind", (handoff.kind != PacketKind::Handoff).then(|| handoff.kind.name().to_owned())),
        ("purpose", Some(head.purpose.to_owned())),
        ("source", Some(handoff.source.unwrap_or("unknown").to_owned())),
        ("session_id", handoff.session.map(str::to_owned)),
        (FileList::Confirmed.key(), Some(paths(&facts.confirmed))),
        (FileList::Suggested.key(), Some(paths(&facts.suggested))),
        ("validators", Some(json(facts.validators.iter().map(|validator| safe(&validator.command)).collect()))),
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
            Heading::Context => context(handoff, facts),
            Heading::Constraints => limits(facts, sent),
            Heading::Decisions => with_carried(notes(facts, NoteKind::Decision, ""), &facts.carried.decisions, sent),
            Heading::RelevantFiles => files(facts),
            Heading::NextPrompt if sent.is_empty() => next_prompt(handoff, facts, purpose),
            Heading::NextPrompt => String::new(),
            Heading::Plan => plan(facts),
            Heading::Validators => validators(handoff, facts),
            Heading::OpenQuestions => questions(facts),
            Heading::Notes => attempts(facts, sent),
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
    text.push_str(&format!("\n\nRequests, verbatim (of {} prompts by the person):\n", facts.prompts));
    for (index, request) in facts.requests.iter().enumerate() {
        if index == 1 && facts.more_requests > 0 {
            text.push_str(&format!("\n({} more omitted)\n", facts.more_requests));
        }
        let most = if index == 0 { FIRST } else { REQUEST };
        let (kept, was_cut) = head(request.text.trim(), most);
        text.push_str(&format!("\nPrompt {}, {}:\n", request.prompt, minute(&request.at)));
        text.push_str(&quotation(kept));
        if was_cut || request.cut {
            text.push_str("> … (cut)\n");
        }
    }
    text
}

/// A text with a mark before each line.
fn quotation(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", format!("> {line}").trim_end())).collect()
}

fn limits(facts: &Observed, sent: &str) -> String {
    let quote = |quoted: &Quoted| {
        let (kept, was_cut) = head(&quoted.text, SENTENCE);
        format!("> {kept}{} (prompt {}, {})\n", if was_cut { " …" } else { "" }, quoted.prompt, minute(&quoted.at))
    };
    let mut text: String = facts.constraints.iter().map(quote).collect();
    if !facts.said.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}Said by the person:\n"));
        text.extend(facts.said.iter().map(quote));
    }
    if facts.unquoted > 0 {
        text.push_str(&format!("\n({} more sentences omitted)\n", facts.unquoted));
    }
    with_carried(text, &facts.carried.constraints, sent)
}

/// Adds what earlier packets said, unless it is said again.
fn with_carried(mut text: String, carried: &[String], sent: &str) -> String {
    let new: Vec<&String> = carried.iter().filter(|item| !says(&text, item) && !says(sent, item)).collect();
    if !new.is_empty() && !text.is_empty() {
        text.push('\n');
    }
    new.iter().for_each(|item| text.push_str(&format!("{item}\n")));
    text
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
    if let Some(todo) = facts.turn.todos.iter().find(|todo| todo.state == TodoState::Working) {
        lines.push(format!("In progress: {}", embedded(&todo.text)));
    }
    let names: Vec<String> =
        facts.confirmed.iter().chain(&facts.suggested).take(NAMED).map(|file| format!("`{}`", file.path)).collect();
    if !names.is_empty() {
        lines.push(format!("Read first: {}.", names.join(", ")));
    }
    if facts.notes.iter().any(|note| note.kind == NoteKind::Failed) || !facts.carried.failed.is_empty() {
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

/// The agent's own to-do list: what is left, and how much is done.
fn plan(facts: &Observed) -> String {
    let turn = &facts.turn;
    if turn.todos.is_empty() {
        return String::new();
    }
    let at = turn.todos_at.as_deref().map(minute).unwrap_or_default();
    let mut text = format!("The agent's to-do list, {at}:\n");
    for todo in &turn.todos {
        let mark = match todo.state {
            TodoState::Open => "[ ]",
            TodoState::Working => "[ ] (in progress)",
            TodoState::Done => "[x]",
        };
        text.push_str(&format!("- {mark} {}\n", embedded(&todo.text).replace('\n', " ")));
    }
    text
}

fn validators(handoff: &Handoff<'_>, facts: &Observed) -> String {
    let why = |why: &str| if why.is_empty() { String::new() } else { format!(" ({why})") };
    let mut lines: Vec<String> =
        facts.validators.iter().map(|validator| format!("- `{}`{}", validator.command, why(&validator.why))).collect();
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

fn questions(facts: &Observed) -> String {
    let mut text = notes(facts, NoteKind::Question, "");
    for asked in &facts.asked {
        text.push_str(&format!("- {} (asked in the agent's last answer)\n", embedded(asked).replace('\n', " ")));
    }
    text
}

/// What did not work: failed approaches, here and before, and calls that were refused.
fn attempts(facts: &Observed, sent: &str) -> String {
    let mut text = with_carried(notes(facts, NoteKind::Failed, "Failed: "), &facts.carried.failed, sent);
    if !facts.denials.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}Refused by Stead in this session (session log):\n"));
        for denial in &facts.denials {
            let times = if denial.times > 1 { format!(", {} times", denial.times) } else { String::new() };
            let id = denial.id.as_ref().map(|id| format!(", `stead explain {id}`")).unwrap_or_default();
            let why = embedded(&denial.why).replace('\n', " ");
            text.push_str(&format!("- {}: {why} ({}{times}{id})\n", denial.tool, minute(&denial.at)));
        }
    }
    text
}

fn promise<'a>(handoff: &'a Handoff<'_>) -> Option<&'a str> {
    handoff.promise.or(handoff.sent.promise.as_deref())
}
