//! Words to commands: lists, pipelines, groups, keywords, redirections. It never fails on odd text; it goes on after it.

use super::reader::{DEPTH, Reader, TooDeep, is_arithmetic};
use super::syntax::{Command, Group, GroupKind, Item, Join, Output, Part, Redirect, Script, Simple, Word, mark};

/// Parts too deep to be read that one text may hold; each is passed over.
const PASSES: usize = 16;
/// Texts longer than this are given up at once: each pass looks far ahead.
const SHORT: usize = 64 * 1024;

/// A command text, and whether all of it could be read.
pub(super) struct Reading {
    pub(super) script: Script,
    pub(super) whole: bool,
    /// A quote or a parenthesis is not closed.
    pub(super) torn: bool,
}

/// Reads a whole command text. What is too deep is passed over; what stands before and after it counts.
pub(super) fn parse(text: &str, depth: usize) -> Result<Reading, TooDeep> {
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
    // A here-document whose line never ended has no body; those read are put in place here.
    place_bodies(&mut all, &reader.bodies);
    Ok(Reading { script: all, whole: passes == 0, torn: reader.torn })
}

/// Reads a text within another one, which is given up if part of this one is too deep.
pub(super) fn parse_inner(text: &str, depth: usize) -> Result<Script, TooDeep> {
    let reading = parse(text, depth)?;
    if reading.whole { Ok(reading.script) } else { Err(TooDeep) }
}

/// Reads commands until a closing parenthesis, the end, or one of the words in `until` at a command's place.
pub(super) fn script(reader: &mut Reader, until: &[&str]) -> Result<Script, TooDeep> {
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
                    items.push(Item { join, pipeline });
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

fn compound(reader: &mut Reader) -> Result<Option<(GroupKind, Script)>, TooDeep> {
    if reader.peek() == Some('(') {
        if reader.peek_at(1) == Some('(') {
            let inner = reader.balanced('(', ')');
            if is_arithmetic(&inner) {
                let number = Word(vec![Part::Arithmetic(Reader::new(&inner, reader.depth + 1)?.quoted(None)?)]);
                let simple = Simple { words: vec![Word::text("let"), number], ..Simple::default() };
                let item = Item { join: Join::Always, pipeline: vec![Command::Simple(simple)] };
                return Ok(Some((GroupKind::Brace, Script(vec![item]))));
            }
            return Ok(Some((GroupKind::Subshell, parse_inner(&inner, reader.depth + 1)?)));
        }
        reader.bump();
        return Ok(Some((GroupKind::Subshell, reader.script_until_parenthesis()?)));
    }
    let Some(keyword) = KEYWORDS.iter().find(|word| at_word(reader, &[word])) else {
        return function(reader);
    };
    reader.eat(keyword);
    match *keyword {
        "{" => Ok(Some((GroupKind::Brace, body(reader, &["}"])?))),
        "if" => Ok(Some((GroupKind::Maybe, body(reader, &["fi"])?))),
        "while" | "until" => Ok(Some((GroupKind::Maybe, body(reader, &["done"])?))),
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
            match reader.peek() {
                Some(c) if c != '\n' && c != ';' && c != ')' => Ok(command(reader)?.map(|command| {
                    (GroupKind::Brace, Script(vec![Item { join: Join::Always, pipeline: vec![command] }]))
                })),
                _ => Ok(Some((GroupKind::Brace, Script::default()))),
            }
        }
    }
}

const KEYWORDS: [&str; 18] = [
    "{", "if", "while", "until", "for", "select", "case", "function", "!", "then", "do", "else", "elif", "time",
    "coproc", "fi", "done", "esac",
];

/// Says whether one of the words stands here, alone.
fn at_word(reader: &Reader, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let length = word.chars().count();
        word.chars().enumerate().all(|(ahead, c)| reader.peek_at(ahead) == Some(c))
            && reader.peek_at(length).is_none_or(|c| c.is_whitespace() || ";|&()<>".contains(c))
    })
}

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
        reader.balanced('(', ')');
        return Ok((GroupKind::Maybe, body(reader, &["done"])?));
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
    }
    Ok((GroupKind::For { variable, values }, body(reader, &["done"])?))
}

