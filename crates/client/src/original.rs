use std::borrow::Cow;

use stead_model::Event;

use crate::lenient::{Members, text_of};

/// The text of a file before a call changed it, as far as the client's report of the call has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Original {
    /// There was no file.
    Absent,
    Text(String),
}

/// Where a report may have it: the object in the report, and the field in that.
const PLACES: &[(&[&str], &str)] =
    &[(&[], "originalFile"), (&["returnDisplay"], "originalContent"), (&["metadata", "filediff"], "before")];

/// Reads the text before from the report of a call that changed one file. `None` if the client does not report it.
pub fn original(event: &Event<'_>) -> Option<Original> {
    let report = event.result.as_deref()?;
    // Some clients send their report as a text with JSON in it.
    let report = text_of(report).unwrap_or(Cow::Borrowed(report));
    PLACES.iter().find_map(|(path, field)| {
        let mut members = Members::of(&report);
        for name in *path {
            members = Members::of(members.raw(name)?);
        }
        match members.raw(field)? {
            // A large file may be left out; only a report of a new file says that there was none.
            "null" => (members.text("type").as_deref() == Some("create")).then_some(Original::Absent),
            _ => members.text(field).map(|text| Original::Text(text.into_owned())),
        }
    })
}

#[cfg(test)]
mod tests {
    use stead_model::EventKind;

    use super::*;

    #[track_caller]
    fn check(report: &str, expected: Option<Original>) {
        let mut event = Event::new(EventKind::AfterTool, "");
        event.result = Some(report.into());
        assert_eq!(original(&event), expected, "{report}");
    }

    #[test]
    fn a_report_may_have_the_text_before() {
        let text = |text: &str| Some(Original::Text(text.into()));
        check(r#"{"originalFile":"one\ntwo\n","structuredPatch":[]}"#, text("one\ntwo\n"));
        check(r#"{"type":"create","originalFile":null}"#, Some(Original::Absent));
        check(r#"{"type":"update","originalFile":null}"#, None);
        check(r#"{"returnDisplay":{"originalContent":"a"}}"#, text("a"));
        check(r#"{"title":"x","metadata":{"filediff":{"before":"a","after":"b"}}}"#, text("a"));
        check(r#""{\"originalFile\":\"a\"}""#, text("a"));
        check(r#""done""#, None);
        check("{}", None);
        check("not json", None);
    }
}
