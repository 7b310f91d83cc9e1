//! What guards did lately, counted from the end of the session log. A guard in shadow that nobody hears of is no use, so
//! this is said unasked: when a session starts, in `stead status` and at the end of a turn.

use std::path::Path;

use serde::Deserialize;
use stead_guard::Mode;
use stead_store::Tail;

use super::hit::{Did, HitLine};

/// What one guard did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuardTally {
    pub guard: String,
    /// It would have done something, had it not been in shadow.
    pub shadow: usize,
    /// It told the agent something.
    pub warned: usize,
    /// It stopped, asked or held.
    pub stopped: usize,
    /// It is in force, and yet let something go: it had held as often as it may, or could not judge.
    pub let_go: usize,
    /// A person had allowed what it would have stopped.
    pub overridden: usize,
}

impl GuardTally {
    fn all(&self) -> usize {
        self.shadow + self.warned + self.stopped + self.let_go
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub struct Since<'a> {
    /// How many lines are looked at, at most.
    pub lines: usize,
    /// The earliest moment that counts, as the log writes it.
    pub moment: &'a str,
    /// Only this session's own turn: back to its last prompt.
    pub turn_of: Option<&'a str>,
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    session: Option<String>,
    event: String,
    #[serde(default)]
    hits: Vec<HitLine>,
}

/// Counts hits, the busiest guard first.
pub fn guard_tally(log: &Path, since: Since<'_>) -> Vec<GuardTally> {
    let Ok(lines) = Tail::open(log) else { return Vec::new() };
    let mut tallies: Vec<GuardTally> = Vec::new();
    for line in lines.take(since.lines).flatten() {
        let turns = since.turn_of.is_some() && line.text.contains("\"prompt\"");
        if !turns && !line.text.contains("\"hits\":[") {
            continue;
        }
        let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
        if line.ts.as_str() < since.moment {
            break;
        }
        if since.turn_of.is_some_and(|own| line.session.as_deref() != Some(own)) {
            continue;
        }
        line.hits.iter().for_each(|hit| count(&mut tallies, hit));
        if since.turn_of.is_some() && line.event == "prompt" {
            break;
        }
    }
    tallies.sort_by(|a, b| (b.all(), &a.guard).cmp(&(a.all(), &b.guard)));
    tallies
}

fn count(tallies: &mut Vec<GuardTally>, hit: &HitLine) {
    let at = tallies.iter().position(|tally| tally.guard == hit.guard).unwrap_or_else(|| {
        tallies.push(GuardTally { guard: hit.guard.clone(), ..GuardTally::default() });
        tallies.len() - 1
    });
    let tally = &mut tallies[at];
    match hit.did {
        Did::Recorded if hit.mode == Mode::Enforce.name() => tally.let_go += 1,
        Did::Recorded => tally.shadow += 1,
        Did::Told | Did::Owed | Did::Rewritten => tally.warned += 1,
        Did::Asked | Did::Denied | Did::Held => tally.stopped += 1,
        Did::Overridden => tally.overridden += 1,
        Did::Allowed | Did::Unknown => {}
    }
}

/// The counts of what guards did without stopping anything in one sentence; `None` when there is nothing to tell.
pub fn tell_tally(tallies: &[GuardTally]) -> Option<String> {
    let list = |pick: fn(&GuardTally) -> usize| {
        let named = tallies.iter().filter(|tally| pick(tally) > 0);
        named.take(3).map(|tally| format!("`{}` {}", tally.guard, times(pick(tally)))).collect::<Vec<_>>().join(", ")
    };
    let (shadow, warned) = (list(|tally| tally.shadow), list(|tally| tally.warned));
    let let_go = list(|tally| tally.let_go);
    let mut parts = Vec::new();
    if !shadow.is_empty() {
        parts.push(format!("in shadow would have acted: {shadow}"));
    }
    if !warned.is_empty() {
        parts.push(format!("warned: {warned}"));
    }
    if !let_go.is_empty() {
        parts.push(format!("in force let go: {let_go}"));
    }
    (!parts.is_empty()).then(|| format!("guards {}", parts.join("; ")))
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_counted_by_what_came_of_them() {
        let file = std::env::temp_dir().join(format!("stead-tally-{}", std::process::id()));
        let line = |ts: &str, session: &str, guard: &str, did: &str| {
            let hit = format!(r#"{{"guard":"{guard}","would":"deny","did":"{did}"}}"#);
            format!(r#"{{"ts":"{ts}","session":"{session}","event":"before-tool","hits":[{hit}]}}"#)
        };
        let lines = [
            line("1", "s", "old", "recorded"),
            line("3", "s", "a", "recorded"),
            r#"{"ts":"4","session":"s","event":"prompt"}"#.to_owned(),
            line("5", "s", "b", "owed"),
            line("6", "t", "b", "denied"),
            line("7", "s", "a", "recorded"),
            line("8", "s", "a", "a-word-of-tomorrow"),
        ];
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
        let told = |turn_of: Option<&str>| {
            let since = Since { lines: 100, moment: "2", turn_of };
            tell_tally(&guard_tally(&file, since)).unwrap_or_default()
        };
        assert_eq!(told(None), "guards in shadow would have acted: `a` twice; warned: `b` once");
        assert_eq!(told(Some("s")), "guards in shadow would have acted: `a` once; warned: `b` once");
        assert_eq!(told(Some("nobody")), "");
        std::fs::remove_file(file).unwrap();
    }
}
