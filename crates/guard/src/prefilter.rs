//! Literals that must occur before a guard is worth reading. They stand in the index of the compiled guards, so that
//! hundreds of guards cost little more than a few.

use stead_model::{Deed, Effect, Target};

use crate::condition::{Clause, Condition, FileClause, FileDeed};
use crate::pattern::{ArgvPattern, PathPattern, is_open};

/// Between atoms, and between the parts of one; no guard file can hold them.
const SPLIT: char = '\u{1f}';
const INNER: char = '\u{1e}';

/// What must be true of a call before its effects are worked out: tool names, and paths that exist.
pub(crate) fn before_effects(condition: &Condition) -> String {
    let mut needs = Vec::new();
    for clause in &condition.0 {
        match clause {
            Clause::Tool(names) if names.iter().all(|name| !name.starts_with('!')) => {
                needs.push(format!("t{}", names.join(&INNER.to_string())));
            }
            Clause::Exists(paths) => needs.push(format!("e{}", paths.join(&INNER.to_string()))),
            _ => {}
        }
    }
    needs.join(&SPLIT.to_string())
}

/// A need of [`before_effects`], read back.
pub(crate) enum Need<'a> {
    Tool(Vec<&'a str>),
    Exists(Vec<&'a str>),
}

pub(crate) fn needs(text: &str) -> impl Iterator<Item = Need<'_>> {
    text.split(SPLIT).filter_map(|need| {
        let rest = |mark| need.strip_prefix(mark).map(|rest| rest.split(INNER).collect());
        rest('t').map(Need::Tool).or_else(|| rest('e').map(Need::Exists))
    })
}

/// The effects of which a call must have one; empty when it may have none.
pub(crate) fn atoms(condition: &Condition) -> String {
    best(condition).unwrap_or_default().join(&SPLIT.to_string())
}

/// The shortest list of atoms of which one must occur; `None` when there is no such list.
fn best(condition: &Condition) -> Option<Vec<String>> {
    condition.0.iter().filter_map(of_clause).min_by_key(|atoms| (atoms.iter().any(|atom| atom.len() < 3), atoms.len()))
}

fn of_clause(clause: &Clause) -> Option<Vec<String>> {
    match clause {
        Clause::Runs(patterns) => Some(
            patterns
                .iter()
                .filter_map(|text| ArgvPattern::parse(text))
                .flat_map(|pattern| pattern.program().split('|').map(program).collect::<Vec<_>>())
                .collect(),
        ),
        Clause::Git(_) => Some(vec!["g".to_owned()]),
        Clause::Network(_) => Some(vec!["n".to_owned()]),
        Clause::Mcp(_) => Some(vec!["m".to_owned()]),
        Clause::Spawn(_) => Some(vec!["s".to_owned()]),
        Clause::Files(files) => Some(of_files(files)),
        // One part that may hold without any effect spoils the whole list.
        Clause::Any(parts) => parts.iter().map(best).collect::<Option<Vec<_>>>().map(|lists| lists.concat()),
        Clause::All(parts) => parts.iter().filter_map(best).min_by_key(Vec::len),
        _ => None,
    }
}

fn program(name: &str) -> String {
    let fixed = name.split(['*', '?', '[']).next().unwrap_or("");
    format!("x{}", fixed.to_ascii_lowercase())
}

fn of_files(files: &FileClause) -> Vec<String> {
    let letter = match files.deed {
        FileDeed::Writes => 'w',
        FileDeed::Deletes => 'd',
        FileDeed::Reads => 'r',
    };
    let positive: Vec<&String> = files.paths.iter().filter(|pattern| !pattern.starts_with('!')).collect();
    if positive.is_empty() {
        return vec![letter.to_string()];
    }
    positive
        .into_iter()
        .map(|pattern| match PathPattern::parse(pattern) {
            PathPattern::Anchored(text) => format!("{letter}{}{INNER}{}", start(text), end(text)),
            PathPattern::Anywhere(text) => format!("{letter}{INNER}{}", end(text)),
            _ => letter.to_string(),
        })
        .collect()
}

/// The names in front without wildcards.
fn start(pattern: &str) -> String {
    let fixed: Vec<&str> = pattern.split('/').take_while(|name| !is_open(name) && name.is_ascii()).collect();
    fixed.join("/").to_ascii_lowercase()
}

/// What the last name ends with, behind all wildcards.
fn end(pattern: &str) -> String {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    let tail = name.rsplit(['*', '?', ']']).next().unwrap_or("");
    if tail.is_ascii() { tail.to_ascii_lowercase() } else { String::new() }
}

/// Says whether one of the atoms occurs among the effects.
pub(crate) fn occurs(atoms: &str, effects: &[Effect]) -> bool {
    atoms.is_empty() || effects.iter().any(|effect| atoms.split(SPLIT).any(|atom| fits(atom, &effect.deed)))
}

fn fits(atom: &str, deed: &Deed) -> bool {
    let (Some(letter), rest) = (atom.as_bytes().first(), atom.get(1..).unwrap_or("")) else { return true };
    match (letter, deed) {
        (b'x', Deed::Run { argv, .. }) => argv.first().is_some_and(|program| {
            let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
            name.as_bytes().get(..rest.len()).is_some_and(|start| start.eq_ignore_ascii_case(rest.as_bytes()))
        }),
        (b'g', Deed::Git(_)) | (b'n', Deed::Network { .. }) | (b'm', Deed::Mcp { .. }) | (b's', Deed::Spawn { .. }) => {
            true
        }
        (b'w', Deed::Write { target, .. } | Deed::Delete(target)) => is_near(rest, target),
        (b'w', Deed::Rename { from, to }) => is_near(rest, from) || is_near(rest, to),
        (b'd', Deed::Delete(target) | Deed::Rename { from: target, .. }) => is_near(rest, target),
        (b'r', Deed::Read(target)) => is_near(rest, target),
        _ => false,
    }
}

fn is_near(rest: &str, target: &Target) -> bool {
    let Some((start, end)) = rest.split_once(INNER) else { return true };
    if target.glob {
        return true;
    }
    let path = match target.inside.as_deref() {
        Some(inside) => inside,
        None if start.is_empty() => target.path.as_str(),
        None => return false,
    };
    let begins = |text: &str, with: &str| {
        text.as_bytes().get(..with.len()).is_some_and(|front| front.eq_ignore_ascii_case(with.as_bytes()))
    };
    if target.tree && (begins(start, path) || start.is_empty()) {
        return true;
    }
    begins(path, start) && (target.tree || contains(path, end))
}

fn contains(text: &str, literal: &str) -> bool {
    literal.is_empty()
        || text.as_bytes().windows(literal.len()).any(|window| window.eq_ignore_ascii_case(literal.as_bytes()))
}
