//! What the starter guards would have stopped. They only watch in a new project, so Stead says by itself when it is time to
//! enforce them.

use std::collections::BTreeSet;
use std::path::Path;

use memchr::memmem::Finder;
use serde::Deserialize;
use stead_guard::{STARTER_MODE, STARTERS, mode_of, starter_of};
use stead_model::rfc3339;
use stead_store::{Tail, read_capped};

use super::hit::{Did, HitLine};
use super::news::{DAYS, LINES};

/// How many sessions with a hit are enough to propose that a guard is enforced.
const ENOUGH: usize = 3;

/// How many calls are quoted.
const QUOTED: usize = 3;

/// The largest guard file that is read.
const LARGEST: usize = 256 * 1024;

/// What one starter guard would have done in the last days, while it only watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StarterNews {
    pub guard: &'static str,
    pub calls: usize,
    pub sessions: usize,
    /// Parts of the commands that it would have stopped, newest first.
    pub examples: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    session: Option<String>,
    #[serde(default)]
    hits: Vec<HitLine>,
}

impl StarterNews {
    /// The starters of a project that only watch, and what they saw. `guards` is the folder of the project's guard files.
    pub fn look(indexes: &Path, guards: &Path, now_millis: i64) -> Vec<Self> {
        let watching: Vec<&'static str> = STARTERS.iter().copied().filter(|id| watches(guards, id)).collect();
        if watching.is_empty() {
            return Vec::new();
        }
        let moment = rfc3339(now_millis - DAYS * 24 * 3600 * 1000);
        let lines = hit_lines(&indexes.join("sessions.jsonl"), &moment);
        watching.into_iter().map(|guard| Self::count(guard, &lines)).collect()
    }

    fn count(guard: &'static str, lines: &[Line]) -> Self {
        let mut news = Self { guard, calls: 0, sessions: 0, examples: Vec::new() };
        let mut sessions = BTreeSet::new();
        for line in lines {
            let own = |hit: &&HitLine| starter_of(&hit.guard) == Some(guard);
            let Some(hit) = line.hits.iter().filter(own).find(|hit| hit.did == Did::Recorded) else { continue };
            news.calls += 1;
            sessions.extend(line.session.as_deref());
            let example = if hit.part.is_empty() { &hit.guard } else { &hit.part };
            if news.examples.len() < QUOTED && !news.examples.contains(example) {
                news.examples.push(example.clone());
            }
        }
        news.sessions = sessions.len();
        news
    }

    /// Returns true if enough was seen to say it unasked.
    pub fn is_due(&self) -> bool {
        self.sessions >= ENOUGH
    }

    /// The command that enforces it.
    pub fn command(&self) -> String {
        format!("stead guard enable {}", self.guard)
    }

    /// What it would have stopped, and how to enforce it, in one sentence.
    pub fn told(&self) -> String {
        if self.calls == 0 {
            return format!("`{}` only watches and blocks nothing; `{}` enforces it", self.guard, self.command());
        }
        let calls = if self.calls == 1 { "1 call" } else { &format!("{} calls", self.calls) };
        let sessions = if self.sessions == 1 { "1 session" } else { &format!("{} sessions", self.sessions) };
        let examples: Vec<String> = self.examples.iter().map(|example| format!("`{example}`")).collect();
        format!(
            "`{}` only watches; it would have stopped {calls} in {sessions}: {}. `{}` enforces it",
            self.guard,
            examples.join(", "),
            self.command()
        )
    }
}

/// Returns true if the project's file of a starter says that it only watches.
fn watches(guards: &Path, id: &str) -> bool {
    let text = read_capped(&guards.join(format!("{id}.yaml")), LARGEST).ok().flatten();
    text.and_then(|bytes| mode_of(&String::from_utf8_lossy(&bytes))) == Some(STARTER_MODE)
}

/// The latest lines with hits, newest first.
fn hit_lines(log: &Path, moment: &str) -> Vec<Line> {
    let Ok(lines) = Tail::open(log) else { return Vec::new() };
    let hits = Finder::new("\"hits\":[");
    lines
        .unchecked()
        .take(LINES)
        .flatten()
        .filter(|line| hits.find(line.text.as_bytes()).is_some())
        .filter_map(|line| serde_json::from_str::<Line>(&line.text).ok())
        .take_while(|line| line.ts.as_str() >= moment)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_sessions_with_a_hit_are_enough_while_it_only_watches() {
        let folder = std::env::temp_dir().join(format!("stead-starter-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let line = |session: &str, guard: &str, did: &str, part: &str| {
            let hit = format!(r#"{{"guard":"{guard}","would":"deny","did":"{did}","part":"{part}"}}"#);
            format!(r#"{{"ts":"1970-01-02T00:00:00Z","session":"{session}","event":"before-tool","hits":[{hit}]}}"#)
        };
        let check = |mode: &str, lines: &[String], expected: Option<(usize, usize, bool)>| {
            std::fs::write(folder.join("destructive.yaml"), format!("id: destructive\nmode: {mode}\n")).unwrap();
            std::fs::write(folder.join("sessions.jsonl"), lines.join("\n") + "\n").unwrap();
            let news = StarterNews::look(&folder, &folder, 2 * 24 * 3600 * 1000);
            let seen = news.first().map(|news| (news.calls, news.sessions, news.is_due()));
            assert_eq!(seen, expected, "{mode} {lines:?}");
        };
        let (a, b) = (
            line("a", "destructive.whole-tree", "recorded", "git clean -fdx"),
            line("b", "destructive.force-push", "recorded", "git push -f"),
        );
        let c = line("c", "destructive.whole-tree", "recorded", "git clean -fdx");
        let other = line("d", "mine", "recorded", "x");
        let denied = line("e", "destructive.whole-tree", "denied", "x");
        check("shadow", &[], Some((0, 0, false)));
        check("shadow", &[a.clone(), a.clone(), b.clone(), other, denied], Some((3, 2, false)));
        check("shadow", &[a.clone(), b.clone(), c.clone()], Some((3, 3, true)));
        check("enforce", &[a.clone(), b.clone(), c.clone()], None);
        check("shadow", &[a, b, c], Some((3, 3, true)));
        let told = StarterNews::look(&folder, &folder, 0)[0].told();
        let expected = "`destructive` only watches; it would have stopped 3 calls in 3 sessions: `git clean -fdx`, \
                        `git push -f`. `stead guard enable destructive` enforces it";
        assert_eq!(told, expected);
        assert_eq!(StarterNews::look(&folder, &folder, 30 * 24 * 3600 * 1000)[0].calls, 0, "too long ago");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