fn case(reader: &mut Reader) -> Result<(GroupKind, Script), TooDeep> {
    reader.skip_blanks();
    reader.word()?;
    skip_lines(reader)?;
    reader.eat("in");
    let mut all = Script::default();
    loop {
        skip_lines(reader)?;
        if reader.peek().is_none() || at_word(reader, &["esac"]) {
            reader.eat("esac");
            return Ok((GroupKind::Maybe, all));
        }
        // The patterns, up to their parenthesis.
        reader.eat("(");
        while let Some(c) = reader.peek() {
            match c {
                ')' => break,
                ' ' | '\t' | '|' => {
                    reader.bump();
                }
                _ => {
                    if reader.word()?.is_none() {
                        reader.bump();
                    }
                }
            }
        }
        reader.bump();
        all.0.extend(script(reader, &["esac", ";;"])?.0);
        while matches!(reader.peek(), Some(';' | '&' | ')')) {
            reader.bump();
        }
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
    Ok((GroupKind::Function { name }, Script(vec![Item { join: Join::Always, pipeline }])))
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
        match simple.words.is_empty().then(|| assignment(&word)).flatten() {
            Some((name, mut value)) => {
                if value.0.is_empty() && reader.peek() == Some('(') {
                    value = list(reader)?;
                }
                simple.assignments.push((name, value));
            }
            None => simple.words.push(word),
        }
    }
    let empty = simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
    if empty && matches!(reader.peek(), Some('(' | '<' | '>')) {
        reader.bump();
    }
    Ok((!empty).then_some(Command::Simple(simple)))
}

/// Reads the words of an array as one text.
fn list(reader: &mut Reader) -> Result<Word, TooDeep> {
    let inner = reader.balanced('(', ')');
    let mut reader = Reader::new(&inner, reader.depth + 1)?;
    let mut parts = Vec::new();
    loop {
        reader.skip_blanks();
        match reader.word()? {
            Some(word) => {
                parts.extend(word.0);
                parts.push(Part::Text(" ".to_owned()));
            }
            None if reader.bump().is_none() => return Ok(Word(parts)),
            None => {}
        }
    }
}

fn is_test(word: &str) -> bool {
    word.trim_matches(mark::BRACKET).is_empty() && word.chars().count() == 2
}

/// Takes a sign that means something else between `[[` and `]]`.
fn test_sign(reader: &mut Reader) -> bool {
    ["&&", "||", "<", ">", "(", ")"].iter().any(|sign| reader.eat(sign))
}

/// Splits `name=value` and `name+=value`.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let Part::Text(text) = word.0.first()? else { return None };
    let (name, value) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let valid = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !valid {
        return None;
    }
    let mut parts = word.0.clone();
    parts.remove(0);
    if !value.is_empty() {
        parts.insert(0, Part::Text(value.to_owned()));
    }
    Some((name.to_owned(), Word(parts)))
}

fn redirects(reader: &mut Reader) -> Result<Vec<Redirect>, TooDeep> {
    let mut all = Vec::new();
    loop {
        reader.skip_blanks();
        match redirect(reader)? {
            Some(found) => all.extend(found),
            None => return Ok(all),
        }
    }
}

