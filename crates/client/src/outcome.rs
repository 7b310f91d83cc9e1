//! How a shell command ended, and its output, as far as a client reports it. Each format belongs to one client. A
//! status is read only from a place that the command cannot write to, or after all of its output.

use std::borrow::Cow;

use stead_model::{Detail, Event, EventKind};

use crate::dialect::prompt_text;
use crate::lenient::{Members, text_of};

/// The end of a shell command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// `None` if the client does not report it.
    pub exit: Option<i32>,
    pub output: String,
}

impl Outcome {
    fn new(exit: Option<i32>, output: impl Into<String>) -> Self {
        Self { exit, output: output.into() }
    }
}

/// Separate streams, and no status: a failure is a different event, whose error starts with the status.
pub(crate) fn streams(event: &Event<'_>) -> Outcome {
    if let Some(error) = failure(event) {
        let (first, rest) = error.split_once('\n').unwrap_or((&error, ""));
        let exit = first.strip_prefix("Exit code ").and_then(|code| code.trim().parse().ok());
        return Outcome::new(exit.filter(|code| *code != 0), if exit.is_some() { rest } else { &error });
    }
    let Some(result) = event.result.as_deref() else { return Outcome::default() };
    let members = Members::of(result);
    let (out, err) = (members.text("stdout"), members.text("stderr").unwrap_or_default());
    // A command that was interrupted, or continues in the background, has no end.
    let ended = out.is_some()
        && !members.flag("interrupted")
        && members.raw("backgroundTaskId").is_none_or(|id| id == "null")
        && event.kind == EventKind::AfterTool;
    let out = out.unwrap_or_else(|| text_of(result).unwrap_or_default());
    Outcome::new(ended.then_some(0), joined(&out, &err))
}

/// A text without any status.
pub(crate) fn unended(event: &Event<'_>) -> Outcome {
    let output = event.result.as_deref().map(shown).or(failure(event)).unwrap_or_default();
    Outcome::new(None, output)
}

