//! Which session a command runs in. A shell command and an MCP server do not know their session, but the hook that
//! allowed the call does: it left a line in the session log with a hash of the command's words, or of the tool and its
//! input, and the command or the server finds that line.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use stead_model::{EventKind, rfc3339};
use stead_store::{Tail, canonical};

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

/// Who called a tool of the MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundCall {
    /// No hook saw the call.
    Nobody,
    One(Binding),
    /// These sessions make the same call at the same time.
    Several(Vec<String>),
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    harness: String,
    session: Option<String>,
    agent: Option<String>,
    role: Option<String>,
    #[serde(default)]
    event: String,
    tool: Option<String>,
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

/// Hashes a call of an MCP tool, the same way in the hook that sees it and in the server that gets it. A field that is
/// null counts as omitted: some clients send the one, some the other.
pub fn call_fingerprint(tool: &str, input: &Value) -> String {
    let given = input.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let given = given.map(|(name, value)| (name.clone(), value.clone())).collect();
    fingerprint(["mcp", tool, &canonical(&Value::Object(given))])
}

/// Finds the session whose shell just called these words (everything after `stead`). `None` if no hook saw it: an
/// unknown session matches nobody.
pub fn bound_session(log: &Path, words: &[&str], now_millis: i64) -> Option<Binding> {
    let mark = fingerprint(words.iter().copied());
    recent(log, now_millis).find(|line| line.allows(&mark))?.binding()
}

/// Finds the session that is waiting for the answer to a call of an MCP tool. Calls that ended since do not count.
pub fn bound_call(log: &Path, tool: &str, input: &Value, now_millis: i64) -> BoundCall {
    let mark = call_fingerprint(tool, input);
    let mut ended: Vec<(Option<String>, Option<String>)> = Vec::new();
    let mut turned: Vec<Option<String>> = Vec::new();
    let mut found: Vec<Binding> = Vec::new();
    for line in recent(log, now_millis) {
        match EventKind::from_name(&line.event) {
            Some(EventKind::AfterTool | EventKind::ToolFailed) => ended.push(line.key()),
            Some(EventKind::Prompt | EventKind::Stop | EventKind::SessionStart | EventKind::SessionEnd) => {
                turned.push(line.session);
            }
            Some(EventKind::BeforeTool) if line.allows(&mark) => {
                let key = line.key();
                let end = ended.iter().position(|end| *end == key);
                // A client without ids of calls reports one end for each of them.
                if let Some(at) = end.filter(|_| line.call.is_none()) {
                    ended.remove(at);
                }
                // The main agent has finished its turn; a sub-agent may go on.
                let is_over = line.agent.is_none() && turned.contains(&line.session);
                let Some(binding) = line.binding().filter(|_| end.is_none() && !is_over) else { continue };
                if !found.iter().any(|other| (&other.session, &other.agent) == (&binding.session, &binding.agent)) {
                    found.push(binding);
                }
            }
            _ => {}
        }
    }
    match found.len() {
        0 => BoundCall::Nobody,
        1 => found.pop().map_or(BoundCall::Nobody, BoundCall::One),
        _ => BoundCall::Several(found.into_iter().map(|binding| binding.session).collect()),
    }
}

/// The lines of the log within the window, newest first.
fn recent(log: &Path, now_millis: i64) -> impl Iterator<Item = Line> {
    // Timestamps in the log share one format, so they compare as text.
    let earliest = rfc3339(now_millis - WINDOW);
    let lines = Tail::open(log).into_iter().flatten().take(LINES).flatten();
    let lines = lines.filter_map(|line| serde_json::from_str::<Line>(&line.text).ok());
    lines.take_while(move |line| line.ts >= earliest)
}

impl Line {
    fn allows(&self, mark: &String) -> bool {
        self.verdict != "deny" && self.binds.contains(mark)
    }

    /// What the lines before and after a call have in common.
    fn key(&self) -> (Option<String>, Option<String>) {
        (self.session.clone(), self.call.clone().or_else(|| self.tool.clone()))
    }

    fn binding(self) -> Option<Binding> {
        let Self { harness, session, agent, role, call, grant, .. } = self;
        Some(Binding { harness, session: session?, agent, role, call, grant })
    }
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

    /// A line of a call of the tool `t` with the input `{"a": 1}`.
    fn call(age: i64, event: &str, session: &str, agent: &str, id: &str) -> String {
        let mark = call_fingerprint("t", &serde_json::json!({"a": 1}));
        let text = |name: &str, value: &str| match value {
            "" => String::new(),
            value => format!(r#""{name}":"{value}","#),
        };
        format!(
            r#"{{"ts":"{}","harness":"h","session":"{session}",{}"event":"{event}","tool":"t",{}"verdict":"allow","binds":["{mark}"]}}"#,
            rfc3339(NOW - age),
            text("agent", agent),
            text("call", id),
        )
    }

    #[track_caller]
    fn check_call(lines: &[String], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        fs::write(&log, lines.join("\n") + "\n").unwrap();
        let found = match bound_call(&log, "t", &serde_json::json!({"a": 1.0, "b": null}), NOW) {
            BoundCall::Nobody => vec![],
            BoundCall::One(binding) => vec![binding.session],
            BoundCall::Several(sessions) => sessions,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_call_of_a_tool_finds_the_session_that_waits_for_it() {
        let begins = |age, session, id| call(age, "before-tool", session, "", id);
        let ends = |age, session, id| call(age, "after-tool", session, "", id);
        check_call(&[], &[]);
        check_call(&[begins(9, "s1", "1")], &["s1"]);
        check_call(&[begins(90_000, "s1", "1")], &[]);
        check_call(&[begins(9, "s1", "1"), begins(5, "s1", "2")], &["s1"]);
        check_call(&[begins(9, "s1", "1"), begins(5, "s2", "2")], &["s2", "s1"]);
        // One of them got its answer before the other one asked.
        check_call(&[begins(9, "s1", "1"), ends(7, "s1", "1"), begins(5, "s2", "2")], &["s2"]);
        check_call(&[begins(9, "s1", "1"), call(7, "tool-failed", "s1", "", "1"), begins(5, "s2", "1")], &["s2"]);
        check_call(&[begins(9, "s1", ""), ends(7, "s1", ""), begins(5, "s2", "")], &["s2"]);
        check_call(&[begins(9, "s1", ""), begins(8, "s2", ""), ends(7, "s1", ""), begins(5, "s1", "")], &["s1", "s2"]);
        // A turn that ended waits for nothing; a sub-agent may go on.
        check_call(&[begins(9, "s1", "1"), call(7, "stop", "s1", "", ""), begins(5, "s2", "1")], &["s2"]);
        let of_agent = call(9, "before-tool", "s1", "a", "1");
        check_call(&[of_agent.clone(), call(7, "prompt", "s1", "", "")], &["s1"]);
        check_call(&[of_agent, begins(5, "s1", "2")], &["s1", "s1"]);
    }
}
