//! It reports tokens, not cost.

use crate::headless::Headless;
use crate::report::{Report, events, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["--approval-mode", "auto_edit", "--output-format", "stream-json"],
    may: "edits files; it has no shell without `--approval-mode yolo`",
    session_vars: &["GEMINI_CLI_NO_RELAUNCH", "GEMINI_CWD", "GEMINI_SESSION_ID", "GEMINI_PLANS_DIR"],
    heed: &[r#""type":"init""#, r#""role":"assistant""#, r#""type":"tool_use""#],
    read,
    // The HTTP status 429 or 503; an exit code has only its last eight bits.
    quota_exits: &[173, 247],
    ..Headless::PLAIN
};

/// The last message comes in pieces; a tool call ends the message before it.
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
