//! It reports premium requests, not cost.

use crate::headless::Headless;
use crate::report::{Quota, Report, events, is_unavailable, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["--allow-tool", "write", "--no-color", "--output-format", "json"],
    may: "edits files and runs commands that it knows to be harmless; `--allow-all-tools` allows the others",
    session_vars: &["COPILOT_AGENT_SESSION_ID", "COPILOT_LOADER_PID"],
    heed: &[r#""type":"result""#, r#""type":"assistant.message""#, r#""type":"session.error""#],
    read,
    ..Headless::PLAIN
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        match event["type"].as_str() {
            Some("assistant.message") => report.message = text(&event["data"]["content"]).or(report.message),
            Some("session.error") if is_unavailable(&event["data"]["statusCode"]) => {
                report.quota = Some(Quota::stated(&event["data"]["message"], None));
            }
            Some("result") => report.session = text(&event["sessionId"]),
            _ => {}
        }
    }
    report
}
