//! A guard's message: its text with placeholders replaced, and the part of the command that it matched.

use stead_model::Action;

use crate::asked::Inquiry;
use crate::condition::Clause;
use crate::guard::Guard;
use crate::guard_facts::{EvidenceState, TestRuns};
use crate::subject::Subject;

/// What `stead guard new` writes as `say`, to be replaced.
pub const PLACEHOLDER: &str = "Say why not, and what to do instead.";

/// Returns true if the text is still the placeholder.
pub(crate) fn is_placeholder(say: &str) -> bool {
    say.trim() == PLACEHOLDER || !say.contains(char::is_alphanumeric)
}

/// The placeholders of a `say`.
const NAMES: &[&str] = &["path", "command", "part", "feature", "tests"];

/// The names in braces that are not replaced.
pub(crate) fn unknown_names(say: &str) -> Vec<&str> {
    let named = say.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    named.filter(is_name).filter(|name| !NAMES.contains(name)).collect()
}

/// Why a guard matched, or could not be evaluated.
pub(crate) fn because(subjects: &[Subject], error: Option<&str>) -> String {
    if let Some(error) = error {
        return format!("it could not be judged: {error}");
    }
    let first = subjects.first().map_or("", |subject| subject.because.as_str());
    match subjects.len() {
        0 | 1 => first.to_owned(),
        more => format!("{first}, and {} more", more - 1),
    }
}

/// A guard's message about one subject, with the part of the command.
pub(crate) fn words(inquiry: &Inquiry<'_>, guard: &Guard, subject: &Subject, error: Option<&str>) -> String {
    if subject.unknown && error.is_none() {
        let because = &subject.because;
        return format!(
            "{because}. Guards check the content of this file: edit it with the file tool, or write the whole file"
        );
    }
    let mut text = fill(&guard.say, subject);
    if text.contains(TESTS) {
        text = text.replace(TESTS, &tests(inquiry));
    }
    if let Some(error) = error {
        return format!("{text} (it could not be judged: {error}; on_error is {})", guard.on_error.name());
    }
    let mut about = subject.because.clone();
    if !subject.part.is_empty() && !about.contains(&subject.part) && !is_the_file(inquiry, subject) {
        if !about.is_empty() {
            about.push_str(", by ");
        }
        about.push_str(&format!("`{}`", subject.part));
    }
    if !about.is_empty() {
        text.push_str(&format!(" ({about})"));
    }
    if asks_evidence(guard)
        && let Ok(EvidenceState::None { why } | EvidenceState::Stale { why }) = inquiry.standing(Some(subject))
        && !why.trim().is_empty()
    {
        text.push_str(&format!(" {}", why.trim()));
    }
    text
}

/// The placeholder for the calling agent's test runs.
const TESTS: &str = "{tests}";

fn tests(inquiry: &Inquiry<'_>) -> String {
    match inquiry.facts.test_runs().unwrap_or_default() {
        TestRuns { ran: 0, .. } => "no test has run yet".to_owned(),
        TestRuns { ran: 1, passed: 0 } => "a test has run, but it did not pass".to_owned(),
        TestRuns { ran, passed: 0 } => format!("tests have run {ran} times, but never passed"),
        TestRuns { ran: 1, .. } => "a test has run".to_owned(),
        TestRuns { ran, .. } => format!("tests have run {ran} times"),
    }
}

/// Returns true if the part is only a file tool's path, which the message already names.
fn is_the_file(inquiry: &Inquiry<'_>, subject: &Subject) -> bool {
    let is_shell = inquiry.asked.event.call.as_ref().is_some_and(|call| matches!(call.action, Action::Run { .. }));
    subject.path.as_deref().is_some_and(|path| {
        let rest = subject.part.strip_suffix(path);
        rest.is_some_and(|rest| rest.is_empty() || (!is_shell && rest.ends_with('/')))
    })
}

fn asks_evidence(guard: &Guard) -> bool {
    let mut asks = false;
    guard.unless.each(&mut |clause| asks |= matches!(clause, Clause::Evidence(_)));
    asks
}

/// Replaces placeholders; an unknown value becomes a generic word.
fn fill(text: &str, subject: &Subject) -> String {
    let mut filled = text.to_owned();
    for (name, value, otherwise) in [
        ("{path}", subject.path.as_deref(), "the file"),
        ("{command}", subject.command.as_deref(), "the command"),
        ("{part}", Some(subject.part.as_str()).filter(|part| !part.is_empty()), "this call"),
        ("{feature}", subject.feature.as_deref(), "a feature"),
    ] {
        if filled.contains(name) {
            filled = filled.replace(name, value.unwrap_or(otherwise));
        }
    }
    filled
}
