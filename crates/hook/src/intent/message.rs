//! What an agent reads when the gate objects: what happened, to what, and what to do next.

use stead_ledger::intent::{Head, Status};
use stead_store::Tail;

use super::INTENT_GATE;
use super::need::Unknown;
use crate::request::Request;

/// The maximum number of ids and of paths that a message lists.
const MOST: usize = 20;

/// How many lines of the session log are searched for an earlier denial.
const LINES: usize = 500;

/// There is no valid intent; `why` says more, if there is more to say.
pub(super) fn no_intent(request: &Request<'_>, head: Head<'_>, why: &str) -> String {
    let mut text = String::from("You must cite a valid active Intent ID.");
    if !why.is_empty() {
        text.push_str(&format!(" {why}."));
    }
    let open: Vec<(&str, Status)> = head.intents().filter(|(_, status)| *status != Status::Completed).collect();
    match open.first() {
        Some((first, _)) => {
            let ids: Vec<String> =
                open.iter().take(MOST).map(|(id, status)| format!("{id} ({})", status.name())).collect();
            let more = if open.len() > MOST { ", and more: `stead intent list`" } else { "" };
            text.push_str(&format!(
                "\nChoose from: {}{more}.\nFirst run `stead intent select {first}`, as the whole command.",
                ids.join(", ")
            ));
        }
        None if head.broken().is_none() => text.push_str(
            "\nNo intent is open. Ask for one: `stead intent request \"what you want to do\" --scope 'src/**'`.",
        ),
        None => {}
    }
    text + &how_to_change(request)
}

/// A change outside the scope of an intent.
pub(super) fn out_of_scope(request: &Request<'_>, id: &str, files: &[String]) -> String {
    let first = files.first().map_or("", String::as_str);
    let mut text = format!("Scope Violation: {id} is not authorized to edit {first}. Request scope expansion.");
    if files.len() > 1 {
        let rest: Vec<&str> = files[1..].iter().take(MOST).map(String::as_str).collect();
        let more = if files.len() - 1 > MOST { " and more" } else { "" };
        text.push_str(&format!("\nNor: {}{more}.", rest.join(", ")));
    }
    text + &how_to_ask(id, files) + &how_to_change(request)
}

/// A change outside the scope of an intent that was found afterwards.
pub(super) fn changed_outside(id: &str, tool: Option<&str>, files: &[String]) -> String {
    let shown: Vec<&str> = files.iter().take(MOST).map(String::as_str).collect();
    let more = if files.len() > MOST { " and more" } else { "" };
    let call = tool.map_or_else(|| "A call".to_owned(), |tool| format!("A call of `{tool}`"));
    let names = shown.join(", ");
    format!("{call} changed files outside the scope of {id}: {names}{more}. Undo that, or request scope expansion.")
        + &how_to_ask(id, files)
}

fn how_to_ask(id: &str, files: &[String]) -> String {
    let scope: Vec<String> = files.iter().take(MOST).map(|file| format!("--scope {}", quoted(file))).collect();
    format!("\nTo ask for it: `stead intent request \"why\" --intent {id} {}`.", scope.join(" "))
}

/// A part of a call that could not be followed.
pub(super) fn not_known(request: &Request<'_>, id: &str, unknown: &[&Unknown]) -> String {
    let parts: Vec<String> = unknown.iter().take(3).map(|unknown| unknown.gap.to_string()).collect();
    let mut text =
        format!("{id} covers only known files, and it is not known what this changes: {}.", parts.join("; "));
    text.push_str(
        "\nUse a file tool or a command that names its files. A person can add the command to `commands:` of the intent.",
    );
    text + &how_to_change(request)
}

/// An intent whose changes a person approves.
pub(super) fn approval(request: &Request<'_>, id: &str, files: &[String]) -> String {
    let shown: Vec<&str> = files.iter().take(MOST).map(String::as_str).collect();
    let mut text = format!("Intent {id} needs a person's approval; this would change {}.", shown.join(", "));
    if !request.powers().ask {
        text.push_str(
            "\nThis client cannot ask, so it is denied. Ask the person to make the change or to drop `approval: required`.",
        );
    }
    text
}

/// Tells how a person changes the mode, at the first denial of a session.
fn how_to_change(request: &Request<'_>) -> String {
    let session = request.event.session.as_deref().unwrap_or_default();
    let mark = format!("\"guard\":\"{INTENT_GATE}\"");
    let told = Tail::open(&request.session_log()).is_ok_and(|lines| {
        let mut lines = lines.unchecked().take(LINES).flatten();
        lines.any(|line| line.text.contains(&mark) && line.text.contains(session))
    });
    match told {
        true => String::new(),
        false => "\nA person can change this: `stead config set intents.mode warn` (or `off`).".to_owned(),
    }
}

fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
