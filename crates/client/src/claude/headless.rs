use serde_json::Value;

use crate::headless::Headless;
use crate::report::{Quota, Report, events, is_unavailable, money, text};

pub(super) const HEADLESS: Headless = Headless {
    args: &["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"],
    may: "edits files; runs commands that its settings or `--allowedTools` allow",
    session_vars: &[
        "CLAUDE_PID",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_DATA",
        "AI_AGENT",
    ],
    heed: &[r#""type":"result""#, r#""subtype":"init""#, r#""rate_limit_event""#],
    read,
    reports_cost: true,
    states_quota_end: true,
    ..Headless::PLAIN
};

/// Timestamps greater than this are in milliseconds.
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
            // A session that continues by itself may print several results; the cost is that of the whole session.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_request_says_until_when() {
        let check = |resets: &str, until: Option<i64>| {
            let said = format!(
                r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"rejected","resetsAt":{resets}}}}}
{{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit","total_cost_usd":0.5}}"#
            );
            let report = read(&said);
            assert_eq!(report.quota, Some(Quota { until, reason: "limit".to_owned() }), "{resets}");
            assert_eq!(report.cost_usd, Some(0.5));
        };
        check("1788441600", Some(1_788_441_600));
        check("1788441600000", Some(1_788_441_600));
        check("null", None);
    }

    #[test]
    fn words_about_a_quota_are_only_words() {
        let check = |said: &str, is_quota: bool| assert_eq!(read(said).quota.is_some(), is_quota, "{said}");
        check(r#"{"type":"result","is_error":true,"api_error_status":529,"result":"overloaded"}"#, true);
        check(r#"{"type":"result","is_error":true,"api_error_status":401,"result":"429"}"#, false);
        check("429 Too Many Requests: rate limit\n{\"rate_limit_event\": \"rejected\"}", false);
        let said = r#"{"type":"result","is_error":false,"api_error_status":null,"result":"the \"rate_limit_event\" is rejected, 429"}"#;
        check(said, false);
    }
}
