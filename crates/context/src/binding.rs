//! Which session a command runs in. A shell command does not know its session, but the hook that allowed it does: the
//! hook left a line in the session log with a hash of the command's words, and the command finds that line.

use std::path::Path;

use serde::Deserialize;
use stead_model::rfc3339;
use stead_store::Tail;

/// How many milliseconds after the hook's line a command may start.
const WINDOW: i64 = 60_000;

/// How many lines of the log are searched.
const LINES: usize = 500;

/// The session that a command belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub harness: String,
    pub session: String,
    /// The sub-agent that called it, if the client names one.
    pub agent: Option<String>,
    /// The role of that sub-agent, if it is known.
    pub role: Option<String>,
    /// The client's id of the call that started the command, if it has one.
    pub call: Option<String>,
    /// The id of the grant that the call may spend, if a person typed the command.
    pub grant: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    harness: String,
    session: Option<String>,
    agent: Option<String>,
    role: Option<String>,
    call: Option<String>,
    verdict: String,
    #[serde(default)]
    binds: Vec<String>,
    grant: Option<String>,
}

/// Hashes a command's words, the same way in the hook that sees them and in the command that gets them.
pub fn fingerprint<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for word in words {
        for byte in word.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:x}")
}

/// Finds the session whose shell just called these words (everything after `stead`). `None` if no hook saw it: an
/// unknown session matches nobody.
pub fn bound_session(log: &Path, words: &[&str], now_millis: i64) -> Option<Binding> {
    let mark = fingerprint(words.iter().copied());
    // Timestamps in the log share one format, so they compare as text.
    let earliest = rfc3339(now_millis - WINDOW);
    let lines = Tail::open(log).ok()?;
    for line in lines.take(LINES).flatten() {
        let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
        if line.ts < earliest {
            return None;
        }
        if line.verdict != "deny" && line.binds.contains(&mark) {
            let Line { harness, session, agent, role, call, grant, .. } = line;
            return Some(Binding { harness, session: session?, agent, role, call, grant });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const NOW: i64 = 1_794_771_930_123;

    fn line(age: i64, session: &str, verdict: &str, words: &[&str]) -> String {
        let (ts, mark) = (rfc3339(NOW - age), fingerprint(words.iter().copied()));
        format!(
            r#"{{"ts":"{ts}","harness":"h","session":"{session}","call":"c","verdict":"{verdict}","binds":["{mark}"]}}"#
        )
    }

    #[track_caller]
    fn check(lines: &[String], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        fs::write(&log, lines.join("\n") + "\n").unwrap();
        let found = bound_session(&log, &["loop", "start", "go on"], NOW).map(|binding| binding.session);
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn a_command_finds_the_session_that_let_it_pass() {
        let words = ["loop", "start", "go on"];
        check(&[line(900, "s1", "allow", &words), line(5, "s2", "allow", &["loop", "start", "other"])], Some("s1"));
        check(&[line(5, "s1", "deny", &words)], None);
        check(&[line(90_000, "s1", "allow", &words)], None);
        check(&[line(5, "s1", "allow", &["loop", "start", "go", "on"])], None);
        check(&["{torn".into(), line(5, "s1", "allow", &words), "{\"ts\":1}".into()], Some("s1"));
        check(&[], None);
    }
}
