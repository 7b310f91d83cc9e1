//! Whether a guard could match a command that was too long or too deeply nested to read: its names occur in the text,
//! or it names nothing.

use stead_model::Action;
use stead_pattern::Pattern;

use crate::asked::Inquiry;
use crate::condition::{Clause, Condition, FileClause};
use crate::guard::Guard;
use crate::mode::Mode;
use crate::pattern::ArgvPattern;
use crate::subject::Subject;
use crate::then::Then;

/// Why a guard cannot judge a command that was given up; `None` if it does not match the command.
pub(crate) fn unreadable(inquiry: &Inquiry<'_>, guard: &Guard) -> Result<Option<String>, String> {
    if !matches!(guard.then, Then::Deny | Then::Ask) {
        return Ok(None);
    }
    let mut by_effect = false;
    guard.matches.each(&mut |clause| by_effect |= clause.is_effect());
    if !by_effect || !concerns(inquiry, &guard.matches) {
        return Ok(None);
    }
    // An exception that does not depend on effects can still be evaluated.
    let mut excuse_by_effect = false;
    guard.unless.each(&mut |clause| excuse_by_effect |= clause.is_effect());
    let nobody = Subject { unknown: true, ..Subject::default() };
    if !guard.unless.is_empty() && !excuse_by_effect && inquiry.condition(&guard.unless, Some(&nobody))?.is_some() {
        return Ok(None);
    }
    Ok(Some("the command is too long or too deeply nested to read; split it".to_owned()))
}

/// Returns true if an enforced guard blocks by what a call does.
pub(crate) fn judges_effects(guard: &Guard) -> bool {
    let mut by_effect = false;
    guard.matches.each(&mut |clause| by_effect |= clause.is_effect());
    by_effect && guard.mode == Mode::Enforce && matches!(guard.then, Then::Deny | Then::Ask)
}

/// What a command that downloads something contains.
const DOWNLOADERS: &[&str] = &["://", "curl", "wget"];

fn concerns(inquiry: &Inquiry<'_>, condition: &Condition) -> bool {
    condition.0.iter().all(|clause| match clause {
        Clause::Files(files) => names_file(inquiry.raw(), files),
        Clause::Runs(patterns) => patterns
            .iter()
            .filter_map(|text| ArgvPattern::parse(text))
            .any(|pattern| pattern.program().split('|').any(|program| holds(inquiry.raw(), literals(program)))),
        Clause::Git(_) => inquiry.raw().contains("git"),
        Clause::Network(hosts) => {
            hosts.iter().any(|host| !host.starts_with('!') && holds(inquiry.raw(), literals(host)))
        }
        Clause::RunsDownload(_) => DOWNLOADERS.iter().any(|name| inquiry.raw().contains(name)),
        Clause::Sql(patterns) => patterns
            .iter()
            .filter_map(|text| ArgvPattern::parse(text))
            .any(|pattern| pattern.program().split('|').any(|word| holds(inquiry.raw(), literals(word)))),
        Clause::Mcp(_) | Clause::Spawn(_) => !is_shell(inquiry),
        Clause::Any(parts) => parts.iter().any(|part| concerns(inquiry, part)),
        Clause::All(parts) => parts.iter().all(|part| concerns(inquiry, part)),
        Clause::Not(_) => true,
        // Clauses that do not depend on effects are still known. If they fail, that is reported elsewhere.
        other => inquiry.condition(&Condition(vec![other.clone()]), None).is_ok_and(|held| held.is_some()),
    })
}

fn is_shell(inquiry: &Inquiry<'_>) -> bool {
    inquiry.asked.event.call.as_ref().is_some_and(|call| matches!(call.action, Action::Run { .. }))
}

fn names_file(raw: &str, files: &FileClause) -> bool {
    let mut positive = files.paths.iter().filter(|pattern| !pattern.starts_with('!')).peekable();
    positive.peek().is_none()
        || positive.any(|pattern| match Pattern::parse(pattern) {
            Pattern::Outside | Pattern::Root => true,
            Pattern::Home(text) | Pattern::Absolute(text) | Pattern::Anchored(text) | Pattern::Anywhere(text) => {
                holds(raw, text.split('/').flat_map(literals))
            }
        })
}

/// The literal texts of a pattern.
fn literals(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split(['*', '?', '[', ']']).filter(|text| !text.is_empty())
}

/// Returns true if one of the texts occurs; a pattern without any may match everything.
fn holds<'t>(raw: &str, texts: impl Iterator<Item = &'t str>) -> bool {
    let mut texts = texts.peekable();
    texts.peek().is_none() || texts.any(|text| raw.contains(&text.to_lowercase()))
}
