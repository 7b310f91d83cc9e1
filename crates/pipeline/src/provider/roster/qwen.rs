//! Qwen Code. Seen on 0.24.4. It tells tokens, not money.

use crate::provider::said::{events, text};
use crate::provider::{Profile, PromptWay, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "qwen",
    program: "qwen",
    args: &["--approval-mode", "auto-edit", "--output-format", "stream-json"],
    may: "edits files; the shell is refused, `--approval-mode yolo` allows it",
    model_flag: "--model",
    prompt: PromptWay::Stdin,
    last_args: &[],
    env: &[],
    session_vars: &[
        "QWEN_CODE",
        "QWEN_CODE_NO_RELAUNCH",
        "QWEN_CODE_LAUNCHER_PID",
        "QWEN_CODE_SESSION_ID",
        "QWEN_CODE_PROMPT_ID",
        "QWEN_CODE_AGENT_ID",
        "QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE",
        "QWEN_CODE_PROJECT_DIR",
        "QWEN_PROJECT_DIR",
    ],
    heed: &[r#""type":"result""#, r#""subtype":"init""#],
    read,
    quota_exits: &[],
    reports_cost: false,
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        report.session = text(&event["session_id"]).or(report.session);
        if event["type"] == "result" && event["is_error"] != true {
            report.message = text(&event["result"]);
        }
    }
    report
}
