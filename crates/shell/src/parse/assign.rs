//! Assignments: of one value, of an array, to an element.

use crate::parse::reader::{Reader, TooDeep};
use crate::parse::syntax::{Assignment, Part, Value, Word, mark};

/// Reads a word as an assignment, with the array behind it; `None` if it is none.
pub(crate) fn assignment(reader: &mut Reader, word: &Word) -> Result<Option<Assignment>, TooDeep> {
    let Some((name, adds, value)) = split(word) else { return Ok(None) };
    let value =
        if value.0.is_empty() && reader.peek() == Some('(') { Value::List(list(reader)?) } else { Value::One(value) };
    Ok(Some(Assignment { name, value, adds }))
}

/// Splits `name=value`, `name[key]=value` and both with `+=`.
fn split(word: &Word) -> Option<(String, bool, Word)> {
    let Part::Text(text) = word.0.first()? else { return None };
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let sign = |rest: &str| match rest.strip_prefix("+=") {
        Some(value) => Some((true, value.to_owned())),
        None => rest.strip_prefix('=').map(|value| (false, value.to_owned())),
    };
    let (name, (adds, value), used) = match rest.strip_prefix(mark::BRACKET) {
        None => (name.to_owned(), sign(rest)?, 1),
        Some(rest) => match rest.split_once(']') {
            Some((key, rest)) => (format!("{name}[{key}]"), sign(rest)?, 1),
            // The key is put together from several parts.
            None => {
                let closing = |(at, part): (usize, &Part)| match part {
                    Part::Text(text) => text.split_once(']').map(|(_, rest)| (at, rest.to_owned())),
                    _ => None,
                };
                let (at, rest) = word.0.iter().enumerate().skip(1).find_map(closing)?;
                (format!("{name}[]"), sign(&rest)?, at + 1)
            }
        },
    };
    let first = (!value.is_empty()).then_some(Part::Text(value));
    Some((name, adds, Word(first.into_iter().chain(word.0[used..].iter().cloned()).collect())))
}

/// Reads the elements of an array.
fn list(reader: &mut Reader) -> Result<Vec<(Option<String>, Word)>, TooDeep> {
    let inner = reader.balanced('(', ')');
    let mut reader = Reader::new(&inner, reader.depth + 1)?;
    let mut elements = Vec::new();
    loop {
        reader.skip_blanks();
        match reader.word()? {
            Some(word) => elements.push(keyed(word)),
            None if reader.bump().is_none() => return Ok(elements),
            None => {}
        }
    }
}

/// Takes `[key]=` off an element.
fn keyed(mut word: Word) -> (Option<String>, Word) {
    let Some(Part::Text(text)) = word.0.first_mut() else { return (None, word) };
    let split = text.strip_prefix(mark::BRACKET).and_then(|rest| rest.split_once("]="));
    let Some((key, value)) = split.map(|(key, value)| (key.to_owned(), value.to_owned())) else { return (None, word) };
    *text = value;
    (Some(key), word)
}
