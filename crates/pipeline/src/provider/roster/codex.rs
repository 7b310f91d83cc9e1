//! Codex CLI. Seen on 0.166.0. It tells tokens, not money, and why a turn failed only in prose.

use crate::provider::said::{events, text};
use crate::provider::{Profile, PromptWay, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "codex",
    program: "codex",
    args: &["exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write"],
    may: "edits files and runs commands within its sandbox, without network",
    model_flag: "--model",
    prompt: PromptWay::Stdin,
    last_args: &["-"],
    env: &[],
    session_vars: &["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_CI", "CODEX_SANDBOX"],
    heed: &[r#""thread.started""#, r#""agent_message""#],
    read,
    quota_exits: &[],
    reports_cost: false,
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
