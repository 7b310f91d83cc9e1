//! The lines of programs that report each step of a run: its text, its cost, its error.

use serde_json::Value;

use crate::report::{Quota, Report, events, is_unavailable, money, text};

/// The kinds of lines that [`read`] needs.
pub(crate) const HEED: &[&str] = &[r#""type":"text""#, r#""type":"step_finish""#, r#""type":"error""#];

pub(crate) fn read(said: &str) -> Report {
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

/// Its server may have stated for how many seconds.
fn quota(event: &Value) -> Quota {
    let data = &event["error"]["data"];
    let wait = data["responseHeaders"]["retry-after"].as_str().and_then(|seconds| seconds.parse::<i64>().ok());
    let at = event["timestamp"].as_i64().map(|millis| millis / 1000);
    let until = at.zip(wait).and_then(|(at, wait)| at.checked_add(wait));
    Quota::stated(&data["message"], until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_wait_is_added_to_the_moment() {
        let stated = r#"{"type":"error","timestamp":1794784771925,"error":{"data":{"statusCode":429,"responseHeaders":{"retry-after":"60"}}}}"#;
        assert_eq!(read(stated).quota, Some(Quota { until: Some(1_794_784_831), reason: "unavailable".to_owned() }));
    }
}
