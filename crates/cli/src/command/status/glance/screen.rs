use std::collections::BTreeMap;

use stead_context::Packet;
use stead_feature::Status;
use stead_hook::HitCount;
use stead_model::unix_millis;

use super::{Glance, Waiting};
use crate::progress::{columns, cut, one_line};
use crate::ui::counted;

/// The width of a line if there is no terminal.
pub(super) const WIDTH: usize = 80;

/// The most lines, whatever a project contains.
const LINES: usize = 20;

/// What a project has nothing of shares a line.
const NONE: &str = "none yet";

/// One line for each area that there is something of, then what waits for a person.
pub(super) fn lines(root: &str, is_marked: bool, glance: &Glance, waiting: &[Waiting], width: usize) -> Vec<String> {
    let row = |name: &str, text: &str, command: &str| row(name, text, command, width);
    let mut lines = vec![row("project", root, "")];
    if !is_marked {
        lines.push(row("", "not set up yet", "stead init"));
    }
    let (text, command) = agents(glance);
    if is_marked || !glance.agents.is_empty() {
        lines.push(row("agents", &text, command));
    }
    let mut none = Vec::new();
    let mut area = |name: &'static str, text: Option<String>, command: &str| match text {
        Some(text) => lines.push(row(name, &text, command)),
        None => none.push(name),
    };
    if is_marked {
        let is_quiet = glance.guards == HitCount::default();
        area("guards", Some(guards(glance)), if is_quiet { "stead guard list" } else { "stead guard stats" });
        area("loops", loops(glance), "stead loop list");
        area("runs", runs(glance), if glance.runs.is_empty() { "stead migrate --dry-run" } else { "stead runs" });
        area("packets", packets(glance), "stead pickup");
        area("features", features(glance), "stead feature list");
        area("intents", intents(glance), "stead intent list");
    }
    if !none.is_empty() {
        lines.push(row(NONE, &none.join(", "), ""));
    }
    if !waiting.is_empty() {
        lines.extend([String::new(), "Waiting for you:".to_owned()]);
    }
    let room = LINES - lines.len();
    let fits = if waiting.len() > room { room - 1 } else { room };
    lines.extend(waiting.iter().take(fits).map(|one| row(one.area, &one.text, &one.command)));
    if waiting.len() > fits {
        lines.push(row("", &format!("and {} more", waiting.len() - fits), "stead status --json"));
    }
    lines
}

/// A name, a text that is cut to fit, and the command that shows more.
fn row(name: &str, text: &str, command: &str, width: usize) -> String {
    let end = if command.is_empty() { String::new() } else { format!("; `{command}`") };
    let start = format!("{name:<8} ");
    let room = width.saturating_sub(columns(&start) + columns(&end)).max(8);
    cut(format!("{start}{}{end}", one_line(text, room)), width)
}

fn agents(glance: &Glance) -> (String, &'static str) {
    let all = glance.agents.iter().map(|(one, beat)| {
        let at = beat.as_ref().and_then(|beat| unix_millis(&beat.at));
        let heard = at.map_or("not heard from yet".to_owned(), |at| ago(glance.now - at));
        format!("{} ({heard})", one.harness.name())
    });
    let is_unheard = glance.agents.iter().any(|(_, beat)| beat.is_none());
    match (glance.agents.is_empty(), is_unheard) {
        (true, _) => ("none connected".to_owned(), "stead init"),
        (false, true) => (all.collect::<Vec<_>>().join(", "), "stead doctor"),
        (false, false) => (all.collect::<Vec<_>>().join(", "), "stead log"),
    }
}

fn ago(millis: i64) -> String {
    match millis / 60_000 {
        ..=0 => "just now".to_owned(),
        minutes @ 1..=119 => format!("{minutes} min ago"),
        minutes @ 120..=2_879 => format!("{} h ago", minutes / 60),
        minutes => format!("{} days ago", minutes / 1_440),
    }
}

fn guards(glance: &Glance) -> String {
    let HitCount { shadow, warned, stopped, let_go, overridden } = glance.guards;
    let counts = [
        (stopped, "blocked"),
        (warned, "warned"),
        (shadow, "would have acted (shadow)"),
        (let_go, "let pass despite `enforce`"),
        (overridden, "allowed by a person"),
    ];
    let did: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, did)| format!("{count} {did}")).collect();
    let did = if did.is_empty() { "none blocked".to_owned() } else { did.join(", ") };
    let watching: Vec<String> = glance.starters.iter().map(|one| format!("; `{}` only watches", one.guard)).collect();
    format!("last 24 h: {did}{}", watching.concat())
}

fn loops(glance: &Glance) -> Option<String> {
    let all: Vec<String> = glance.loops.iter().map(|(id, progress)| format!("{id} ({progress})")).collect();
    (!all.is_empty()).then(|| format!("{} active: {}", all.len(), all.join(", ")))
}

fn runs(glance: &Glance) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    glance.runs.iter().for_each(|run| *counts.entry(run.status.name()).or_default() += 1);
    let mut parts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let older = glance.older.iter().filter(|run| run.is_complete()).count();
    parts.extend((older > 0).then(|| format!("{older} of the older engine")));
    let latest = glance.runs.first().map(|run| format!("; latest: {} ({})", run.run, run.status.name()));
    (!parts.is_empty()).then(|| parts.join(", ") + &latest.unwrap_or_default())
}

fn packets(glance: &Glance) -> Option<String> {
    let (id, head): &(String, Packet) = glance.packets.first()?;
    let status = head.get("status").unwrap_or("?");
    Some(format!("{} open; latest: {id} ({status}) {}", glance.packets.len(), head.purpose()))
}

fn features(glance: &Glance) -> Option<String> {
    let all = glance.features.iter().flatten().count();
    let (tested, blocked) =
        (glance.features_with(Status::Tested).count(), glance.features_with(Status::Blocked).count());
    let blocked = if blocked > 0 { format!(", {blocked} blocked") } else { String::new() };
    (all > 0).then(|| format!("{}, {tested} tested{blocked}", counted(all, "feature")))
}

fn intents(glance: &Glance) -> Option<String> {
    use stead_ledger::intent::Status;
    let all = glance.intents.as_ref().ok().filter(|all| !all.is_empty())?;
    let active: Vec<&str> =
        all.iter().filter(|one| one.status == Status::InProgress).map(|one| one.id.as_str()).collect();
    let active = if active.is_empty() { "none".to_owned() } else { active.join(", ") };
    Some(format!("{}; in progress: {active}", counted(all.len(), "intent")))
}
