//! Messages about lines that a person must change.

use super::edit::Edits;
use super::stage::ending;
use stead_pipeline::lint::{Findings, Severity};
use stead_yaml::Entry;

/// Names the line of an older key, why it was not rewritten, and what to write instead.
pub(crate) fn by_hand(edits: &Edits<'_>, entry: &Entry, why: &str) -> String {
    let write = match entry.key.as_str() {
        "completion" => format!("write `termination: {{type: {}}}` by hand", ending(entry)),
        "min_iterations" => "write it below `termination` by hand".to_owned(),
        "max_iterations" => "write it below `guardrails` by hand".to_owned(),
        "output" => "write `output: <path>` by hand".to_owned(),
        _ => "remove it by hand".to_owned(),
    };
    format!("line {}: `{}` {why}; {write}", edits.line(entry.key_at.start), entry.key)
}

/// Names the line that prevents a rewrite, because the rewrite would change what the file means: the first error, else
/// the first deprecated line.
pub(crate) fn left(findings: &Findings) -> String {
    let first = |severity| findings.list.iter().find(move |finding| finding.severity == severity);
    match first(Severity::Error).or_else(|| first(Severity::Deprecation)) {
        Some(finding) if finding.is_error() => {
            format!("line {}: {}; fix it and try again", finding.line, finding.message)
        }
        Some(finding) => format!(
            "line {}: {}; its form is unusual and a rewrite would change what the file means; change it by hand (see \
             {} in `docs/lint.md`)",
            finding.line, finding.message, finding.code
        ),
        None => "a rewrite would change what it means".to_owned(),
    }
}
