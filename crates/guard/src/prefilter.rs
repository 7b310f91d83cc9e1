//! Literals that must occur before a guard is read. They are in the index of the compiled guards, so that hundreds of
//! guards cost little more than a few.

use stead_model::{Effect, Op, Target};
use stead_pattern::{Pattern, has_wildcard};

use crate::condition::{Clause, Condition, FileClause, FileOp};
use crate::pattern::ArgvPattern;

/// Separators between atoms, and between the parts of one; no guard file can contain them.
const SPLIT: char = '\u{1f}';
const INNER: char = '\u{1e}';

/// What must be true of a call before its effects are computed: tool names, and paths that exist.
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

/// A parsed requirement of [`before_effects`].
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

/// The effects of which a call must have one; empty if it may have none.
pub(crate) fn atoms(condition: &Condition) -> String {
    best(condition).unwrap_or_default().join(&SPLIT.to_string())
}

/// The shortest list of atoms of which one must occur; `None` if there is no such list.
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
        Clause::RunsDownload(_) => Some(vec!["l".to_owned()]),
        Clause::Sql(_) => Some(vec!["q".to_owned()]),
        Clause::Mcp(_) => Some(vec!["m".to_owned()]),
        Clause::Spawn(_) => Some(vec!["s".to_owned()]),
        Clause::Files(files) => Some(of_files(files)),
        // If one part can match without any effect, the whole list is useless.
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
    let letter = match files.op {
        FileOp::Writes => 'w',
        FileOp::Deletes => 'd',
        FileOp::Reads => 'r',
    };
    let positive: Vec<&String> = files.paths.iter().filter(|pattern| !pattern.starts_with('!')).collect();
    if positive.is_empty() {
        return vec![letter.to_string()];
    }
    positive
        .into_iter()
        .map(|pattern| match Pattern::parse(pattern) {
            Pattern::Anchored(text) => format!("{letter}{}{INNER}{}", start(text), end(text)),
            Pattern::Anywhere(text) => format!("{letter}{INNER}{}", end(text)),
            _ => letter.to_string(),
        })
        .collect()
}

/// The leading names without wildcards.
fn start(pattern: &str) -> String {
    let names = pattern.split('/').filter(|name| !matches!(*name, "" | "."));
    let fixed: Vec<&str> = names.take_while(|name| !has_wildcard(name) && name.is_ascii()).collect();
    fixed.join("/").to_ascii_lowercase()
}

/// What the last name ends with, after all wildcards.
fn end(pattern: &str) -> String {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    let tail = name.rsplit(['*', '?', ']']).next().unwrap_or("");
    if tail.is_ascii() { tail.to_ascii_lowercase() } else { String::new() }
}

/// The effects of a call, prepared for finding the guards that may match: there may be hundreds.
pub(crate) struct Outline<'e> {
    programs: Vec<&'e str>,
    targets: Vec<(u8, &'e Target)>,
    /// Effects that are matched by their letter alone.
    letters: Vec<u8>,
}

impl<'e> Outline<'e> {
    pub(crate) fn of(effects: &'e [Effect]) -> Self {
        let mut outline = Self { programs: Vec::new(), targets: Vec::new(), letters: Vec::new() };
        for effect in effects {
            match &effect.op {
                Op::Run { argv, .. } => {
                    let program = argv.first().map(String::as_str).unwrap_or_default();
                    outline.programs.push(program.rsplit(['/', '\\']).next().unwrap_or(program));
                }
                Op::Read { target, .. } => outline.targets.push((b'r', target)),
                Op::Write { target, .. } => outline.targets.push((b'w', target)),
                Op::Delete(target) => outline.targets.extend([(b'w', target), (b'd', target)]),
                Op::Rename { from, to } => outline.targets.extend([(b'w', from), (b'w', to), (b'd', from)]),
                Op::Git(_) => outline.letters.push(b'g'),
                Op::Network { .. } => outline.letters.push(b'n'),
                Op::RunDownload { .. } => outline.letters.push(b'l'),
                Op::Sql { .. } => outline.letters.push(b'q'),
                Op::Mcp { .. } => outline.letters.push(b'm'),
                Op::Spawn { .. } => outline.letters.push(b's'),
                Op::Stead(_) => {}
            }
        }
        outline
    }

    /// Returns true if one of the atoms occurs.
    pub(crate) fn has(&self, atoms: &str) -> bool {
        atoms.is_empty() || atoms.as_bytes().split(|byte| *byte == SPLIT as u8).any(|atom| self.fits(atom))
    }

    fn fits(&self, atom: &[u8]) -> bool {
        match atom {
            [] => true,
            [b'x', start @ ..] => self.programs.iter().any(|program| begins(program.as_bytes(), start)),
            [letter @ (b'w' | b'd' | b'r'), rest @ ..] => {
                self.targets.iter().any(|(op, target)| op == letter && is_near(rest, target))
            }
            [letter, ..] => self.letters.contains(letter),
        }
    }
}

fn begins(text: &[u8], with: &[u8]) -> bool {
    text.get(..with.len()).is_some_and(|front| front.eq_ignore_ascii_case(with))
}

fn is_near(rest: &[u8], target: &Target) -> bool {
    let Some(cut) = rest.iter().position(|byte| *byte == INNER as u8) else { return true };
    let (start, end) = (&rest[..cut], &rest[cut + 1..]);
    if target.glob {
        return true;
    }
    let path = match target.inside.as_deref() {
        Some(inside) => inside.as_bytes(),
        None if start.is_empty() => target.path.as_bytes(),
        None => return false,
    };
    if target.tree && (begins(start, path) || start.is_empty()) {
        return true;
    }
    begins(path, start) && (target.tree || contains(path, end))
}

fn contains(text: &[u8], literal: &[u8]) -> bool {
    literal.is_empty() || text.windows(literal.len()).any(|window| window.eq_ignore_ascii_case(literal))
}
