//! Groups, loops, choices and functions.

use crate::parse::reader::{Reader, TooDeep, is_arithmetic};
use crate::parse::syntax::mark::MANY;
use crate::parse::syntax::{Arm, Command, Group, GroupKind, Item, Part, Script, Simple, Word};
use crate::parse::{at_word, command, parse_inner, script};

/// Reads a command that holds others; `None` if none begins.
pub(crate) fn compound(reader: &mut Reader) -> Result<Option<(GroupKind, Script)>, TooDeep> {
    if reader.peek() == Some('(') {
        if reader.peek_at(1) == Some('(') {
            let inner = reader.balanced('(', ')');
            if is_arithmetic(&inner) {
                let number = Word(vec![Part::Arithmetic(Reader::new(&inner, reader.depth + 1)?.quoted(None)?)]);
                return Ok(Some((GroupKind::Brace, Script(vec![evaluated(vec![number])]))));
            }
            return Ok(Some((GroupKind::Subshell, parse_inner(&inner, reader.depth + 1)?)));
        }
        reader.bump();
        return Ok(Some((GroupKind::Subshell, reader.script_until_parenthesis()?)));
    }
    let keyword = KEYWORDS.iter().find(|word| at_word(reader, &[word]));
    let Some(keyword) = keyword.filter(|word| **word != "time" || !takes_options(reader)) else {
        return function(reader);
    };
    reader.eat(keyword);
    match *keyword {
        "{" => Ok(Some((GroupKind::Brace, body(reader, &["}"])?))),
        "if" => Ok(Some((GroupKind::Maybe, body(reader, &["fi"])?))),
        "while" | "until" => Ok(Some((GroupKind::Loop, body(reader, &["done"])?))),
        "for" | "select" => for_loop(reader).map(Some),
        "case" => case(reader).map(Some),
        "function" => {
            reader.skip_blanks();
            let name = reader.word()?.and_then(|word| word.plain().map(str::to_owned)).unwrap_or_default();
            reader.skip_blanks();
            reader.eat("()");
            function_body(reader, name).map(Some)
        }
        // `!`, `then`, `do`, `else` and their like only introduce the next command.
        word => {
            reader.skip_blanks();
            if word == "time" && at_word(reader, &["-p"]) {
                reader.eat("-p");
                reader.skip_blanks();
            }
            if word == "coproc" {
                coprocess_name(reader);
            }
            let kind = match word {
                "then" => GroupKind::Arm(Arm::Way),
                "elif" => GroupKind::Arm(Arm::Condition),
                "else" => GroupKind::Arm(Arm::Rest),
                "!" | "coproc" => GroupKind::Not,
                _ => GroupKind::Brace,
            };
            match reader.peek() {
                Some(c) if c != '\n' && c != ';' && c != ')' => {
                    Ok(command(reader)?.map(|command| (kind, Script(vec![Item::alone(vec![command])]))))
                }
                _ => Ok(Some((kind, Script::default()))),
            }
        }
    }
}

/// `time -o x` is the program of that name; the keyword knows `-p` alone.
fn takes_options(reader: &Reader) -> bool {
    let mut at = "time".len();
    while reader.peek_at(at).is_some_and(|c| c == ' ' || c == '\t') {
        at += 1;
    }
    let own = reader.peek_at(at + 1) == Some('p') && reader.peek_at(at + 2).is_none_or(char::is_whitespace);
    reader.peek_at(at) == Some('-') && !own
}

const KEYWORDS: [&str; 18] = [
    "{", "if", "while", "until", "for", "select", "case", "function", "!", "then", "do", "else", "elif", "time",
    "coproc", "fi", "done", "esac",
];

fn body(reader: &mut Reader, end: &[&str]) -> Result<Script, TooDeep> {
    let body = script(reader, end)?;
    if let Some(word) = end.iter().find(|word| at_word(reader, &[word])) {
        reader.eat(word);
    }
    Ok(body)
}

fn for_loop(reader: &mut Reader) -> Result<(GroupKind, Script), TooDeep> {
    reader.skip_blanks();
    if reader.peek() == Some('(') {
        let header = reader.balanced('(', ')');
        let header = Word(vec![Part::Arithmetic(Reader::new(&header, reader.depth + 1)?.quoted(None)?)]);
        let mut all = Script(vec![evaluated(vec![header])]);
        all.0.extend(body(reader, &["done"])?.0);
        return Ok((GroupKind::Maybe, all));
    }
    let variable = reader.word()?.and_then(|word| word.plain().map(str::to_owned)).unwrap_or_default();
    let mut values = Vec::new();
    skip_lines(reader)?;
    if at_word(reader, &["in"]) {
        reader.eat("in");
        loop {
            reader.skip_blanks();
            match reader.word()? {
                Some(word) => values.push(word),
                None => break,
            }
        }
    } else {
        let name = "@".to_owned();
        values.push(Word(vec![Part::Variable { name, quoted: true, instead: None }]));
    }
    Ok((GroupKind::For { variable, values }, body(reader, &["done"])?))
}

