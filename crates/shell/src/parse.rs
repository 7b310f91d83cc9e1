//! The parser: lists, pipelines, groups, keywords, redirections. It never fails on invalid text, but continues after
//! it.

pub(crate) mod alter;
pub(crate) mod assign;
pub(crate) mod compound;
pub(crate) mod parts;
pub(crate) mod reader;
pub(crate) mod redirect;
pub(crate) mod syntax;

use crate::parse::assign::assignment;
use crate::parse::compound::compound;
use crate::parse::reader::{DEPTH, Reader, TooDeep};
use crate::parse::redirect::{place_bodies, redirect, redirects};
use crate::parse::syntax::{Command, Group, GroupKind, Item, Join, Script, Simple, Word, mark};

/// The maximum number of too deeply nested parts of one text; each is skipped.
const PASSES: usize = 16;
/// Longer texts are not parsed: each pass looks far ahead.
const SHORT: usize = 64 * 1024;

/// A command text, and whether all of it could be read.
pub(crate) struct Reading {
    pub(crate) script: Script,
    pub(crate) whole: bool,
    /// A quote or a parenthesis is not closed.
    pub(crate) torn: bool,
}

/// Parses a whole command text. Too deeply nested parts are skipped; the text before and after them counts.
pub(crate) fn parse(text: &str, depth: usize) -> Result<Reading, TooDeep> {
    let mut reader = Reader::new(text, depth)?;
    let mut all = Script::default();
    let mut passes = 0;
    while reader.peek().is_some() {
        if read_into(&mut reader, &[], &mut all.0).is_err() {
            passes += 1;
            if passes > PASSES || text.len() > SHORT {
                break;
            }
            reader.depth = depth;
            reader.pass_over();
        } else {
            // A closing sign without an opening one.
            reader.bump();
        }
    }
    // A here-document without a newline has no body; the others are inserted here.
    place_bodies(&mut all, &reader.bodies);
    Ok(Reading { script: all, whole: passes == 0, torn: reader.torn })
}

/// Reads a text within another one, which is given up if part of this one is too deep.
pub(crate) fn parse_inner(text: &str, depth: usize) -> Result<Script, TooDeep> {
    let reading = parse(text, depth)?;
    if reading.whole { Ok(reading.script) } else { Err(TooDeep) }
}

/// Reads commands until a closing parenthesis, the end, or one of the words in `until` at a command's place.
pub(crate) fn script(reader: &mut Reader, until: &[&str]) -> Result<Script, TooDeep> {
    let mut items = Vec::new();
    read_into(reader, until, &mut items)?;
    Ok(Script(items))
}

/// Reads commands to the end of a list; what was read before an error is in the list.
fn read_into(reader: &mut Reader, until: &[&str], items: &mut Vec<Item>) -> Result<(), TooDeep> {
    let mut join = Join::Always;
    loop {
        reader.skip_blanks();
        match reader.peek() {
            None | Some(')') => break,
            Some('\n') => reader.line_end()?,
            Some(';') if until.contains(&";;") && matches!(reader.peek_at(1), Some(';' | '&')) => break,
            Some(';') => {
                reader.bump();
                join = Join::Always;
            }
            Some('&') if reader.eat("&&") => join = Join::And,
            Some('|') if reader.eat("||") => join = Join::Or,
            Some('&') if reader.peek_at(1) != Some('>') => {
                reader.bump();
                join = Join::Always;
                let list = items.iter().rposition(|item| item.join == Join::Always).unwrap_or(0);
                items.iter_mut().skip(list).for_each(|item| item.background = true);
            }
            Some('|') => {
                reader.bump();
            }
            _ => {
                if at_word(reader, until) {
                    break;
                }
                let pipeline = pipeline(reader, until)?;
                if !pipeline.is_empty() {
                    items.push(Item { join, pipeline, background: false });
                }
                join = Join::Always;
            }
        }
    }
    Ok(())
}

fn pipeline(reader: &mut Reader, until: &[&str]) -> Result<Vec<Command>, TooDeep> {
    let mut commands = Vec::new();
    loop {
        reader.skip_blanks();
        while reader.peek() == Some('\n') && !commands.is_empty() {
            reader.line_end()?;
            reader.skip_blanks();
        }
        if at_word(reader, until) {
            break;
        }
        if let Some(command) = command(reader)? {
            commands.push(command);
        }
        reader.skip_blanks();
        if reader.peek() == Some('|') && reader.peek_at(1) != Some('|') {
            reader.bump();
            reader.eat("&");
        } else {
            break;
        }
    }
    Ok(commands)
}

fn command(reader: &mut Reader) -> Result<Option<Command>, TooDeep> {
    reader.depth += 1;
    if reader.depth > DEPTH {
        return Err(TooDeep);
    }
    let command = compound(reader)?;
    reader.depth -= 1;
    match command {
        Some((kind, body)) => {
            let redirects = if matches!(kind, GroupKind::Function { .. }) { Vec::new() } else { redirects(reader)? };
            Ok(Some(Command::Group(Group { kind, body, redirects })))
        }
        None => simple(reader),
    }
}

/// Returns true if one of the words is next, alone.
fn at_word(reader: &Reader, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let length = word.chars().count();
        word.chars().enumerate().all(|(ahead, c)| reader.peek_at(ahead) == Some(c))
            && reader.peek_at(length).is_none_or(|c| c.is_whitespace() || ";|&()<>".contains(c))
    })
}

fn simple(reader: &mut Reader) -> Result<Option<Command>, TooDeep> {
    let mut simple = Simple::default();
    loop {
        reader.skip_blanks();
        let tests = simple.words.first().and_then(Word::plain).is_some_and(is_test)
            && simple.words.last().and_then(Word::plain) != Some("]]");
        if tests && test_sign(reader) {
            continue;
        }
        if let Some(redirect) = redirect(reader)? {
            simple.redirects.extend(redirect);
            continue;
        }
        let Some(word) = reader.word()? else { break };
        let may_assign = simple.words.first().is_none_or(declares);
        match if may_assign { assignment(reader, &word)? } else { None } {
            Some(assignment) => simple.assignments.push(assignment),
            None => simple.words.push(word),
        }
    }
    let empty = simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
    if empty && matches!(reader.peek(), Some('(' | '<' | '>')) {
        reader.bump();
    }
    Ok((!empty).then_some(Command::Simple(simple)))
}

/// Returns true if the words behind this one are assignments too.
pub(crate) fn declares(first: &Word) -> bool {
    first.plain().is_some_and(|name| matches!(name, "declare" | "export" | "local" | "readonly" | "typeset"))
}

fn is_test(word: &str) -> bool {
    word.trim_matches(mark::BRACKET).is_empty() && word.chars().count() == 2
}

/// Takes an operator that has another meaning between `[[` and `]]`.
fn test_sign(reader: &mut Reader) -> bool {
    ["&&", "||", "<", ">", "(", ")"].iter().any(|sign| reader.eat(sign))
}
