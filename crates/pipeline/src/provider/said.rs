//! Reading the lines that a program puts out for other programs.

use serde_json::Value;

/// The lines that are JSON objects; whatever else a program prints is passed over.
pub(crate) fn events(said: &str) -> impl DoubleEndedIterator<Item = Value> {
    let objects = said.lines().filter(|line| line.trim_start().starts_with('{'));
    objects.filter_map(|line| serde_json::from_str(line).ok())
}

pub(crate) fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An amount of money; nonsense is none.
pub(crate) fn money(value: &Value) -> Option<f64> {
    value.as_f64().filter(|amount| amount.is_finite() && *amount >= 0.0)
}

/// Says whether an HTTP status means that the provider cannot work for now: too many requests, or an outage.
pub(crate) fn is_unavailable(status: &Value) -> bool {
    matches!(status.as_u64(), Some(429 | 502 | 503 | 504 | 529))
}
