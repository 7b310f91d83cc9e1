//! It has no permissions: every tool it offers is allowed.

use serde_json::Value;

use crate::headless::{Headless, PromptWay};
use crate::report::{Report, events, money, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["--mode", "json"],
    may: "edits files and runs commands without asking",
    prompt: PromptWay::Argument("-p"),
    session_vars: &["PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"],
    heed: &[r#""type":"session""#, r#""type":"message_end""#],
    read,
    reports_cost: true,
    ..Headless::PLAIN
};

fn read(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        match event["type"].as_str() {
            Some("session") => report.session = text(&event["id"]).or(report.session),
            Some("message_end") if event["message"]["role"] == "assistant" => {
                let message = &event["message"];
                report.message = message["content"].as_array().and_then(|parts| last_text(parts)).or(report.message);
                let cost = money(&message["usage"]["cost"]["total"]);
                report.cost_usd = cost.map(|cost| cost + report.cost_usd.unwrap_or_default()).or(report.cost_usd);
            }
            _ => {}
        }
    }
    report
}

fn last_text(parts: &[Value]) -> Option<String> {
    parts.iter().rev().find_map(|part| text(&part["text"]))
}
