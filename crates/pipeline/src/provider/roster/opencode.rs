//! OpenCode. Seen on 1.18.33. Its permissions are in its own settings, which allow edits and commands by default.

use serde_json::Value;

use crate::provider::said::{events, is_unavailable, money, text};
use crate::provider::{Profile, PromptWay, Quota, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "opencode",
    program: "opencode",
    args: &["run", "--format", "json"],
    may: "what its settings allow: by default edits and commands in the project",
    model_flag: "--model",
    prompt: PromptWay::Stdin,
    last_args: &[],
    env: &[],
    session_vars: &["OPENCODE", "OPENCODE_PID", "AGENT"],
    heed: &[r#""type":"text""#, r#""type":"step_finish""#, r#""type":"error""#],
    read,
    quota_exits: &[],
    reports_cost: true,
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        report.session = text(&event["sessionID"]).or(report.session);
        match event["type"].as_str() {
            Some("text") => report.message = text(&event["part"]["text"]).or(report.message),
            Some("step_finish") => {
                let step = money(&event["part"]["cost"]);
                report.cost_usd = step.map(|cost| cost + report.cost_usd.unwrap_or_default()).or(report.cost_usd);
            }
            Some("error") if is_unavailable(&event["error"]["data"]["statusCode"]) => {
                report.quota = Some(quota(&event));
            }
            _ => {}
        }
    }
    report
}

/// Its server may have said for how many seconds.
fn quota(event: &Value) -> Quota {
    let data = &event["error"]["data"];
    let wait = data["responseHeaders"]["retry-after"].as_str().and_then(|seconds| seconds.parse::<i64>().ok());
    let at = event["timestamp"].as_i64().map(|millis| millis / 1000);
    let until = at.zip(wait).and_then(|(at, wait)| at.checked_add(wait));
    Quota { until, reason: text(&data["message"]).unwrap_or_else(|| "unavailable".to_owned()) }
}
