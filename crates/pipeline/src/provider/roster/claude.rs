//! Claude Code. Seen on 2.1.325.

use serde_json::Value;

use crate::provider::said::{events, is_unavailable, money, text};
use crate::provider::{Profile, PromptWay, Quota, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "claude",
    program: "claude",
    args: &["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"],
    may: "edits files; runs commands that its settings or `--allowedTools` allow",
    model_flag: "--model",
    prompt: PromptWay::Stdin,
    last_args: &[],
    env: &[],
    session_vars: &[
        "CLAUDECODE",
        "CLAUDE_PID",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_DATA",
        "AI_AGENT",
    ],
    heed: &[r#""type":"result""#, r#""subtype":"init""#, r#""rate_limit_event""#],
    read,
    quota_exits: &[],
    reports_cost: true,
};

/// Later moments than this are in milliseconds.
const MOST_SECONDS: i64 = 100_000_000_000;

fn read(said: &str) -> Report {
    let mut report = Report::default();
    let mut until = None;
    for event in events(said) {
        report.session = text(&event["session_id"]).or(report.session);
        match event["type"].as_str() {
            Some("rate_limit_event") if event["rate_limit_info"]["status"] == "rejected" => {
                let resets = event["rate_limit_info"]["resetsAt"].as_i64();
                until = resets.map(|moment| if moment > MOST_SECONDS { moment / 1000 } else { moment });
                report.quota = Some(Quota { until, reason: "its rate limit rejected the request".to_owned() });
            }
            // A session that goes on by itself may give several results; costs are of the whole session.
            Some("result") => result(&event, until, &mut report),
            _ => {}
        }
    }
    report
}

fn result(event: &Value, until: Option<i64>, report: &mut Report) {
    report.cost_usd = money(&event["total_cost_usd"]).or(report.cost_usd);
    if event["is_error"] != true {
        report.message = text(&event["result"]);
    } else if is_unavailable(&event["api_error_status"]) {
        let reason = text(&event["result"]).unwrap_or_else(|| format!("HTTP status {}", event["api_error_status"]));
        report.quota = Some(Quota { until, reason });
    }
}
