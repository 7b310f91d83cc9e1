use std::path::Path;

use serde::Deserialize;
use stead_model::EventKind;
use stead_store::{StoreError, Tail};

/// How many lines of the session log are searched, and how many denials are listed.
const LINES: usize = 50_000;
const LISTED: usize = 12;

/// A call that Stead refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Denial {
    /// When it was last refused.
    pub(super) at: String,
    pub(super) tool: String,
    /// The first line of the reason.
    pub(super) why: String,
    /// The verdict's id, for `stead explain`.
    pub(super) id: Option<String>,
    pub(super) times: usize,
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    session: Option<String>,
    #[serde(default)]
    event: String,
    tool: Option<String>,
    verdict: String,
    reason: Option<String>,
    id: Option<String>,
}

/// The denials of a session, the last one first, equal ones together.
pub(super) fn denials(log: &Path, session: &str) -> Result<Vec<Denial>, StoreError> {
    let mut found: Vec<Denial> = Vec::new();
    for line in Tail::open(log)?.unchecked().take(LINES) {
        let text = line?.text;
        if !text.contains("\"verdict\":\"deny\"") || !text.contains(session) {
            continue;
        }
        let Ok(line) = serde_json::from_str::<Line>(&text) else { continue };
        let is_call = EventKind::from_name(&line.event).is_some_and(EventKind::is_gated);
        if line.session.as_deref() != Some(session) || !is_call || line.verdict != "deny" {
            continue;
        }
        let why = line.reason.as_deref().unwrap_or_default().lines().next().unwrap_or_default().trim();
        let mark = line.id.as_ref().map(|id| format!("[{id}]")).unwrap_or_default();
        let why = why.strip_suffix(&mark).unwrap_or(why).trim_end().to_owned();
        let tool = line.tool.unwrap_or_default();
        if let Some(known) = found.iter_mut().find(|known| known.why == why && known.tool == tool) {
            known.times += 1;
        } else if found.len() < LISTED {
            found.push(Denial { at: line.ts, tool, why, id: line.id, times: 1 });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_denials_of_a_session_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let line = |ts: u32, session: &str, event: &str, verdict: &str, reason: &str| {
            format!(
                r#"{{"ts":"{ts}","session":"{session}","event":"{event}","tool":"Bash","verdict":"{verdict}","reason":"{reason} [v-{ts}]\nmore","id":"v-{ts}"}}"#
            )
        };
        let lines = [
            line(1, "s", "before-tool", "deny", "no rm"),
            line(2, "s", "before-tool", "deny", "no rm"),
            line(3, "t", "before-tool", "deny", "no rm"),
            line(4, "s", "before-tool", "allow", "fine"),
            line(5, "s", "stop", "deny", "go on"),
            line(6, "s", "permission-request", "deny", "no net"),
            "{torn \"verdict\":\"deny\" s".to_owned(),
        ];
        std::fs::write(&log, lines.join("\n")).unwrap();
        let shown: Vec<_> =
            denials(&log, "s").unwrap().into_iter().map(|d| format!("{} {} {}", d.at, d.why, d.times)).collect();
        assert_eq!(shown, ["6 no net 1", "2 no rm 2"]);
        assert_eq!(denials(&folder.path().join("none"), "s").unwrap(), []);
    }
}
