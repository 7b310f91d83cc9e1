//! It reports tokens, not cost, and why a turn failed only in prose.

use crate::headless::Headless;
use crate::report::{Report, events, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write"],
    may: "edits files and runs commands within its sandbox, without network",
    last_args: &["-"],
    session_vars: &["CODEX_SESSION_ID", "CODEX_TOOL_CALL_ID"],
    heed: &[r#""thread.started""#, r#""agent_message""#],
    read,
    ..Headless::PLAIN
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        match event["type"].as_str() {
            Some("thread.started") => report.session = text(&event["thread_id"]),
            Some("item.completed") if event["item"]["type"] == "agent_message" => {
                report.message = text(&event["item"]["text"]);
            }
            _ => {}
        }
    }
    report
}
