//! The conservative shell reader: splits a command text into the programs it runs, with their words, files and
//! folders, and refuses what would change something protected.
//!
//! It understands enough of the shell to let mere mentions pass and to see through quotes, variables, `cd` and
//! wrappers. What it cannot follow it judges by what the text names. It never runs anything and never fails.

mod alter;
mod archive;
mod awk;
mod container;
mod database;
mod doubt;
mod editor;
mod envelope;
mod expand;
mod filter;
mod find;
mod git;
mod inline;
mod interpreter;
mod listing;
mod names;
mod omission;
mod output;
mod parser;
mod parts;
mod patch;
mod pathspec;
mod place;
mod program;
mod programs;
mod reader;
mod redirect;
mod refuse;
mod report;
mod repository;
mod script;
mod sed;
mod stand;
mod stead;
mod syntax;
mod task;
#[cfg(test)]
mod tests;
mod variable;
mod walk;
mod wrapper;
mod writer;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::code::Language;
use crate::denial::{Denial, quote};
use crate::effect::{Ground, Record};
use crate::facts::Facts;
use crate::mention;
use crate::place::Place;
use crate::policy::Policy;
use crate::shield::Shield;

pub(crate) use programs::host_of;
use report::Report;
use syntax::mark;
use walk::{Stop, Walk};

/// The longest command that is read as one.
const LIMIT: usize = 1 << 20;

/// Signs that can spell a protected path without its letters, or name a file to write.
const SIGNS: &[u8] = b"*?[{$`>";

/// Gives a command without its quotes when it is so plain that only a needle in it could matter.
pub(crate) fn plain(command: &str) -> Option<Cow<'_, str>> {
    let bytes = command.as_bytes();
    let signs = bytes.iter().enumerate().any(|(at, byte)| SIGNS.contains(byte) && !is_usual_redirect(&bytes[at..]));
    if signs || command.len() > LIMIT {
        return None;
    }
    let quotes = ['\'', '"', '\\'];
    let bare = if command.contains(quotes) { Cow::Owned(command.replace(quotes, "")) } else { Cow::Borrowed(command) };
    let mut words = bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    words.all(|word| !programs::is_alarming(word)).then_some(bare)
}

/// Knows `>&1`, `>/dev/null` and `> /dev/null`.
fn is_usual_redirect(rest: &[u8]) -> bool {
    let target = rest.strip_prefix(b">").unwrap_or_default().trim_ascii_start();
    match target.strip_prefix(b"&").or_else(|| target.strip_prefix(b"/dev/null")) {
        Some([next, ..]) => b"12 ;|&)\n".contains(next),
        Some([]) => true,
        None => false,
    }
}

/// Judges a command as if run in `folder`.
pub(crate) fn judge(
    shield: &Shield<'_>,
    command: &str,
    folder: &Path,
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Option<Denial> {
    let clean: String = command.chars().filter(|c| !mark::is_mark(*c) && *c != '\0').collect();
    if clean.len() > LIMIT {
        return too_much(shield, &clean);
    }
    let mut walk = Walk::new(shield, place, facts, folder.to_string_lossy().into_owned());
    walk.names_stead = stead::is_named(&clean);
    match walk.text(&clean) {
        Ok(()) => None,
        Err(Stop::Denied(denial)) => Some(denial),
        Err(Stop::TooMuch) => too_much(shield, &clean),
    }
}

/// Finds the calls of `stead` in a command and gives the words behind each, as the program will be given them. A call
/// with a word that only the shell can know is left out.
pub fn stead_calls(command: &str) -> Vec<Vec<String>> {
    let clean: String = command.chars().filter(|c| !mark::is_mark(*c) && *c != '\0').collect();
    if clean.len() > LIMIT {
        return Vec::new();
    }
    // With nothing to protect the walk refuses nothing and so comes to the end.
    let place = Place { root: None, tree: None, cwd: Path::new("/"), env: &|_| None };
    let shield = Shield::raise(&Policy::parse(""), &place, &Nothing);
    let mut walk = Walk::new(&shield, &place, &Nothing, "/".to_owned());
    let _ = walk.text(&clean);
    walk.stead_calls.into_iter().filter_map(|words| words.iter().map(|word| mark::literal(word)).collect()).collect()
}

/// The facts of a world without files.
struct Nothing;

impl Facts for Nothing {
    fn read(&self, _: &Path) -> Option<String> {
        None
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn had_lines(&self, _: &Path) -> bool {
        false
    }

    fn started_loop(&self, _: &str) -> bool {
        false
    }
}

/// A command beyond our bounds passes only if it names nothing protected.
fn too_much(shield: &Shield<'_>, command: &str) -> Option<Denial> {
    let named = mention::find(shield, command).map(str::to_owned);
    let named = named.or_else(|| mention::weakening_call(shield, command).map(|verb| format!("stead {verb}")))?;
    Some(Denial::new(
        "the command",
        format!("it is too long or too nested to be read and names {}", quote(&named)),
        "split it into smaller commands",
    ))
}

/// Finds the effects of a command as if run in `folder` and adds them to the record.
pub(crate) fn effects(
    command: &str,
    folder: &Path,
    place: &Place<'_>,
    facts: &dyn Facts,
    mut record: Record,
) -> Record {
    let clean: String = command.chars().filter(|c| !mark::is_mark(*c) && *c != '\0').collect();
    if clean.len() > LIMIT {
        record.give_up("the command is too long to be read");
        return record;
    }
    let shield = Shield::raise(&Policy::parse(""), place, facts);
    let mut walk = Walk::new(&shield, place, facts, folder.to_string_lossy().into_owned());
    walk.report = Some(Report { record, ground: Ground::new(place, facts) });
    // With nothing to protect only a bound can end the walk; what was found before it counts.
    let ended = walk.text(&clean);
    let Some(report) = walk.report else { return Record::default() };
    let mut record = report.record;
    if ended.is_err() {
        record.give_up("the command is too long or too nested to be read to its end");
    }
    record
}

/// Finds the effects of a program in another language as if run in `folder` and adds them to the record.
pub(crate) fn code_effects(
    language: Language,
    code: &str,
    place: &Place<'_>,
    facts: &dyn Facts,
    record: Record,
) -> Record {
    let clean: String = code.chars().filter(|c| !mark::is_mark(*c) && *c != '\0').collect();
    let shield = Shield::raise(&Policy::parse(""), place, facts);
    let mut walk = Walk::new(&shield, place, facts, place.cwd.to_string_lossy().into_owned());
    walk.report = Some(Report { record, ground: Ground::new(place, facts) });
    let ended = inline::text(&mut walk, language, &clean, &[], &clean);
    let Some(report) = walk.report else { return Record::default() };
    let mut record = report.record;
    if ended.is_err() {
        record.give_up("the program is too long or too nested to be read to its end");
    }
    record
}
