use std::collections::BTreeMap;

use clap::Args;
use serde::Deserialize;
use serde_json::json;
use stead_guard::State;
use stead_guard::protection::GATE;
use stead_hook::{Appeal, HitCount, HitLine, Override};
use stead_model::rfc3339;
use stead_store::{Lines, StoreError};

use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::project::{Project, now_millis};
use crate::ui::Ui;

/// A guard is noisy if it blocked, or would have blocked, this many calls and a fifth were appealed or overridden.
const NOISY: u64 = 5;

/// A guard is dormant after this many calls without a hit.
const DORMANT: u64 = 200;

/// Show what each guard did: calls, hits, what it blocked or would have blocked, appeals, overrides
///
/// The counts come from the session log and go back as far as it does. A guard without a hit in 200 calls is marked
/// `dormant`, one that is often appealed or overridden `noisy`.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead guard stats\n  stead guard stats infra-is-reviewed --days 7")]
pub(super) struct StatsArgs {
    /// Only these guards, or packs of them
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Debug, Default)]
struct Count {
    evaluations: u64,
    hits: u64,
    came_to: HitCount,
    appeals: u64,
    overrides: u64,
    last: Option<String>,
}

/// Counts by guard.
type Counts = BTreeMap<String, Count>;

/// Number of events by name.
type Events = BTreeMap<String, u64>;

#[derive(Deserialize)]
struct Line {
    ts: String,
    event: String,
    #[serde(default)]
    hits: Vec<HitLine>,
}

pub(super) fn run(args: &StatsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let since = args.days.map(|days| rfc3339(now_millis() - i64::from(days) * 24 * 3600 * 1000)).unwrap_or_default();
    let mut asked: Vec<&str> = Vec::new();
    for id in args.ids.iter().filter(|id| *id != GATE) {
        asked.extend(guards.members(id)?.iter().map(|guard| guard.id.as_str()));
    }
    let is_asked = |id: &str| args.ids.is_empty() || asked.contains(&id) || args.ids.iter().any(|asked| asked == id);
    let (counts, events) = count(&project, &since)?;
    let rows: Vec<(String, Count, Vec<&str>)> = guards
        .list
        .iter()
        .filter(|guard| guard.state == State::Active || !args.ids.is_empty())
        .map(|guard| (guard.id.as_str(), guard.on.iter().map(|on| events.get(*on).copied().unwrap_or(0)).sum()))
        .chain([(GATE, events.get("before-tool").copied().unwrap_or(0))])
        .filter(|(id, _)| is_asked(id))
        .map(|(id, evaluations)| {
            let count = Count { evaluations, ..counts.get(id).cloned().unwrap_or_default() };
            let marks = marks(id, &count);
            (id.to_owned(), count, marks)
        })
        .collect();
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(id, count, marks)| {
                json!({
                    "guard": id, "evaluations": count.evaluations, "hits": count.hits, "blocked": count.came_to.stopped,
                    "would_block": count.came_to.shadow, "warned": count.came_to.warned, "let_go": count.came_to.let_go,
                    "overridden": count.came_to.overridden,
                    "appeals": count.appeals, "overrides": count.overrides, "last": count.last, "marks": marks,
                })
            })
            .collect();
        ui.json(&json!({"since": since, "guards": rows}));
        return Ok(Exit::Done);
    }
    let width = rows.iter().map(|(id, ..)| id.chars().count()).max().unwrap_or(0);
    ui.line(format!("{:width$}  calls  hits blocked would warned appeals allowed", "guard"));
    for (id, count, marks) in rows {
        let let_go = (count.came_to.let_go > 0).then(|| format!("let {} pass", count.came_to.let_go));
        let marks: Vec<String> = marks.into_iter().map(str::to_owned).chain(let_go).collect();
        let row = format!(
            "{id:width$}  {:>5} {:>5} {:>7} {:>5} {:>6} {:>7} {:>7}  {}",
            count.evaluations,
            count.hits,
            count.came_to.stopped,
            count.came_to.shadow,
            count.came_to.warned,
            count.appeals,
            count.overrides,
            marks.join(", ")
        );
        ui.line(row.trim_end());
    }
    Ok(Exit::Done)
}

/// Reads the logs, and counts by guard and events by name.
fn count(project: &Project, since: &str) -> Result<(Counts, Events), CliError> {
    let (mut counts, mut events) = (Counts::new(), Events::new());
    let indexes = project.indexes();
    each(&indexes.join("sessions.jsonl"), &mut |line: Line| {
        if line.ts.as_str() < since {
            return;
        }
        *events.entry(line.event).or_default() += 1;
        for hit in &line.hits {
            let count = counts.entry(hit.guard.clone()).or_default();
            count.hits += 1;
            count.came_to.add(hit);
            count.last = Some(line.ts.clone());
        }
    })?;
    each(&Appeal::path(&indexes), &mut |line: Appeal| {
        if line.ts.as_str() >= since {
            line.guards.into_iter().for_each(|guard| counts.entry(guard).or_default().appeals += 1);
        }
    })?;
    each(&Override::path(&indexes), &mut |line: Override| {
        if line.ts.as_str() >= since {
            counts.entry(line.guard).or_default().overrides += 1;
        }
    })?;
    Ok((counts, events))
}

fn each<T: serde::de::DeserializeOwned>(path: &std::path::Path, see: &mut dyn FnMut(T)) -> Result<(), StoreError> {
    for line in Lines::open(path)? {
        if let Ok(line) = serde_json::from_str(&line?.text) {
            see(line);
        }
    }
    Ok(())
}

fn marks(id: &str, count: &Count) -> Vec<&'static str> {
    let mut marks = Vec::new();
    if count.hits == 0 && count.evaluations >= DORMANT && id != GATE {
        marks.push("dormant");
    }
    let stopped = count.came_to.stopped + count.came_to.shadow + count.came_to.overridden;
    if stopped >= NOISY && (count.appeals + count.overrides) * 5 >= stopped {
        marks.push("noisy");
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_dormant_or_noisy_by_its_counts() {
        let check = |evaluations, blocked, appeals, expected: &[&str]| {
            let count = Count {
                evaluations,
                hits: blocked,
                came_to: HitCount { stopped: blocked, ..HitCount::default() },
                appeals,
                ..Count::default()
            };
            assert_eq!(marks("g", &count), expected, "{count:?}");
        };
        check(199, 0, 0, &[]);
        check(200, 0, 0, &["dormant"]);
        check(200, 5, 0, &[]);
        check(200, 5, 1, &["noisy"]);
        check(10, 4, 4, &[]);
    }
}
