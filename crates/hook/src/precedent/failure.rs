//! Recognises that a tool or a test just failed: by the client's event, by the exit status, or, where none arrives, by
//! the counts in the output of a test runner.

use stead_evidence::{shown_command, summarise};
use stead_model::{Action, Detail, EventKind};

use crate::orchestrate;
use crate::policy::hash;
use crate::record::cut;
use crate::request::Request;

/// How much of an output is searched, from its end.
const OUTPUT: usize = 64 * 1024;

/// An output that says nothing of this reports no failure.
const SIGNS: &[&str] = &["fail", "Fail", "FAIL", "error", "Error", "ERROR", "not ok", "✗", "✖", "×", "panicked"];

/// A tool or a test that failed.
#[derive(Debug)]
pub(super) struct Failed {
    /// What failed, to see whether it fails again; see [`failure_kind`].
    pub(super) kind: String,
    pub(super) output: String,
    /// The feature that the agent works on.
    pub(super) feature: Option<String>,
    /// A file tool failed, so what is known about the file matters.
    pub(super) is_about_files: bool,
}

/// Names a test, a build or a check in records; commands may contain secrets.
pub fn failure_kind(command: &str) -> String {
    format!("run {:016x}", hash(shown_command(command).as_bytes()))
}

pub(super) fn find(request: &Request<'_>) -> Option<Failed> {
    let event = request.event;
    let call = event.call.as_ref()?;
    let failed = match (event.kind, &event.detail) {
        (EventKind::ToolFailed, Detail::Failed { interrupted: true, .. }) => return None,
        (EventKind::ToolFailed, _) => true,
        (EventKind::AfterTool, _) => false,
        _ => return None,
    };
    let (kind, output) = match &call.action {
        Action::Run { command, .. } if request.could_be_evidence(command) => {
            let outcome = request.outcome();
            let is_red = || match outcome.exit {
                Some(exit) if exit != 0 => true,
                _ => counts_failures(&outcome.output),
            };
            if !failed && !is_red() {
                return None;
            }
            (failure_kind(command), format!("{command}\n{}", end_of(&outcome.output)))
        }
        _ if !failed => return None,
        Action::Run { command, .. } => {
            (tool_kind(&call.tool), format!("{command}\n{}", end_of(&request.outcome().output)))
        }
        _ => (tool_kind(&call.tool), error(&event.detail).to_owned()),
    };
    let feature = orchestrate::own_feature(request);
    let is_about_files = matches!(call.action, Action::Change(_) | Action::Read(_));
    Some(Failed { kind, output, feature, is_about_files })
}

fn tool_kind(tool: &str) -> String {
    format!("tool {}", cut(tool))
}

fn error<'e>(detail: &'e Detail<'_>) -> &'e str {
    match detail {
        Detail::Failed { error: Some(error), .. } => end_of(error),
        _ => "",
    }
}

fn end_of(output: &str) -> &str {
    &output[output.ceil_char_boundary(output.len().saturating_sub(OUTPUT))..]
}

/// Returns true if a test runner's summary counts a failed test.
fn counts_failures(output: &str) -> bool {
    let end = end_of(output);
    SIGNS.iter().any(|sign| end.contains(sign)) && summarise("", end).is_some_and(|counts| counts.failed > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_output_shows_a_failure_without_a_status() {
        let check = |output: &str, expected: bool| assert_eq!(counts_failures(output), expected, "{output}");
        check("test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", true);
        check("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out", false);
        check("===== 2 failed, 1 passed in 0.1s =====", true);
        check("error: something else", false);
        check("", false);
    }
}
