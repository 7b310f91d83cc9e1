//! Whose change it was: of a call that was under way, of nobody known while a session was open, or of a person.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use stead_model::{EventKind, Level, unix_millis};
use stead_store::Tail;
use stead_store::seal::OpenSession;

use super::tampering::CallInFlight;

/// How far the session log is read, from its end.
const LINES: usize = 20_000;

/// How many lines are read where nobody may wait.
const FEW_LINES: usize = 500;

/// A session that was silent for longer counts as closed: a client that was killed reports no end.
const OPEN: i64 = 12 * 3600 * 1000;

/// Times of files have the grain of a clock tick, in milliseconds.
const TICK: i64 = 25;

/// What was going on when a file changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Calls(Vec<CallInFlight>),
    OpenSession,
    NoSession,
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    #[serde(default)]
    harness: String,
    session: Option<String>,
    event: String,
    tool: Option<String>,
    call: Option<String>,
    #[serde(default)]
    verdict: String,
}

/// The sessions that are open now, as the log tells, with the last line of each. A log that is not there tells of none.
pub(crate) fn open_sessions(log: &Path, now: i64) -> Vec<OpenSession> {
    sessions_in(log, now, LINES).0
}

/// The same if few lines are enough to know all of them.
pub(super) fn counted_quickly(log: &Path, now: i64) -> Option<Vec<OpenSession>> {
    let (found, is_complete) = sessions_in(log, now, FEW_LINES);
    is_complete.then_some(found)
}

/// The open sessions that so many lines tell of, and whether these are all.
fn sessions_in(log: &Path, now: i64, most: usize) -> (Vec<OpenSession>, bool) {
    let Ok(lines) = Tail::open(log) else { return (Vec::new(), true) };
    let mut known: Vec<(OpenSession, EventKind)> = Vec::new();
    let mut is_complete = true;
    for (number, line) in lines.unchecked().flatten().enumerate() {
        if number == most {
            is_complete = false;
            break;
        }
        let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
        let Some(seen) = unix_millis(&line.ts) else { continue };
        if seen < now - OPEN {
            break;
        }
        let (Some(kind), Some(session)) = (EventKind::from_name(&line.event), line.session) else { continue };
        if !known.iter().any(|(one, _)| one.session == session) {
            known.push((OpenSession { harness: line.harness, session, seen }, kind));
        }
    }
    let open = known.into_iter().filter(|(_, last)| *last != EventKind::SessionEnd).map(|(one, _)| one);
    (open.collect(), is_complete)
}

/// Those of the sessions that a seal knows that have not been silent for too long.
pub(crate) fn still_open(sessions: Vec<OpenSession>, now: i64) -> Vec<OpenSession> {
    sessions.into_iter().filter(|one| one.seen >= now - OPEN).collect()
}

/// What is known about a session from its later lines.
#[derive(Default)]
struct Session {
    /// The ends of calls, by id, and of those without one by their tool.
    ended: Vec<(Option<String>, Option<String>, i64)>,
    /// When the turn ended that a call belongs to.
    turned: Option<i64>,
    /// Its last line before the change has been seen.
    is_known: bool,
}

impl Cause {
    /// Finds what was going on at a time. `lasting` is a session that is open now, without having started anew: it was open
    /// since its first line, whatever the log says about its end.
    pub(super) fn at(log: &Path, at: i64, lasting: Option<&str>) -> Self {
        let Ok(lines) = Tail::open(log) else { return Self::NoSession };
        let mut calls = Vec::new();
        let mut is_open = false;
        let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
        for (number, line) in lines.unchecked().flatten().enumerate() {
            if number == LINES {
                // What was before cannot be told.
                is_open = true;
                break;
            }
            let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
            let Some(ts) = unix_millis(&line.ts) else { continue };
            if ts < at - OPEN {
                break;
            }
            // Other lines are notes about a session, which may come after its end.
            let Some(kind) = EventKind::from_name(&line.event) else { continue };
            let session = sessions.entry(line.session.clone().unwrap_or_default()).or_default();
            if ts <= at + TICK && !session.is_known {
                session.is_known = true;
                let is_lasting = lasting.is_some() && lasting == line.session.as_deref();
                is_open |= line.session.is_some() && (kind != EventKind::SessionEnd || is_lasting);
            }
            match kind {
                EventKind::BeforeTool => {
                    let end = session.end_of(&line);
                    let ran = Level::from_name(&line.verdict) != Some(Level::Deny);
                    if ran && ts - TICK <= at && end.is_none_or(|end| at <= end) {
                        let Line { harness, session, tool, call, ts, .. } = line;
                        calls.push(CallInFlight { harness, session, tool, call, since: ts });
                    }
                }
                EventKind::AfterTool | EventKind::ToolFailed => session.ended.push((line.call, line.tool, ts)),
                EventKind::Stop
                | EventKind::StopFailed
                | EventKind::Prompt
                | EventKind::SessionStart
                | EventKind::SessionEnd => session.turned = Some(ts),
                _ => {}
            }
        }
        calls.reverse();
        match (calls.is_empty(), is_open) {
            (false, _) => Self::Calls(calls),
            (true, true) => Self::OpenSession,
            (true, false) => Self::NoSession,
        }
    }
}

