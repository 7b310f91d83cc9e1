//! Cursor's agent. From its documentation: it does not run without an account.

use crate::provider::said::{events, text};
use crate::provider::{Profile, PromptWay, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "cursor",
    program: "cursor-agent",
    args: &["-p", "--output-format", "stream-json", "--force"],
    may: "edits files and runs commands that its settings do not deny; without `--force` it only proposes",
    model_flag: "--model",
    prompt: PromptWay::Argument("--"),
    last_args: &[],
    env: &[],
    session_vars: &["CURSOR_AGENT", "CURSOR_PROJECT_DIR", "CURSOR_TRACE_ID"],
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