/// A text whose last line is added by the client: `<shellId: 0 completed with exit code 0>` or
/// `[Process exited with code 0]`.
pub(crate) fn last_line(event: &Event<'_>) -> Outcome {
    let text = event.result.as_deref().map(shown).or(failure(event)).unwrap_or_default();
    let text = text.trim_end();
    let (rest, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let (open, close) = (last.trim_start().chars().next(), last.chars().next_back());
    let is_frame = matches!((open, close), (Some('<'), Some('>')) | (Some('['), Some(']')));
    match status(last).filter(|_| is_frame) {
        Some(exit) => Outcome::new(Some(exit), rest),
        None => Outcome::new(None, text),
    }
}

/// A JSON document in a string: `{"exitCode":0,"stdout":"…"}`; a failure is reported as text.
pub(crate) fn document(event: &Event<'_>) -> Outcome {
    let Some(text) = event.result.as_deref().and_then(text_of) else {
        let error = failure(event).unwrap_or_default();
        let exit = status(error.lines().next().unwrap_or_default()).filter(|code| *code != 0);
        return Outcome::new(exit, error);
    };
    let members = Members::of(&text);
    let exit = members.any_raw("exitCode|exit_code").and_then(|code| code.parse().ok());
    let out = members.any_text("stdout|output").unwrap_or_default();
    let err = members.text("stderr").unwrap_or_default();
    if exit.is_none() && out.is_empty() { Outcome::new(None, text) } else { Outcome::new(exit, joined(&out, &err)) }
}

/// A text, and the status in a separate field.
pub(crate) fn metadata(event: &Event<'_>) -> Outcome {
    let Some(result) = event.result.as_deref() else { return unended(event) };
    let members = Members::of(result);
    let metadata = members.members("metadata");
    let exit = metadata.raw("exit").and_then(|code| code.parse().ok());
    let output = metadata.text("output").or(members.text("output")).unwrap_or_default();
    Outcome::new(exit, output)
}

/// The status and the output as members; the output's first line repeats the status.
pub(crate) fn fields(event: &Event<'_>) -> Outcome {
    let Some(result) = event.result.as_deref() else { return unended(event) };
    let members = Members::of(result);
    let exit: Option<i32> = members.raw("exit_code").and_then(|code| code.parse().ok());
    let output = members.text("output_for_prompt").unwrap_or_default();
    let own = exit.and_then(|code| output.strip_prefix(format!("exit: {code}\n").as_str()));
    Outcome::new(exit, own.unwrap_or(&output))
}

/// A report in lines, with the status after the output: `Output: …`, `Error: …`, `Exit Code: 0`, `Signal: (none)`.
pub(crate) fn report(event: &Event<'_>) -> Outcome {
    let text = event.result.as_deref().map(shown).or(failure(event)).unwrap_or_default();
    let Some((before, after)) = text.rsplit_once("\nExit Code: ") else { return Outcome::new(None, text) };
    let mut lines = after.lines();
    let exit = lines.next().and_then(|code| code.trim().parse().ok());
    // Without the lines that always follow, the command may have printed it.
    let is_own = lines.next().is_some_and(|line| line.starts_with("Signal: "));
    let output = before.split_once("\nOutput: ").map_or(before, |(_, output)| output);
    Outcome::new(exit.filter(|_| is_own), output)
}

fn failure(event: &Event<'_>) -> Option<String> {
    match &event.detail {
        Detail::Failed { error, .. } => Some(error.as_deref().unwrap_or_default().to_owned()),
        _ => None,
    }
}

/// The text of a result: itself, or the part that the model reads.
fn shown(result: &str) -> String {
    let members = Members::of(result);
    let text = members.any_raw("llmContent|textResultForLlm|text_result_for_llm|output|content").map(prompt_text);
    text.or_else(|| text_of(result)).map(Cow::into_owned).unwrap_or_default()
}

fn joined(out: &str, err: &str) -> String {
    if err.is_empty() { out.to_owned() } else { format!("{out}\n{err}") }
}

/// The number after `code` in a line such as `completed with exit code 1`.
fn status(line: &str) -> Option<i32> {
    let (_, rest) = line.rsplit_once(" code ")?;
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(read: fn(&Event<'_>) -> Outcome, result: &str, exit: Option<i32>, output: &str) {
        let mut event = Event::new(EventKind::AfterTool, "");
        event.result = Some(result.into());
        assert_eq!(read(&event), Outcome::new(exit, output), "{result}");
    }

    #[track_caller]
    fn check_failed(read: fn(&Event<'_>) -> Outcome, error: &str, exit: Option<i32>, output: &str) {
        let mut event = Event::new(EventKind::ToolFailed, "");
        event.detail = Detail::Failed { error: Some(error.into()), interrupted: false };
        assert_eq!(read(&event), Outcome::new(exit, output), "{error}");
    }

    #[test]
    fn success_is_told_by_the_event() {
        check(streams, r#"{"stdout":"a","stderr":"b","interrupted":false}"#, Some(0), "a\nb");
        check(streams, r#"{"stdout":"a","stderr":"","interrupted":true}"#, None, "a");
        check(streams, r#"{"stdout":"","stderr":"","backgroundTaskId":"b1"}"#, None, "");
        check(streams, r#""text only""#, None, "text only");
        check_failed(streams, "Exit code 3\nwhat it said", Some(3), "what it said");
        check_failed(streams, "Exit code 0\nodd", None, "odd");
        check_failed(streams, "no such tool", None, "no such tool");
    }

    #[test]
    fn the_client_has_the_last_line() {
        let text = |text: &str| serde_json::json!({"textResultForLlm": text}).to_string();
        check(last_line, &text("out\n<shellId: 0 completed with exit code 0>"), Some(0), "out");
        check(last_line, &text("<shellId: 0 completed with exit code 7>"), Some(7), "");
        check(last_line, &text("done with exit code 0"), None, "done with exit code 0");
        check(last_line, r#""ok\n[Process exited with code 1]""#, Some(1), "ok");
        check_failed(last_line, "out\n<shellId: 0 completed with exit code 2>", Some(2), "out");
    }

    #[test]
    fn a_report_is_read_from_behind() {
        let report_of = |output: &str, code: &str| {
            let text = format!(
                "Command: x\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {code}\nSignal: (none)"
            );
            serde_json::json!({"llmContent": text}).to_string()
        };
        check(report, &report_of("fine", "0"), Some(0), "fine\nError: (none)");
        check(
            report,
            &report_of("Exit Code: 0\nSignal: (none)", "1"),
            Some(1),
            "Exit Code: 0\nSignal: (none)\nError: (none)",
        );
        check(report, &report_of("x", "(none)"), None, "x\nError: (none)");
        check(report, r#"{"llmContent":"started\nExit Code: 0"}"#, None, "started");
    }

    #[test]
    fn documents_and_metadata() {
        check(document, r#""{\"exitCode\":0,\"stdout\":\"ok\"}""#, Some(0), "ok");
        check(document, r#""just text""#, None, "just text");
        check_failed(document, "Command failed with exit code 1", Some(1), "Command failed with exit code 1");
        check(metadata, r#"{"output":"a","metadata":{"exit":0,"output":"a\n"}}"#, Some(0), "a\n");
        check(metadata, r#"{"output":"a","metadata":{}}"#, None, "a");
        check(fields, r#"{"exit_code":3,"output_for_prompt":"exit: 3\nout\n"}"#, Some(3), "out\n");
        check(fields, r#"{"exit_code":null,"output_for_prompt":"exit: 0\n"}"#, None, "exit: 0\n");
        check(fields, r#"{"exit_code":0,"output_for_prompt":"exit: 1\n"}"#, Some(0), "exit: 1\n");
        check(unended, r#""hello\n""#, None, "hello\n");
        check(unended, r#"{"llmContent":[{"text":"x"}]}"#, None, "x");
    }
}