fn case(reader: &mut Reader) -> Result<(GroupKind, Script), TooDeep> {
    reader.skip_blanks();
    let mut all = Script::default();
    let evaluate = |all: &mut Script, words: Vec<Word>| {
        let words: Vec<Word> = words.into_iter().filter(runs).collect();
        all.0.extend((!words.is_empty()).then(|| evaluated(words)));
    };
    evaluate(&mut all, reader.word()?.into_iter().collect());
    skip_lines(reader)?;
    reader.eat("in");
    loop {
        skip_lines(reader)?;
        if reader.peek().is_none() || at_word(reader, &["esac"]) {
            reader.eat("esac");
            return Ok((GroupKind::Maybe, all));
        }
        // The patterns, up to their parenthesis.
        reader.eat("(");
        let mut patterns = Vec::new();
        while let Some(c) = reader.peek() {
            match c {
                ')' => break,
                ' ' | '\t' | '|' => {
                    reader.bump();
                }
                _ => match reader.word()? {
                    Some(word) => patterns.push(word),
                    None => {
                        reader.bump();
                    }
                },
            }
        }
        reader.bump();
        let rest =
            patterns.iter().any(|word| matches!(word.0.as_slice(), [Part::Text(text)] if text.chars().eq([MANY])));
        let kind = GroupKind::Arm(if rest { Arm::Rest } else { Arm::Way });
        let arm = Command::Group(Group { kind, body: Script::default(), redirects: Vec::new() });
        all.0.push(Item::alone(vec![arm]));
        evaluate(&mut all, patterns);
        all.0.extend(script(reader, &["esac", ";;"])?.0);
        while matches!(reader.peek(), Some(';' | '&' | ')')) {
            reader.bump();
        }
    }
}

/// A command that only has its words expanded.
fn evaluated(words: Vec<Word>) -> Item {
    let words = std::iter::once(Word::text("let")).chain(words).collect();
    Item::alone(vec![Command::Simple(Simple { words, ..Simple::default() })])
}

/// Returns true if something may run when the word is expanded.
fn runs(word: &Word) -> bool {
    word.0.iter().any(|part| !matches!(part, Part::Text(_) | Part::Variable { instead: None, .. } | Part::Unknown))
}

/// Takes the name of a co-process, which stands only before a compound command.
fn coprocess_name(reader: &mut Reader) {
    let mut length = 0;
    while reader.peek_at(length).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
        length += 1;
    }
    let mut end = length;
    while reader.peek_at(end).is_some_and(|c| c == ' ' || c == '\t') {
        end += 1;
    }
    let opens = |word: &str| {
        word.chars().enumerate().all(|(ahead, c)| reader.peek_at(end + ahead) == Some(c))
            && reader.peek_at(end + word.len()).is_none_or(char::is_whitespace)
    };
    let compound = reader.peek_at(end) == Some('(') && reader.peek_at(end + 1) != Some(')')
        || ["{", "if", "while", "until", "for", "select", "case", "[["].into_iter().any(opens);
    if length > 0 && end > length && compound {
        (0..end).for_each(|_| {
            reader.bump();
        });
    }
}

/// Reads `name() …`.
fn function(reader: &mut Reader) -> Result<Option<(GroupKind, Script)>, TooDeep> {
    let mut length = 0;
    while reader.peek_at(length).is_some_and(|c| c.is_alphanumeric() || "_-.:".contains(c)) {
        length += 1;
    }
    let mut end = length;
    while reader.peek_at(end) == Some(' ') {
        end += 1;
    }
    if length == 0 || reader.peek_at(end) != Some('(') || reader.peek_at(end + 1) != Some(')') {
        return Ok(None);
    }
    let name: String = (0..length).filter_map(|ahead| reader.peek_at(ahead)).collect();
    (0..end + 2).for_each(|_| {
        reader.bump();
    });
    function_body(reader, name).map(Some)
}

fn function_body(reader: &mut Reader, name: String) -> Result<(GroupKind, Script), TooDeep> {
    skip_lines(reader)?;
    let pipeline: Vec<Command> = command(reader)?.into_iter().collect();
    Ok((GroupKind::Function { name }, Script(vec![Item::alone(pipeline)])))
}

fn skip_lines(reader: &mut Reader) -> Result<(), TooDeep> {
    reader.skip_blanks();
    while matches!(reader.peek(), Some('\n' | ';')) {
        if reader.peek() == Some('\n') {
            reader.line_end()?;
        } else {
            reader.bump();
        }
        reader.skip_blanks();
    }
    Ok(())
}