impl Session {
    /// When a call ended: by its own line, else with the turn, for clients that report no end of a call that failed.
    fn end_of(&mut self, line: &Line) -> Option<i64> {
        let is_own = |(call, tool, _): &(Option<String>, Option<String>, i64)| match (call, &line.call) {
            (Some(one), Some(other)) => one == other,
            _ => *tool == line.tool,
        };
        // The lines come newest first: the earliest end after this call is the last that was pushed.
        match self.ended.iter().rposition(is_own) {
            Some(at) => Some(self.ended.remove(at).2),
            None => self.turned,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_800_000_000_000;

    /// Lines as `seconds event call`, and what was going on at a second.
    #[track_caller]
    fn check(lines: &[&str], at: i64, expected: &str) {
        check_lasting(lines, at, None, expected);
    }

    #[track_caller]
    fn check_lasting(lines: &[&str], at: i64, lasting: Option<&str>, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("sessions.jsonl");
        let mut text = String::new();
        for line in lines {
            let mut words = line.split(' ');
            let mut word = || words.next().unwrap_or_default();
            let (session, seconds, event, call) = (word(), word().parse::<i64>().unwrap(), word(), word());
            let verdict = match word() {
                "" => "allow",
                other => other,
            };
            let ts = stead_model::rfc3339(NOON + seconds * 1000);
            let call = if call.is_empty() { String::new() } else { format!(",\"call\":\"{call}\"") };
            text.push_str(&format!(
                "{{\"ts\":\"{ts}\",\"session\":\"{session}\",\"event\":\"{event}\",\"tool\":\"Bash\"{call},\"verdict\":\"{verdict}\"}}\n"
            ));
        }
        std::fs::write(&log, text).unwrap();
        let shown = match Cause::at(&log, NOON + at * 1000, lasting) {
            Cause::Calls(calls) => {
                calls.iter().map(|call| call.call.clone().unwrap_or("?".into())).collect::<Vec<_>>().join(" ")
            }
            Cause::OpenSession => "open".to_owned(),
            Cause::NoSession => "none".to_owned(),
        };
        assert_eq!(shown, expected, "{lines:?} at {at}");
    }

    #[test]
    fn a_call_is_under_way_until_its_end() {
        let day = ["a 0 session-start", "a 10 before-tool c1", "a 20 after-tool c1", "a 30 stop"];
        check(&day, 15, "c1");
        check(&day, 5, "open");
        check(&day, 25, "open");
        check(&day, 40, "open");
        check(&day, -5, "none");
        check(&day[..2], 500, "c1");
        check(&["a 0 session-start", "a 9 session-end", "a 10 precedent"], 20, "none");
        check(&["a 0 prompt"], 13 * 3600, "none");
        check(&[], 0, "none");
    }

    #[test]
    fn calls_that_report_no_end_last_until_the_turn_ends() {
        let day = ["a 0 before-tool c1", "a 20 before-tool c2", "a 30 after-tool c2", "a 40 stop", "a 50 prompt"];
        check(&day, 10, "c1");
        check(&day, 25, "c1 c2");
        check(&day, 35, "c1");
        check(&day, 45, "open");
    }

    #[test]
    fn a_session_that_goes_on_was_open_although_the_log_has_its_end() {
        let day = ["a 0 session-start", "a 10 stop", "a 20 session-end"];
        check_lasting(&day, 30, Some("a"), "open");
        check_lasting(&day, 30, Some("b"), "none");
        check_lasting(&day, -5, Some("a"), "none");
        check(&day, 30, "none");
    }

    #[test]
    fn a_log_that_is_too_long_tells_nothing() {
        let day = vec!["a 0 session-end"; LINES + 1];
        check(&day, 30, "open");
        check(&day[1..], 30, "none");
    }

    #[test]
    fn a_session_is_open_from_its_first_line_to_its_end() {
        let check = |lines: &[(&str, i64, &str)], expected: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let log = folder.path().join("sessions.jsonl");
            let text = lines.iter().map(|(session, at, event)| {
                let ts = stead_model::rfc3339(NOON + at * 1000);
                format!("{{\"ts\":\"{ts}\",\"harness\":\"x\",\"session\":\"{session}\",\"event\":\"{event}\"}}\n")
            });
            std::fs::write(&log, text.collect::<String>()).unwrap();
            let found = open_sessions(&log, NOON + 3600 * 1000);
            let mut names: Vec<&str> = found.iter().map(|one| one.session.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, expected, "{lines:?}");
        };
        check(&[("a", 0, "session-start"), ("b", 1, "before-tool"), ("a", 2, "session-end")], &["b"]);
        check(&[("a", 0, "session-end"), ("a", 1, "session-start")], &["a"]);
        check(&[("a", 0, "session-start"), ("a", 1, "session-end"), ("a", 2, "precedent")], &[]);
        check(&[("a", -12 * 3600, "session-start")], &[]);
        check(&[], &[]);
        assert_eq!(open_sessions(Path::new("/nonexistent"), NOON), []);
    }

    #[test]
    fn several_sessions_are_all_named_and_denied_calls_are_not() {
        let day = ["a 0 before-tool a1", "b 5 before-tool b1", "b 6 before-tool b2 deny", "a 9 tool-failed a1"];
        check(&day, 7, "a1 b1");
        check(&day, 12, "b1");
        let without_ids = ["a 0 before-tool", "a 2 after-tool", "a 5 before-tool", "a 8 after-tool"];
        check(&without_ids, 1, "?");
        check(&without_ids, 3, "open");
        check(&without_ids, 6, "?");
    }
}