/// Reads one redirection: `None` where none begins, an empty list for one without a file.
fn redirect(reader: &mut Reader) -> Result<Option<Vec<Redirect>>, TooDeep> {
    let mut digits = 0;
    while reader.peek_at(digits).is_some_and(|c| c.is_ascii_digit()) {
        digits += 1;
    }
    let sign = reader.peek_at(digits);
    let both = digits == 0 && sign == Some('&') && reader.peek_at(1) == Some('>');
    let begins = matches!(sign, Some('<' | '>')) && reader.peek_at(digits + 1) != Some('(');
    if !both && !begins {
        return Ok(None);
    }
    let prints = digits == 0 || digits == 1 && reader.peek() == Some('1');
    (0..digits + usize::from(both)).for_each(|_| {
        reader.bump();
    });
    if reader.eat("<<<") {
        return Ok(Some(target(reader)?.map(Redirect::Text).into_iter().collect()));
    }
    if reader.eat("<<") {
        let tabs = reader.eat("-");
        reader.skip_blanks();
        let quoted = here_is_quoted(reader);
        let Some(delimiter) = reader.word()? else { return Ok(Some(Vec::new())) };
        let number = reader.await_body(&delimiter, tabs, quoted);
        return Ok(Some(vec![Redirect::Text(body_slot(number))]));
    }
    let both_ways = sign == Some('<') && reader.peek_at(1) == Some('>');
    let write = sign != Some('<') || both_ways;
    reader.bump();
    let duplicate = reader.eat("&");
    let twice = !duplicate && reader.eat(">");
    if !duplicate && !twice {
        reader.eat("|");
    }
    let kind = match twice {
        _ if both_ways || !prints => Output::Other,
        true => Output::Append,
        false => Output::Replace,
    };
    let found = target(reader)?;
    let is_number =
        found.as_ref().and_then(Word::plain).is_some_and(|text| text.chars().all(|c| c.is_ascii_digit() || c == '-'));
    if duplicate && is_number {
        return Ok(Some(Vec::new()));
    }
    let redirect = |target| if write { Redirect::Write { target, kind } } else { Redirect::Read(target) };
    Ok(Some(found.map(redirect).into_iter().collect()))
}

fn target(reader: &mut Reader) -> Result<Option<Word>, TooDeep> {
    reader.skip_blanks();
    reader.word()
}

/// Says whether any part of a here-document's delimiter is quoted: then its body is taken as it stands.
fn here_is_quoted(reader: &Reader) -> bool {
    let mut ahead = 0;
    while let Some(c) = reader.peek_at(ahead).filter(|c| !c.is_whitespace()) {
        if matches!(c, '\'' | '"' | '\\') {
            return true;
        }
        ahead += 1;
    }
    false
}

/// Stands for a body that has not been read yet.
fn body_slot(number: usize) -> Word {
    Word(vec![Part::Variable { name: format!("{BODY}{number}"), quoted: true, instead: None }])
}

const BODY: &str = "<<";

/// Puts the bodies of here-documents where they were announced.
fn place_bodies(script: &mut Script, bodies: &[Word]) {
    for command in script.0.iter_mut().flat_map(|item| &mut item.pipeline) {
        let redirects = match command {
            Command::Simple(simple) => {
                let words = simple.words.iter_mut().chain(simple.assignments.iter_mut().map(|(_, word)| word));
                words.for_each(|word| place_in_word(word, bodies));
                &mut simple.redirects
            }
            Command::Group(group) => {
                place_bodies(&mut group.body, bodies);
                if let GroupKind::For { values, .. } = &mut group.kind {
                    values.iter_mut().for_each(|word| place_in_word(word, bodies));
                }
                &mut group.redirects
            }
        };
        for redirect in redirects {
            match redirect {
                Redirect::Text(word) | Redirect::Read(word) | Redirect::Write { target: word, .. } => {
                    place_in_word(word, bodies);
                }
            }
        }
    }
}

fn place_in_word(word: &mut Word, bodies: &[Word]) {
    if let [Part::Variable { name, .. }] = word.0.as_slice()
        && let Some(number) = name.strip_prefix(BODY)
    {
        let body = number.parse::<usize>().ok().and_then(|number| bodies.get(number));
        *word = body.cloned().unwrap_or_else(|| Word::text(""));
        return;
    }
    for part in &mut word.0 {
        match part {
            Part::Substitution { script, .. } | Part::Process(script) => place_bodies(script, bodies),
            Part::Arithmetic(word) | Part::Altered { operand: word, .. } => place_in_word(word, bodies),
            Part::Text(_) | Part::Variable { .. } | Part::Unknown => {}
        }
    }
}
