//! Copilot CLI. Seen on 1.0.102. It tells premium requests, not money.

use crate::provider::said::{events, is_unavailable, text};
use crate::provider::{Profile, PromptWay, Quota, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "copilot",
    program: "copilot",
    args: &["--allow-tool", "write", "--no-color", "--output-format", "json"],
    may: "edits files and runs commands that it knows to be harmless; `--allow-all-tools` allows the others",
    model_flag: "--model",
    prompt: PromptWay::Stdin,
    last_args: &[],
    env: &[],
    session_vars: &["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", "COPILOT_LOADER_PID"],
    heed: &[r#""type":"result""#, r#""type":"assistant.message""#, r#""type":"session.error""#],
    read,
    quota_exits: &[],
    reports_cost: false,
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        match event["type"].as_str() {
            Some("assistant.message") => report.message = text(&event["data"]["content"]).or(report.message),
            Some("session.error") if is_unavailable(&event["data"]["statusCode"]) => {
                let reason = text(&event["data"]["message"]).unwrap_or_else(|| "unavailable".to_owned());
                report.quota = Some(Quota { until: None, reason });
            }
            Some("result") => report.session = text(&event["sessionId"]),
            _ => {}
        }
    }
    report
}
