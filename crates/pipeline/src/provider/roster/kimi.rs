//! Kimi Code. Seen on 2.1.0. It tells neither tokens nor money, and takes its prompt as an argument only.

use crate::provider::said::{events, is_unavailable, text};
use crate::provider::{Profile, PromptWay, Quota, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "kimi",
    program: "kimi",
    args: &["--output-format", "stream-json"],
    may: "edits files and runs commands: headless it asks nothing",
    model_flag: "--model",
    prompt: PromptWay::Argument("-p"),
    last_args: &[],
    env: &[],
    session_vars: &[],
    heed: &[r#""role":"assistant""#, r#""session_id""#, r#""turn.step.retrying""#],
    read,
    quota_exits: &[],
    reports_cost: false,
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        match event["role"].as_str() {
            Some("assistant") => {
                report.message = text(&event["content"]).or(report.message);
                report.quota = None;
            }
            // It tries several times and then gives up without a further word.
            Some("meta") if is_unavailable(&event["status_code"]) => {
                let reason = text(&event["error_message"]).unwrap_or_else(|| "unavailable".to_owned());
                report.quota = Some(Quota { until: None, reason });
            }
            Some("meta") => report.session = text(&event["session_id"]).or(report.session),
            _ => {}
        }
    }
    report
}
