//! Decides whether a guard may grant a permission request: only if it matches everything that would happen, because the
//! person is no longer asked.

use stead_model::{Action, Coverage, Gap, Op};

use crate::asked::Inquiry;
use crate::condition::Clause;
use crate::guard::Guard;
use crate::subject::Subject;

/// How many letters of a sub-command identify it in a gap; and from how many gaps on some may be missing.
const GAP: usize = 60;
const GAPS: usize = 16;

/// Returns true if the guard matched everything.
pub(crate) fn is_whole(inquiry: &Inquiry<'_>, guard: &Guard, subjects: &[Subject]) -> bool {
    let Some(call) = &inquiry.asked.event.call else { return true };
    let mut by_effect = false;
    let mut by_tool = false;
    guard.matches.each(&mut |clause| {
        by_effect |= clause.is_effect();
        by_tool |= matches!(clause, Clause::Mcp(_) | Clause::Spawn(_));
    });
    // A guard that names only a tool matches whatever it does.
    if !by_effect {
        return true;
    }
    match &call.action {
        Action::Run { command, .. } => all_runs(inquiry, command, subjects),
        Action::Mcp { .. } | Action::Spawn { .. } if by_tool => true,
        _ => inquiry.effects().coverage == Coverage::Full && all_effects(inquiry, subjects),
    }
}

fn all_runs(inquiry: &Inquiry<'_>, command: &str, subjects: &[Subject]) -> bool {
    let effects = inquiry.effects();
    // What an allowed program does internally is allowed; nothing else may be unknown.
    let parts: Vec<String> = subjects.iter().map(|one| one.part.chars().take(GAP).collect()).collect();
    let is_meant = |gap: &Gap| parts.iter().any(|part| !part.is_empty() && gap.part.starts_with(part.as_str()));
    let open = effects.gave_up || effects.gaps.len() >= GAPS || !effects.gaps.iter().all(is_meant);
    if open || !all_effects(inquiry, subjects) {
        return false;
    }
    let found: Vec<&[String]> = subjects.iter().filter_map(|subject| argv(inquiry, subject)).collect();
    // The text is compared, too: a leading variable changes what the command does.
    let Some(commands) = plain_commands(command) else { return false };
    commands.iter().all(|words| is_near_step(words) || found.contains(&words.as_slice()))
        && commands.iter().any(|words| !is_near_step(words))
}

/// Returns true if every effect was matched, or belongs to a program that was.
fn all_effects(inquiry: &Inquiry<'_>, subjects: &[Subject]) -> bool {
    let list = &inquiry.effects().list;
    let parts: Vec<&str> =
        subjects.iter().filter(|subject| argv(inquiry, subject).is_some()).map(|one| one.part.as_str()).collect();
    list.iter().enumerate().all(|(at, effect)| {
        let found = subjects.iter().any(|subject| subject.effect == Some(at));
        match &effect.op {
            Op::Run { argv, .. } => found && argv.first().is_some_and(|program| !program.contains(['/', '\\'])),
            _ => found || parts.contains(&effect.part.as_str()),
        }
    })
}

fn argv<'i>(inquiry: &'i Inquiry<'_>, subject: &Subject) -> Option<&'i [String]> {
    match &inquiry.effects().list.get(subject.effect?)?.op {
        Op::Run { argv, .. } => Some(argv),
        _ => None,
    }
}

/// A change to a folder below the current one.
fn is_near_step(words: &[String]) -> bool {
    matches!(words, [cd, folder] if cd == "cd"
        && !folder.starts_with(['/', '~', '-'])
        && !folder.split('/').any(|name| name == ".."))
}

/// The commands of a line that consists only of words and quotes; `None` for any other.
fn plain_commands(text: &str) -> Option<Vec<Vec<String>>> {
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = text.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        end if end == c => break,
                        '$' | '`' | '\\' | '!' if c == '"' => return None,
                        inner => word.push(inner),
                    }
                }
            }
            ' ' | '\t' => commands.last_mut()?.extend(word.take()),
            ';' | '\n' | '&' | '|' => {
                // A single `&` or `|` is not `&&` or `||`.
                if matches!(c, '&' | '|') && chars.next()? != c {
                    return None;
                }
                commands.last_mut()?.extend(word.take());
                commands.push(Vec::new());
            }
            '$' | '`' | '\\' | '<' | '>' | '(' | ')' | '{' | '}' | '*' | '?' | '[' | '~' | '!' | '#' => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    commands.last_mut()?.extend(word.take());
    commands.retain(|words| !words.is_empty());
    (!commands.is_empty()).then_some(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_lines_are_taken_apart() {
        let check = |text: &str, expected: Option<&[&[&str]]>| {
            let found = plain_commands(text);
            let found: Option<Vec<Vec<&str>>> = found
                .as_ref()
                .map(|commands| commands.iter().map(|words| words.iter().map(String::as_str).collect()).collect());
            let expected = expected.map(|commands| commands.iter().map(|words| words.to_vec()).collect::<Vec<_>>());
            assert_eq!(found, expected, "{text}");
        };
        check("cargo test", Some(&[&["cargo", "test"]]));
        check("cargo test -- 'a b'", Some(&[&["cargo", "test", "--", "a b"]]));
        check("cd a && cargo test;", Some(&[&["cd", "a"], &["cargo", "test"]]));
        check("a || b", Some(&[&["a"], &["b"]]));
        for odd in
            ["a > b", "a $(b)", "a `b`", "a & b", "a | b", "a \"$b\"", "a 'b", "(a)", "a *", "a &", "", "a \\; b"]
        {
            check(odd, None);
        }
    }
}
