//! Lessons: a session is told them when it starts, and at stops they are learnt from what tests, builds and linters
//! showed. Nothing happens before or after a tool.

use std::fs;
use std::path::Path;

use stead_context::BriefingPart;
use stead_evidence::{About, Archive, Ground, Item, Kind};
use stead_ledger::LedgerError;
use stead_ledger::lesson::{Entry, Learning, Lessons, Run, RunEnd, learn, telling_line};
use stead_ledger::trace::Ledger;
use stead_model::EventKind;
use stead_store::{Durability, Exact, Room, replace_creating};

use crate::member::Member;
use crate::request::Request;
use crate::trust::Trusted;

/// How many records a stop looks at.
const RUNS: usize = 100;

/// How much of one lesson a briefing repeats, and which part of the briefing all of them may take.
const SHOWN: usize = 300;
const SHARE: usize = 3;

/// How far the evidence log was read at the last stop, below the project's cache.
const MARK: &str = "lessons";

/// The runs to learn from: none, if the log came from elsewhere.
pub fn lesson_runs(ground: &Ground, most: usize, since: u64) -> Vec<Run> {
    if Archive::quick(ground).is_known() { recent_runs(ground, most, since) } else { Vec::new() }
}

/// The newest test runs, builds and checks that the log has from an offset on, oldest first.
pub fn recent_runs(ground: &Ground, most: usize, since: u64) -> Vec<Run> {
    let Ok(items) = Archive::quick(ground).noted_since(since) else { return Vec::new() };
    let mut runs: Vec<Run> = items.take(most).filter_map(run).collect();
    runs.reverse();
    runs
}

fn run(item: Item) -> Option<Run> {
    let is_run = matches!(item.about, About::Test | About::Build | About::Lint | About::Check);
    if !is_run || !matches!(item.kind, Kind::Seen | Kind::Observed | Kind::Ran) {
        return None;
    }
    let has_failed = item.counts.is_some_and(|counts| counts.failed > 0);
    let has_run = item.counts.is_some_and(|counts| counts.ran());
    let end = match item.exit {
        // Interrupted, killed or out of time.
        Some(130 | 137 | 143) => RunEnd::Unknown,
        Some(0) | None if has_failed => RunEnd::Failed,
        Some(0) => RunEnd::Passed,
        Some(_) => RunEnd::Failed,
        None if has_run => RunEnd::Passed,
        None => RunEnd::Unknown,
    };
    let outcome = item.outcome();
    let output = item.output.filter(|_| end == RunEnd::Failed);
    Some(Run {
        command: item.command?,
        id: item.id,
        ts: item.ts,
        dir: item.dir,
        runner: item.runner,
        feature: item.feature,
        is_whole: item.whole && item.about == About::Test,
        end,
        outcome,
        telling: output.and_then(|output| telling_line(&output.tail)),
        session: item.who.session,
    })
}

/// Learns at a stop and at the end of a session; other events return at once.
pub(crate) fn record(request: &Request<'_>, now: &str) -> Result<(), LedgerError> {
    let event = request.event;
    let ended = match event.kind {
        EventKind::Stop => None,
        EventKind::SessionEnd => event.session.as_deref(),
        _ => return Ok(()),
    };
    if event.agent.is_some() || !request.records("record.lessons", "STEAD_RECORD_LESSONS") {
        return Ok(());
    }
    let ground = request.evidence_ground();
    let size = fs::metadata(ground.log()).map_or(0, |data| data.len());
    let path = ground.cache.join(MARK);
    let mark = Mark::read(&path, size);
    if mark.settled == size || mark.seen == size && ended.is_none() {
        return Ok(());
    }
    let runs = lesson_runs(&ground, RUNS, mark.settled);
    let has_open = runs.iter().any(|run| run.end == RunEnd::Failed) && {
        let ledger = Ledger::of(&request.room(Room::Intents), None);
        learn(&lessons(request), &Learning { runs: &runs, ledger: &ledger, ended, now })?.has_open
    };
    let settled = if has_open { mark.settled } else { size };
    let text = format!("{size} {settled}\n");
    Ok(replace_creating(&path, Exact::Own.bytes(&text), Durability::Quick)?)
}

/// How far the evidence log was read. Without the file all of it is read again, which adds no lesson twice.
#[derive(Default)]
struct Mark {
    /// Its size at the last stop.
    seen: u64,
    /// No run before this offset is open.
    settled: u64,
}

impl Mark {
    fn read(path: &Path, size: u64) -> Self {
        let text = stead_store::read_text(path).unwrap_or_default();
        let mut numbers = text.split_whitespace().map(str::parse);
        match (numbers.next(), numbers.next()) {
            // A log that is shorter now is another one.
            (Some(Ok(seen)), Some(Ok(settled))) if settled <= seen && seen <= size => Self { seen, settled },
            _ => Self::default(),
        }
    }
}

fn lessons(request: &Request<'_>) -> Lessons {
    let tokens =
        request.policy.setting("context.lesson_tokens").and_then(|value| value.parse().ok()).unwrap_or_default();
    Lessons::of(&request.room(Room::Intents), request.indexes(), tokens).quick()
}

/// The lessons that a session should know, the most needed first. Those that another part already tells are left out,
/// those that are not trusted, and all of them if the client reads the file itself.
pub(crate) fn briefing_part(
    member: &Member<'_>,
    tokens: usize,
    parts: &[BriefingPart],
    trusted: &Trusted,
) -> Option<BriefingPart> {
    let lessons = lessons(member.request);
    let found = match lessons.by_use() {
        Ok(found) if found.is_empty() => return None,
        Ok(found) => {
            let untrusted = trusted.untrusted_lessons();
            found.into_iter().filter(|(entry, _)| !untrusted.contains(&entry.id)).collect::<Vec<_>>()
        }
        Err(error) => {
            member.request.note(&error);
            return None;
        }
    };
    let file = member.short(lessons.path());
    let instructions = member.root.join(member.request.harness.client().facts.instructions);
    if stead_store::read_text(&instructions).is_ok_and(|text| text.contains(&format!("@{file}"))) {
        return None;
    }
    let is_told = |entry: &Entry| parts.iter().any(|part| part.text.contains(&entry.text));
    let mut text = format!("From `{file}`; `stead lesson add` adds one.\n");
    for (entry, _) in found.iter().filter(|(entry, _)| !is_told(entry)) {
        let end = entry.text.floor_char_boundary(SHOWN.min(entry.text.len()));
        let cut = if end < entry.text.len() { "…" } else { "" };
        let line = format!("- [{}] {}: {}{cut}\n", entry.id, entry.kind.name(), &entry.text[..end]);
        if text.len() + line.len() > tokens * 4 / SHARE {
            break;
        }
        text.push_str(&line);
    }
    let has_some = text.lines().count() > 1;
    has_some.then(|| BriefingPart { title: "Lessons".into(), text, more: Some("stead lesson list".into()) })
}

/// Counts the lessons that a briefing contains.
pub(crate) fn told(member: &Member<'_>, text: &str) {
    let ids = text.lines().filter_map(|line| line.strip_prefix("- [L-")?.split_once(']'));
    let ids: Vec<String> = ids.map(|(hash, _)| format!("L-{hash}")).collect();
    let session = member.session.map(|session| session.as_str());
    if let Err(error) = lessons(member.request).told(ids, session, &member.now) {
        member.request.note(&error);
    }
}
