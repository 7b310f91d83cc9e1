//! What an agent program reports in machine-readable lines. Its prose is never searched.

use serde_json::Value;

/// What an agent program reported about its work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The agent's last message.
    pub message: Option<String>,
    pub cost_usd: Option<f64>,
    /// The client's own session id.
    pub session: Option<String>,
    /// The model's provider is temporarily unavailable, by a machine-readable report.
    pub quota: Option<Quota>,
}

/// An exhausted quota, or an outage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// When it ends, in seconds since 1970, if the provider stated it.
    pub until: Option<i64>,
    /// The provider's own words.
    pub reason: String,
}

impl Quota {
    /// A quota with the provider's message, if there is one.
    pub(crate) fn stated(message: &Value, until: Option<i64>) -> Self {
        Self { until, reason: text(message).unwrap_or_else(|| "unavailable".to_owned()) }
    }
}

/// The lines that are JSON objects; everything else is skipped.
pub(crate) fn events(said: &str) -> impl DoubleEndedIterator<Item = Value> {
    let objects = said.lines().filter(|line| line.trim_start().starts_with('{'));
    objects.filter_map(|line| serde_json::from_str(line).ok())
}

/// Reads the stream that ends with a `result`, as most programs write it.
pub(crate) fn result_lines(said: &str) -> Report {
    let mut report = Report::default();
    for event in events(said) {
        report.session = text(&event["session_id"]).or(report.session);
        if event["type"] == "result" && event["is_error"] != true {
            report.message = text(&event["result"]);
        }
    }
    report
}

pub(crate) fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An amount of money; an implausible one is ignored.
pub(crate) fn money(value: &Value) -> Option<f64> {
    value.as_f64().filter(|amount| amount.is_finite() && *amount >= 0.0)
}

/// Returns true if an HTTP status means that the provider is temporarily unavailable: too many requests, or an outage.
pub(crate) fn is_unavailable(status: &Value) -> bool {
    matches!(status.as_u64(), Some(429 | 502 | 503 | 504 | 529))
}
