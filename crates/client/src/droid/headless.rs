//! As it ran without an account, with a model of its own settings.

use crate::headless::{Headless, PromptWay};
use crate::report::{Report, events, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["exec", "--auto", "low", "--output-format", "stream-json"],
    may: "edits files and runs commands that it knows to be harmless; `--auto medium` allows more",
    prompt: PromptWay::File("--file"),
    heed: &[r#""session_id""#, r#""type":"result""#, r#""type":"completion""#],
    read,
    ..Headless::PLAIN
};

/// One output format ends with a `result`, this one with a `completion`. An exhausted quota is told in prose only.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_end_differently() {
        let result = r#"{"type":"result","is_error":false,"result":"done","session_id":"s1"}"#;
        let report = read(result);
        assert_eq!((report.message.as_deref(), report.session.as_deref()), (Some("done"), Some("s1")));
    }
}
