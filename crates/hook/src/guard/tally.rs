//! Counts what guards did recently, from the end of the session log. It is reported without being asked for, because a
//! shadow guard is useless if nobody sees its hits: at session start, in `stead status` and at the end of a turn.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter::Sum;
use std::path::Path;

use memchr::memmem::Finder;
use serde::Deserialize;
use stead_guard::Mode;
use stead_store::Tail;

use super::hit::{Did, HitLine};

/// How often hits of one guard came to what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitCount {
    /// It would have acted, but is in shadow mode.
    pub shadow: u64,
    /// It warned the agent.
    pub warned: u64,
    /// It denied, asked or continued.
    pub stopped: u64,
    /// It is enforced, but let something pass: it reached its limit of blocked stops, or could not decide.
    pub let_go: u64,
    /// A person had allowed what it would have blocked.
    pub overridden: u64,
}

impl HitCount {
    pub fn add(&mut self, hit: &HitLine) {
        let counter = match hit.did {
            Did::Recorded if hit.mode == Mode::Enforce.name() => &mut self.let_go,
            Did::Recorded => &mut self.shadow,
            Did::Told | Did::Owed | Did::Rewritten => &mut self.warned,
            Did::Asked | Did::Denied | Did::Held => &mut self.stopped,
            Did::Overridden => &mut self.overridden,
            Did::Allowed | Did::Unknown => return,
        };
        *counter += 1;
    }

    /// What the news is about.
    fn all(&self) -> u64 {
        self.shadow + self.warned + self.stopped + self.let_go
    }
}

impl Sum for HitCount {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            shadow: sum.shadow + one.shadow,
            warned: sum.warned + one.warned,
            stopped: sum.stopped + one.stopped,
            let_go: sum.let_go + one.let_go,
            overridden: sum.overridden + one.overridden,
        })
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Since<'a> {
    /// The maximum number of lines to read.
    pub(super) lines: usize,
    /// The earliest time that counts, in the format of the log.
    pub(super) moment: &'a str,
    /// Only this session's own turn: back to its last prompt.
    pub(super) turn_of: Option<&'a str>,
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
pub(super) fn guard_tally(log: &Path, since: Since<'_>) -> Vec<(String, HitCount)> {
    let Ok(lines) = Tail::open(log) else { return Vec::new() };
    let mut tallies: BTreeMap<String, HitCount> = BTreeMap::new();
    let (hits, prompts) = (Finder::new("\"hits\":["), Finder::new("\"prompt\""));
    let has = |text: &str, finder: &Finder<'_>| finder.find(text.as_bytes()).is_some();
    for line in lines.unchecked().take(since.lines).flatten() {
        let turns = since.turn_of.is_some() && has(&line.text, &prompts);
        if !turns && !has(&line.text, &hits) {
            continue;
        }
        let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
        if line.ts.as_str() < since.moment {
            break;
        }
        if since.turn_of.is_some_and(|own| line.session.as_deref() != Some(own)) {
            continue;
        }
        line.hits.iter().for_each(|hit| tallies.entry(hit.guard.clone()).or_default().add(hit));
        if since.turn_of.is_some() && line.event == "prompt" {
            break;
        }
    }
    let mut tallies: Vec<(String, HitCount)> = tallies.into_iter().collect();
    tallies.sort_by_key(|(_, count)| Reverse(count.all()));
    tallies
}

/// One sentence about what guards did without blocking; `None` if there is nothing to report.
pub(super) fn tell_tally(tallies: &[(String, HitCount)]) -> Option<String> {
    let part = |title: &str, pick: fn(&HitCount) -> u64| {
        let named = tallies.iter().filter(|(_, count)| pick(count) > 0).take(3);
        let named: Vec<String> = named.map(|(guard, count)| format!("`{guard}` {}", times(pick(count)))).collect();
        (!named.is_empty()).then(|| format!("{title}: {}", named.join(", ")))
    };
    let parts = [
        part("in shadow mode would have acted", |count| count.shadow),
        part("warned", |count| count.warned),
        part("let this pass despite `enforce`", |count| count.let_go),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("guards {}", parts.join("; ")))
}

fn times(count: u64) -> String {
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
        assert_eq!(told(None), "guards in shadow mode would have acted: `a` twice; warned: `b` once");
        assert_eq!(told(Some("s")), "guards in shadow mode would have acted: `a` once; warned: `b` once");
        assert_eq!(told(Some("nobody")), "");
        std::fs::remove_file(file).unwrap();
    }
}
