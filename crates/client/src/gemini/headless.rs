//! It tells tokens, not money.

use crate::headless::Headless;
use crate::report::{Report, events, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["--approval-mode", "auto_edit", "--output-format", "stream-json"],
    may: "edits files; the shell is not offered to it, `--approval-mode yolo` does",
    session_vars: &["GEMINI_CLI_NO_RELAUNCH", "GEMINI_CWD", "GEMINI_SESSION_ID", "GEMINI_PLANS_DIR"],
    heed: &[r#""type":"init""#, r#""role":"assistant""#, r#""type":"tool_use""#],
    read,
    // The HTTP status 429 or 503, of which a process can tell the last eight bits only.
    quota_exits: &[173, 247],
    ..Headless::PLAIN
};

/// The last words come in pieces; a tool call ends what was said before it.
fn read(said: &str) -> Report {
    let mut report = Report::default();
    let mut words = String::new();
    for event in events(said) {
        match event["type"].as_str() {
            Some("init") => report.session = text(&event["session_id"]),
            Some("tool_use") => words.clear(),
            Some("message") if event["role"] == "assistant" => {
                words.push_str(event["content"].as_str().unwrap_or_default());
            }
            _ => {}
        }
    }
    report.message = (!words.is_empty()).then_some(words);
    report
}
