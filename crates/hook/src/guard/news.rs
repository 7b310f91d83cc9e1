//! Reports what guards did recently. See [`super::tally`] for the counting.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use stead_context::BriefingPart;
use stead_guard::starter_of;
use stead_model::rfc3339;
use stead_store::Tail;

use super::cache::GuardText;
use super::change::GuardChange;
use super::starter::StarterNews;
use super::tally::{HitCount, Since, guard_tally, tell_tally};
use crate::location::Env;
use crate::policy::PolicyText;

/// How far back the news goes.
pub(super) const DAYS: i64 = 7;
pub(super) const LINES: usize = 3_000;

/// How many lines are read for the guards' own part of a day.
const DAY_LINES: usize = 10_000;

/// How many lines of one turn are read.
const TURN: usize = 500;

/// How many sentences about changes and patterns are told.
const NEWS: usize = 4;

/// The report of the last days in one sentence, such as for `stead status`; `None` if there is nothing to report.
pub fn guard_news(indexes: &Path, now_millis: i64) -> Option<String> {
    let moment = rfc3339(now_millis - DAYS * 24 * 3600 * 1000);
    let since = Since { lines: LINES, moment: &moment, turn_of: None };
    tell_tally(&guard_tally(&indexes.join("sessions.jsonl"), since))
}

/// What all guards did since a time, counted from the last lines of the log.
pub fn guards_since(indexes: &Path, moment: &str) -> HitCount {
    let since = Since { lines: DAY_LINES, moment, turn_of: None };
    guard_tally(&indexes.join("sessions.jsonl"), since).into_iter().map(|(_, count)| count).sum()
}

/// How many guard files have errors and are not applied, by the compiled guards: only changed files are read.
pub fn broken_guard_files(root: &Path, env: &Env) -> usize {
    let text = GuardText::load(root, &PolicyText::load(root, env), env, &|_, _| false);
    let Some(view) = text.view() else { return 0 };
    // Each line starts with the file.
    let files = view.problems().map(|line| line.split(':').next().unwrap_or_default());
    files.collect::<BTreeSet<_>>().len()
}

/// Something that changed by itself, or that a pattern proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNews {
    /// One sentence.
    pub text: String,
    /// The command that shows more.
    pub command: String,
}

impl GraphNews {
    /// The news of the last days, newest first.
    pub fn look(graph: &Path, now_millis: i64) -> Vec<Self> {
        let since = rfc3339(now_millis - DAYS * 24 * 3600 * 1000);
        let changes = GuardChange::unasked(graph, &since).into_iter();
        let changes = changes
            .map(|change| Self { text: change.told(), command: format!("stead guard history {}", change.guard) });
        changes.chain(proposing(graph, &since)).take(NEWS).collect()
    }

    pub fn told(&self) -> String {
        format!("{} (`{}`)", self.text, self.command)
    }
}

/// A line of `patterns.jsonl`.
#[derive(Deserialize)]
struct PatternLine {
    ts: String,
    id: String,
    summary: String,
    proposes: String,
}

fn proposing(graph: &Path, since: &str) -> Vec<GraphNews> {
    let Ok(lines) = Tail::open(&graph.join("patterns.jsonl")) else { return Vec::new() };
    let lines = lines.take(TURN).flatten().filter_map(|line| serde_json::from_str::<PatternLine>(&line.text).ok());
    let mut told: Vec<GraphNews> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for line in lines.take_while(|line| line.ts.as_str() >= since) {
        if !seen.contains(&line.id) {
            let PatternLine { id, summary, proposes, .. } = &line;
            let text = format!("{summary}: pattern `{id}` proposes a {proposes}");
            told.push(GraphNews { text, command: format!("stead memory propose {id}") });
            seen.push(line.id);
        }
    }
    told
}

/// The report as a part of the briefing.
pub(crate) fn briefing_part(indexes: &Path, graph: &Path, guards: &Path, now_millis: i64) -> Option<BriefingPart> {
    let news = guard_news(indexes, now_millis).map(|news| format!("In the last {DAYS} days, {news}."));
    let starters = starters_due(indexes, guards, now_millis).map(|told| format!("{told}; tell the person."));
    let told = GraphNews::look(graph, now_millis).into_iter().map(|news| news.told());
    let lines: Vec<String> = news.into_iter().chain(starters).chain(told).collect();
    if lines.is_empty() {
        return None;
    }
    Some(BriefingPart {
        title: "Guards".to_owned(),
        text: lines.join("\n"),
        more: Some("stead guard stats".to_owned()),
    })
}

/// The starter guards that have seen enough to be enforced, a sentence each.
fn starters_due(indexes: &Path, guards: &Path, now_millis: i64) -> impl Iterator<Item = String> {
    let news = StarterNews::look(indexes, guards, now_millis);
    news.into_iter().filter(StarterNews::is_due).map(|news| news.told())
}

/// The report of the ending turn, for the person.
pub(crate) fn of_turn(indexes: &Path, guards: &Path, session: &str, now_millis: i64) -> Option<String> {
    let since = Since { lines: TURN, moment: "", turn_of: Some(session) };
    let tally = guard_tally(&indexes.join("sessions.jsonl"), since);
    let news = tell_tally(&tally)?;
    // A starter is proposed where it has just been seen, not after every turn.
    let is_seen = tally.iter().any(|(guard, count)| count.shadow > 0 && starter_of(guard).is_some());
    let due = is_seen.then(|| starters_due(indexes, guards, now_millis).next()).flatten();
    let more = due.unwrap_or_else(|| "`stead guard stats` shows details".to_owned());
    Some(format!("Stead: in this turn, {news}. {more}."))
}
