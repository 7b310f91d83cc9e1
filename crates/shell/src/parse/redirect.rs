//! Redirections, and the bodies of here-documents, which stand lines behind them.

use crate::parse::reader::{Reader, TooDeep};
use crate::parse::syntax::{Command, GroupKind, Output, Part, Redirect, Script, Value, Word};

pub(crate) fn redirects(reader: &mut Reader) -> Result<Vec<Redirect>, TooDeep> {
    let mut all = Vec::new();
    loop {
        reader.skip_blanks();
        match redirect(reader)? {
            Some(found) => all.extend(found),
            None => return Ok(all),
        }
    }
}

/// Reads one redirection: `None` if none begins, an empty list for one without a file.
pub(crate) fn redirect(reader: &mut Reader) -> Result<Option<Vec<Redirect>>, TooDeep> {
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

/// Returns true if any part of a here-document's delimiter is quoted: then its body is taken as it stands.
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
pub(crate) fn place_bodies(script: &mut Script, bodies: &[Word]) {
    for command in script.0.iter_mut().flat_map(|item| &mut item.pipeline) {
        let redirects = match command {
            Command::Simple(simple) => {
                simple.words.iter_mut().for_each(|word| place_in_word(word, bodies));
                for assignment in &mut simple.assignments {
                    match &mut assignment.value {
                        Value::One(word) => place_in_word(word, bodies),
                        Value::List(list) => list.iter_mut().for_each(|(_, word)| place_in_word(word, bodies)),
                    }
                }
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
