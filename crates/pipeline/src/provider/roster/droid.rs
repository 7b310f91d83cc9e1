//! Factory Droid. From its documentation: it does not run without an account.

use crate::provider::said::{events, text};
use crate::provider::{Profile, PromptWay, Report};

pub(super) const PROFILE: Profile = Profile {
    name: "droid",
    program: "droid",
    args: &["exec", "--auto", "low", "--output-format", "stream-json"],
    may: "edits files and runs commands that it knows to be harmless; `--auto medium` allows more",
    model_flag: "--model",
    prompt: PromptWay::File("--file"),
    last_args: &[],
    env: &[],
    session_vars: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
    heed: &[r#""session_id""#, r#""type":"result""#, r#""type":"completion""#],
    read,
    quota_exits: &[],
    reports_cost: false,
};

/// Its versions end with a `result` or with a `completion`.
fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        report.session = text(&event["session_id"]).or(report.session);
        match event["type"].as_str() {
            Some("result") if event["is_error"] != true => report.message = text(&event["result"]),
            Some("completion") => report.message = text(&event["finalText"]),
            _ => {}
        }
    }
    report
}
