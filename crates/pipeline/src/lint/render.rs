use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use super::{Finding, Severity};

/// Renders a finding with its line, like a compiler. Plain text of at most 80 columns if the line fits.
pub fn render(finding: &Finding) -> String {
    let Finding { code, severity, file, at, message, hint, .. } = finding;
    let level = if *severity == Severity::Error { Level::ERROR } else { Level::WARNING };
    let title = level.primary_title(message.as_str()).id(code.to_string());
    let mut group: Group<'_> = match file.text.is_empty() {
        true => title.element(annotate_snippets::Origin::path(file.name.as_str())),
        false => {
            let (from, line) = excerpt(&file.text, at.start);
            let shown = &file.text[from..];
            let span = span(shown, at.start - from, at.end - from);
            let snippet = Snippet::source(shown).line_start(line).path(file.name.as_str());
            title.element(snippet.annotation(AnnotationKind::Primary.span(span)))
        }
    };
    if let Some(hint) = hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    Renderer::plain().term_width(80).render(&[group])
}

/// The start of the excerpt and its line number, so that the renderer need not process a long file from its start.
fn excerpt(text: &str, start: usize) -> (usize, usize) {
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    (start, text[..start].matches('\n').count() + 1)
}

/// A range within its first line, and at least one character wide if possible.
fn span(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = end.min(line_end);
    if end > start {
        return start..end;
    }
    start..start + text[start..line_end].chars().next().map_or(0, char::len_utf8)
}

/// The findings in one line each, with positions; equal messages about one file are combined.
pub fn brief(findings: &[Finding]) -> Vec<String> {
    let mut told: Vec<(&Finding, Vec<usize>)> = Vec::new();
    for finding in findings {
        let same = |(other, _): &&mut (&Finding, Vec<usize>)| {
            (other.code, &other.file.name, &other.message) == (finding.code, &finding.file.name, &finding.message)
        };
        match told.iter_mut().find(same) {
            Some((_, lines)) if lines.contains(&finding.line) => {}
            Some((_, lines)) => lines.push(finding.line),
            None => told.push((finding, vec![finding.line])),
        }
    }
    let line = |(finding, lines): (&Finding, Vec<usize>)| match lines.as_slice() {
        [_] => finding.brief(),
        [first, rest @ ..] => {
            let rest: Vec<String> = rest.iter().map(usize::to_string).collect();
            let Finding { file, message, code, .. } = finding;
            format!("{}:{first}: {message} [{code}] (also in line {})", file.name, rest.join(", "))
        }
        [] => String::new(),
    };
    told.into_iter().map(line).collect()
}

/// The findings as JSON.
pub fn as_json(findings: &[Finding]) -> Value {
    let one = |finding: &Finding| {
        json!({
            "code": finding.code.to_string(),
            "severity": finding.severity.name(),
            "path": finding.file.name,
            "line": finding.line,
            "column": finding.column,
            "message": finding.message,
            "hint": finding.hint,
        })
    };
    Value::Array(findings.iter().map(one).collect())
}
