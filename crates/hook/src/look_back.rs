//! What earlier lines show about a stop: whether a message is new, and whether the agent has worked.

use std::path::Path;

use serde::Deserialize;
use stead_model::{EventKind, unix_millis};
use stead_store::Tail;

/// How far the session log is read, from its end.
const LINES: usize = 200;

/// Returns true if a line of a transcript is newer than a time. One without a time counts as new.
pub(crate) fn is_newer(line: &str, since: Option<i64>) -> bool {
    #[derive(Deserialize)]
    struct Stamp {
        timestamp: String,
    }
    let (Some(since), Ok(stamp)) = (since, serde_json::from_str::<Stamp>(line)) else { return true };
    unix_millis(&stamp.timestamp).is_none_or(|at| at > since)
}

/// Returns true if the main agent of a session has used a tool since its last stop or prompt.
pub(crate) fn has_worked(log: &Path, session: &str) -> bool {
    #[derive(Deserialize)]
    struct Line {
        session: Option<String>,
        agent: Option<String>,
        event: String,
    }
    let Ok(lines) = Tail::open(log) else { return false };
    let own = lines.unchecked().take(LINES).flatten().filter_map(|line| serde_json::from_str::<Line>(&line.text).ok());
    for line in own.filter(|line| line.session.as_deref() == Some(session) && line.agent.is_none()) {
        if line.event == EventKind::AfterTool.name() || line.event == EventKind::ToolFailed.name() {
            return true;
        }
        if line.event == EventKind::Stop.name() || line.event == EventKind::Prompt.name() {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_its_time_or_counts_as_new() {
        let since = unix_millis("2026-11-15T21:49:50.000Z");
        let check = |line: &str, expected: bool| assert_eq!(is_newer(line, since), expected, "{line}");
        check(r#"{"timestamp": "2026-11-15T21:49:50.001Z", "type": "x"}"#, true);
        check(r#"{"timestamp": "2026-11-15T21:49:50.000Z"}"#, false);
        check(r#"{"timestamp": "some day"}"#, true);
        check(r#"{"timestamp": 5}"#, true);
        check("{torn", true);
        assert!(is_newer(r#"{"timestamp": "1999-01-01T00:00:00Z"}"#, None));
    }

    #[test]
    fn a_tool_since_the_last_stop_is_work() {
        let folder = std::env::temp_dir().join(format!("stead-has-worked-{}", std::process::id()));
        let check = |lines: &[&str], expected: bool| {
            std::fs::write(&folder, lines.join("\n") + "\n").unwrap();
            assert_eq!(has_worked(&folder, "s"), expected, "{lines:?}");
        };
        let own = |event: &str| format!("{{\"session\":\"s\",\"event\":\"{event}\"}}");
        let (stop, tool, before) = (own("stop"), own("after-tool"), own("before-tool"));
        check(&[&stop, &before, &tool], true);
        check(&[&tool, &stop], false);
        check(&[&stop, &before], false);
        check(&[&stop, r#"{"session":"s","agent":"a","event":"after-tool"}"#], false);
        check(&[&stop, r#"{"session":"other","event":"after-tool"}"#], false);
        std::fs::remove_file(folder).unwrap();
    }
}
