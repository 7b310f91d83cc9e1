//! It reports neither tokens nor cost, and accepts its prompt only as an argument.

use crate::headless::{Headless, PromptWay};
use crate::report::{Quota, Report, events, is_unavailable, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["--output-format", "stream-json"],
    may: "edits files and runs commands: headless it asks nothing",
    prompt: PromptWay::Argument("-p"),
    heed: &[r#""role":"assistant""#, r#""session_id""#, r#""turn.step.retrying""#],
    read,
    ..Headless::PLAIN
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        match event["role"].as_str() {
            Some("assistant") => {
                report.message = text(&event["content"]).or(report.message);
                report.quota = None;
            }
            // It retries several times and then gives up silently.
            Some("meta") if is_unavailable(&event["status_code"]) => {
                report.quota = Some(Quota::stated(&event["error_message"], None));
            }
            Some("meta") => report.session = text(&event["session_id"]).or(report.session),
            _ => {}
        }
    }
    report
}
