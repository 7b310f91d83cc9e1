//! Reasons why something proves nothing.

use serde_json::Value;

use crate::Counts;

/// Returns why a command's run is not evidence; `None` if it may be.
pub(crate) fn weakness(exit: Option<i32>, counts: Option<Counts>, output: &str) -> Option<String> {
    match exit {
        None => return Some("its exit status is not known".into()),
        Some(0) => {}
        Some(exit) => return Some(format!("it ended with exit {exit}")),
    }
    if is_empty(output) {
        let why = if output.trim().is_empty() { "its output is empty" } else { "its output is empty JSON" };
        return Some(why.into());
    }
    match counts {
        Some(counts) if counts.failed > 0 => Some(format!("{} failed", plural(counts.failed))),
        Some(counts) if counts.passed == 0 => Some("no test ran".into()),
        _ => None,
    }
}

fn plural(count: u64) -> String {
    if count == 1 { "1 test".into() } else { format!("{count} tests") }
}

/// Returns why an added document is not evidence.
pub(crate) fn emptiness(bytes: &[u8]) -> Option<&'static str> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Some("it is empty");
    }
    let text = std::str::from_utf8(bytes).ok()?;
    is_empty(text).then_some("it is empty JSON")
}

/// Returns true if a text has no content: nothing, or empty JSON.
fn is_empty(text: &str) -> bool {
    let text = text.trim().trim_start_matches('\u{feff}');
    if text.is_empty() {
        return true;
    }
    text.starts_with(['{', '[', 'n', '"']) && serde_json::from_str::<Value>(text).is_ok_and(|value| is_blank(&value))
}

/// Null, an empty list, string or object, or an object whose `data` is one of these.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(members) => {
            members.is_empty() || members.get("data").is_some_and(is_blank) && !has_error(members)
        }
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A response with an error message is not empty.
fn has_error(members: &serde_json::Map<String, Value>) -> bool {
    ["error", "errors"].iter().any(|name| members.get(*name).is_some_and(|error| !is_blank(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &str, expected: Option<&str>) {
        assert_eq!(emptiness(bytes.as_bytes()), expected, "{bytes:?}");
    }

    #[test]
    fn empty_documents_show_nothing() {
        check("", Some("it is empty"));
        check(" \n\t", Some("it is empty"));
        for blank in [
            "[]", "{}", "null", " [ ] ", "\"\"", "[null, {}]", r#"{"data":[]}"#, r#"{"data":null,"ok":true}"#,
            r#"{"data":{"data":""}}"#,
        ] {
            check(blank, Some("it is empty JSON"));
        }
        for full in [
            "x",
            "0",
            "false",
            "[1]",
            r#"{"a":1}"#,
            r#"{"data":[1]}"#,
            r#"{"data":null,"errors":["x"]}"#,
            "{broken",
            "nothing",
        ] {
            check(full, None);
        }
        assert_eq!(emptiness(b"\x89PNG\r\n\x1a\n"), None);
    }

    #[test]
    fn runs_that_prove_nothing() {
        let check = |exit, counts: Option<(u64, u64)>, output: &str, expected: Option<&str>| {
            let counts = counts.map(|(passed, failed)| Counts::of(passed, failed, 0));
            assert_eq!(weakness(exit, counts, output).as_deref(), expected);
        };
        check(Some(0), Some((3, 0)), "3 passed", None);
        check(Some(0), None, "fine", None);
        check(None, Some((3, 0)), "3 passed", Some("its exit status is not known"));
        check(Some(101), Some((3, 0)), "x", Some("it ended with exit 101"));
        check(Some(0), Some((3, 1)), "x", Some("1 test failed"));
        check(Some(0), Some((0, 0)), "x", Some("no test ran"));
        check(Some(0), None, " \n", Some("its output is empty"));
        check(Some(0), None, "[]", Some("its output is empty JSON"));
    }
}
