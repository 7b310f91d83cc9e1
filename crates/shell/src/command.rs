//! The shell reader: splits a command text into the programs it runs, with their words, files and folders, and reports
//! what they do.
//!
//! It understands enough of the shell to distinguish a mention from an operation, and to follow quotes, variables, `cd`
//! and wrappers. What it cannot follow is a gap. It never runs anything and never fails.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::Path;

use stead_model::{Effects, Op, SteadProgram};

use crate::effect::{Ground, Record};
use crate::facts::Facts;
use crate::inline::{Language, embedded};
use crate::place::Place;
use crate::programs::table;

use crate::parse::parse;
use crate::parse::syntax::{Command, Item, Part, Word, mark};
pub(crate) use crate::programs::table::host_of;
use crate::walk::Walk;
use crate::walk::report::Report;

/// The maximum length of a command that is read as one.
pub(crate) const LIMIT: usize = 1 << 20;

/// Characters that can produce a protected path without spelling it, or redirect output.
const SIGNS: &[u8] = b"*?[{$`>";

/// Returns a command without its quotes if it is so plain that it can only affect files which it names.
pub fn plain_command(command: &str) -> Option<Cow<'_, str>> {
    let bytes = command.as_bytes();
    let signs = bytes.iter().enumerate().any(|(at, byte)| SIGNS.contains(byte) && !is_usual_redirect(&bytes[at..]));
    if signs || command.len() > LIMIT {
        return None;
    }
    let quotes = ['\'', '"', '\\'];
    let bare = if command.contains(quotes) { Cow::Owned(command.replace(quotes, "")) } else { Cow::Borrowed(command) };
    let mut words = bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    let alarming = words.any(table::is_alarming) || bare.split([';', '&', '|', '(', '\n']).any(names_file);
    (!alarming).then_some(bare)
}

/// Returns true if a command starts with the path of a program, which may be a script.
fn names_file(command: &str) -> bool {
    command.split_whitespace().next().is_some_and(|first| first.contains('/') || first == ".")
}

/// Recognises `>&1`, `>/dev/null` and `> /dev/null`.
fn is_usual_redirect(rest: &[u8]) -> bool {
    let target = rest.strip_prefix(b">").unwrap_or_default().trim_ascii_start();
    match target.strip_prefix(b"&").or_else(|| target.strip_prefix(b"/dev/null")) {
        Some([next, ..]) => b"12 ;|&)\n".contains(next),
        Some([]) => true,
        None => false,
    }
}

/// Finds the calls of `stead` in a command and returns the arguments of each, as the program will get them. A call with
/// a word that the shell computes is excluded.
pub fn stead_calls(effects: &Effects) -> Vec<Vec<String>> {
    let calls = effects.list.iter().filter_map(|effect| match &effect.op {
        Op::Stead(call) if call.program == SteadProgram::Named => Some(&call.words),
        _ => None,
    });
    let known = calls.filter(|words| words.iter().all(|word| !word.guessed));
    known.map(|words| words.iter().map(|word| word.text.clone()).collect()).collect()
}

/// Returns the words of a command that is one program with literal words: no other command, redirection or assignment,
/// and nothing that the shell computes. Wildcards and braces are returned as written.
pub fn lone_command(command: &str) -> Option<Vec<String>> {
    if command.len() > LIMIT || mark::cleaned(command) != command {
        return None;
    }
    let reading = parse(command, 0).ok().filter(|reading| reading.whole && !reading.torn)?;
    let [Item { pipeline, background: false, .. }] = reading.script.0.as_slice() else { return None };
    let [Command::Simple(simple)] = pipeline.as_slice() else { return None };
    let text = |part: &Part| match part {
        Part::Text(text) => mark::literal(text),
        _ => None,
    };
    let word = |word: &Word| word.0.iter().map(text).collect::<Option<String>>();
    let bare = simple.assignments.is_empty() && simple.redirects.is_empty() && !simple.words.is_empty();
    bare.then(|| simple.words.iter().map(word).collect()).flatten()
}

/// Finds the effects of a command as if run in `folder` and adds them to the record.
pub(crate) fn effects(command: &str, folder: &Path, place: &Place<'_>, facts: &dyn Facts, record: Record) -> Record {
    let clean = mark::cleaned(command);
    let mut walk = walk_in(folder, place, facts, record);
    if clean.len() > LIMIT {
        walk.report.record.give_up("the command is too long to read");
        return walk.report.record;
    }
    walk.names_stead = crate::programs::stead::is_named(&clean);
    // What was found before the limit was reached counts.
    if walk.text(&clean).is_err() {
        walk.report.record.give_up("the command is too long or too deeply nested to read");
    }
    walk.report.record
}

/// Finds the effects of a program in another language and adds them to the record.
pub(crate) fn code_effects(
    language: Language,
    code: &str,
    place: &Place<'_>,
    facts: &dyn Facts,
    record: Record,
) -> Record {
    let clean = mark::cleaned(code);
    let mut walk = walk_in(place.cwd, place, facts, record);
    if embedded::text(&mut walk, language, &clean, &[], &clean).is_err() {
        walk.report.record.give_up("the program is too long or too deeply nested to read");
    }
    walk.report.record
}

fn walk_in<'w>(folder: &Path, place: &'w Place<'w>, facts: &'w dyn Facts, record: Record) -> Walk<'w> {
    let report = Report { record, ground: Ground::new(place, facts) };
    Walk::new(place, facts, report, folder.to_string_lossy().into_owned())
}

#[cfg(test)]
mod lone {
    use super::lone_command;

    #[test]
    fn only_one_program_with_literal_words_is_a_lone_command() {
        let check = |command: &str, expected: Option<&[&str]>| {
            let found = lone_command(command);
            let words = found.as_ref().map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(words.as_deref(), expected, "{command}");
        };
        check("stead loop cancel x", Some(&["stead", "loop", "cancel", "x"]));
        check("  stead  'a b' \"c d\" e\\ f''g ", Some(&["stead", "a b", "c d", "e fg"]));
        check("stead add 'src/**' src/** {a,b} ''", Some(&["stead", "add", "src/**", "src/**", "{a,b}", ""]));
        for other in [
            "", " ", "stead x; ls", "stead x && ls", "ls; stead x", "stead x | cat", "stead x &", "(stead x)",
            "{ stead x; }", "! stead x", "A=1 stead x", "A=1", "stead x > f", "stead x < f", "stead x <<< y",
            "stead $X", "stead \"$X\"", "stead $(x)", "stead `x`", "stead <(x)", "stead 'x", "stead \"x",
            "stead x\nls", "if stead x; then y; fi", "stead $((1))", "stead ${X:-y}",
        ] {
            check(other, None);
        }
    }
}
