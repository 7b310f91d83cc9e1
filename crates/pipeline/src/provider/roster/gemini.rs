//! Gemini CLI. Seen on 0.61.0. It tells tokens, not money.

use crate::provider::said::{events, text};
use crate::provider::{Profile, PromptWay, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "gemini",
    program: "gemini",
    args: &["--approval-mode", "auto_edit", "--output-format", "stream-json"],
    may: "edits files; the shell is not offered to it, `--approval-mode yolo` does",
    model_flag: "--model",
    prompt: PromptWay::Stdin,
    last_args: &[],
    env: &[],
    session_vars: &[
        "GEMINI_CLI",
        "GEMINI_CLI_NO_RELAUNCH",
        "GEMINI_PROJECT_DIR",
        "GEMINI_CWD",
        "GEMINI_SESSION_ID",
        "GEMINI_PLANS_DIR",
    ],
    heed: &[r#""type":"init""#, r#""role":"assistant""#, r#""type":"tool_use""#],
    read,
    // The HTTP status 429 or 503, of which a process can tell the last eight bits only.
    quota_exits: &[173, 247],
    reports_cost: false,
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
