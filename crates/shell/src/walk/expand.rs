//! Expands words: variables, braces, tilde, substitutions. If several values are possible, all are returned.

use crate::parse::alter;
use crate::parse::syntax::{Part, Script, Word, mark};
use crate::walk::report::Written;
use crate::walk::variable::slice;
use crate::walk::{Stop, Upstream, Walk};

/// The maximum number of texts one word may become.
const MOST: usize = 1_024;
/// The maximum number of bytes they may have together: `a=$a$a` doubles with each repetition.
const LONGEST: usize = 2 << 20;
/// The maximum number of bytes that one command may make by expansion.
pub(crate) const WORK: usize = 32 << 20;

impl Walk<'_> {
    /// Returns the texts that a word becomes, and follows the substitutions in it.
    pub(crate) fn expand(&mut self, word: &Word) -> Result<Vec<String>, Stop> {
        let mut texts = Vec::new();
        for text in self.parts(word, Shape::Words)? {
            braces(&text, &mut texts);
        }
        self.work += texts.iter().map(String::len).sum::<usize>();
        if texts.len() > MOST || self.work > WORK {
            return Err(Stop);
        }
        Ok(texts.into_iter().map(|text| settle(&text)).collect())
    }

    /// Puts the parts of a word together.
    fn parts(&mut self, word: &Word, shape: Shape) -> Result<Vec<String>, Stop> {
        let whole = shape == Shape::Text;
        let mut done: Vec<String> = Vec::new();
        let mut open = vec![String::new()];
        let mut empty = !whole;
        let signs = if whole || !word.0.iter().any(splits) { None } else { self.separators() };
        for part in &word.0 {
            match part {
                Part::Text(text) => {
                    // `"$@"` without words is no word, `""` is one.
                    empty &= text.is_empty() && word.0.iter().any(is_words);
                    open.iter_mut().for_each(|head| head.push_str(text));
                }
                Part::Unknown => {
                    empty = false;
                    open.iter_mut().for_each(|head| head.push(mark::UNKNOWN));
                }
                Part::Variable { .. } | Part::Altered { .. } => {
                    let (values, quoted) = self.held(part, whole)?;
                    empty &= (!quoted || values.is_empty()) && values.iter().all(String::is_empty);
                    join(&mut done, &mut open, &values, quoted, signs.as_deref());
                }
                Part::Process(script) => {
                    empty = false;
                    let inner = self.run_apart(script)?;
                    let name = format!("/dev/fd/{}", self.files.len() + 63);
                    open.iter_mut().for_each(|head| head.push_str(&name));
                    let unknown = if inner.fetched { Written::Downloaded } else { Written::Unknown };
                    self.files.push((name, inner.output.map_or(unknown, Written::Text)));
                }
                Part::Arithmetic(inner) => {
                    empty = false;
                    self.expand(inner)?;
                    open.iter_mut().for_each(|head| head.push(mark::UNKNOWN));
                }
                Part::Substitution { script, quoted } => {
                    let output = self.output(script)?;
                    empty &= !*quoted && output.is_empty();
                    join(&mut done, &mut open, &[output], *quoted || whole, signs.as_deref());
                }
            }
            if done.len() + open.len() > MOST || open.iter().map(String::len).sum::<usize>() > LONGEST {
                return Err(Stop);
            }
        }
        if !empty {
            done.append(&mut open);
        }
        Ok(done)
    }

    /// The values of a variable as it is used, and whether they stay whole.
    fn held(&mut self, part: &Part, whole: bool) -> Result<(Vec<String>, bool), Stop> {
        let (values, name, quoted) = match part {
            Part::Variable { name, quoted, instead: None } => (self.value(name), name, *quoted),
            Part::Variable { name, quoted, instead: Some((sign, other)) } => {
                let other = if *quoted || whole { self.expand_value(other)? } else { self.expand(other)? };
                (self.value_or(name, *sign, other)?, name, *quoted)
            }
            Part::Altered { name, quoted, sign, operand } => {
                let operand = self.expand_whole(operand)?;
                let values = self.value(name);
                let values: Vec<String> = match *sign {
                    "!" => values.iter().flat_map(|name| self.value(name)).collect(),
                    ":" if self.is_list(name) => {
                        slice(&values, &operand, usize::from(matches!(name.as_str(), "@" | "*")))
                    }
                    sign => values.iter().flat_map(|value| alter::alter(value, sign, &operand)).collect(),
                };
                (values, name, *quoted)
            }
            _ => return Ok((Vec::new(), true)),
        };
        let list = values.len() > 1 && self.is_list(name);
        self.plural |= values.len() > 1 && !list;
        let one = list && (whole || quoted && name.ends_with(['*']) || quoted && name.ends_with("[*]"));
        let joint = || self.separators().map_or_else(|| " ".to_owned(), |signs| signs.chars().take(1).collect());
        Ok((if one { vec![values.join(&joint())] } else { values }, quoted || whole))
    }

    /// Returns the values of a word that is not split.
    pub(crate) fn expand_value(&mut self, word: &Word) -> Result<Vec<String>, Stop> {
        let values = self.parts(word, Shape::Text)?;
        self.work += values.iter().map(String::len).sum::<usize>();
        if self.work > WORK {
            return Err(Stop);
        }
        Ok(values.into_iter().map(|text| settle(&text)).collect())
    }

    /// Expands a word that is one text whatever it holds, such as a here-document.
    pub(crate) fn expand_whole(&mut self, word: &Word) -> Result<String, Stop> {
        Ok(self.expand_value(word)?.join("\n"))
    }

    /// Follows a substitution and says what it prints, as far as that is known.
    fn output(&mut self, script: &Script) -> Result<String, Stop> {
        let inner = self.run_apart(script)?;
        Ok(match inner.output {
            Some(text) => text.trim_end_matches('\n').to_owned(),
            None if inner.fetched => String::from_iter([mark::UNKNOWN, mark::FETCHED]),
            None => mark::UNKNOWN.to_string(),
        })
    }

    /// Follows a substitution's script and returns its words.
    fn run_apart(&mut self, script: &Script) -> Result<Upstream, Stop> {
        self.step()?;
        let (cwds, outer) = (self.cwds.clone(), std::mem::take(&mut self.upstream));
        let (printed, heard) = (self.printed.replace(String::new()), std::mem::replace(&mut self.heard, true));
        let (spilled, fetched) = (std::mem::take(&mut self.spilled), std::mem::take(&mut self.prints_download));
        let (outcome, run, doubts) = (self.outcome, self.run, self.doubts.len());
        self.outcome.capture();
        self.captured = None;
        self.script(script)?;
        (self.outcome, self.run) = (outcome, run);
        self.doubts.truncate(doubts);
        let output = std::mem::replace(&mut self.printed, printed);
        (self.cwds, self.heard) = (cwds, heard);
        let fetched = std::mem::replace(&mut self.prints_download, fetched);
        let inner = Upstream { output, fetched, ..std::mem::replace(&mut self.upstream, outer) };
        self.mind_spill(&inner);
        self.spilled = spilled;
        Ok(inner)
    }
}

/// `"$@"`, `"${list[@]}"`.
fn is_words(part: &Part) -> bool {
    matches!(part, Part::Variable { name, quoted: true, instead: None } if name == "@" || name.ends_with("[@]"))
}

/// Where a word stands: as words of a command, or where it is one text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Words,
    Text,
}

/// Turns the marks that need no more context into text.
fn settle(text: &str) -> String {
    let mut settled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            mark::BRACKET => match rest.find([']', '/']).filter(|end| rest[*end..].starts_with(']') && *end > 0) {
                Some(end) => {
                    settled.push(mark::ONE);
                    rest = &rest[end + 1..];
                }
                None => settled.push('['),
            },
            mark::OPEN => settled.push('{'),
            mark::COMMA => settled.push(','),
            mark::CLOSE => settled.push('}'),
            other => settled.push(other),
        }
    }
    settled
}

/// Says whether a part of a word may fall apart.
fn splits(part: &Part) -> bool {
    matches!(
        part,
        Part::Variable { quoted: false, .. }
            | Part::Altered { quoted: false, .. }
            | Part::Substitution { quoted: false, .. }
    )
}

/// Adds values to what has been read of a word; unquoted ones fall apart at blanks or at the signs given.
fn join(done: &mut Vec<String>, open: &mut Vec<String>, values: &[String], quoted: bool, signs: Option<&str>) {
    let parts = |c: char| signs.map_or(c.is_whitespace(), |signs| signs.contains(c));
    let mut next: Vec<String> = Vec::new();
    for value in values {
        // The caller gives up on more than this.
        if next.len() + done.len() > MOST {
            break;
        }
        let pieces: Vec<&str> = match quoted {
            true => vec![value],
            false => value.split(parts).filter(|piece| !piece.is_empty()).collect(),
        };
        match pieces.as_slice() {
            [] => next.extend(open.iter().cloned()),
            [only] => next.extend(open.iter().map(|head| format!("{head}{only}"))),
            [first, middle @ .., last] => {
                done.extend(open.iter().map(|head| format!("{head}{first}")));
                done.extend(middle.iter().map(|piece| (*piece).to_owned()));
                next.push((*last).to_owned());
            }
        }
    }
    if !values.is_empty() {
        *open = next;
    }
}

/// Expands `{a,b}` and `{a..c}`, marks only.
fn braces(text: &str, texts: &mut Vec<String>) {
    if texts.len() > MOST {
        return;
    }
    let Some((start, end, choices)) = first_group(text) else {
        texts.push(text.to_owned());
        return;
    };
    for choice in choices {
        braces(&format!("{}{choice}{}", &text[..start], &text[end + mark::CLOSE.len_utf8()..]), texts);
    }
}

/// The texts that `a..c`, `1..9` and `01..9..2` stand for; one that is not known if there are too many.
fn range(text: &str) -> Option<Vec<String>> {
    let mut ends = text.split("..");
    let (from, to, step) = (ends.next()?, ends.next()?, ends.next());
    let step = step.map_or(Ok(1), str::parse::<i64>).ok()?.unsigned_abs().max(1);
    let letter = |text: &str| {
        let mut letters = text.chars();
        letters.next().filter(|c| letters.as_str().is_empty() && c.is_ascii_alphabetic())
    };
    let number = |text: &str| text.parse::<i64>().ok();
    let letters = letter(from).zip(letter(to));
    let (first, last) = match letters {
        Some((first, last)) => (i64::from(u32::from(first)), i64::from(u32::from(last))),
        None => number(from).zip(number(to))?,
    };
    if ends.next().is_some() {
        return None;
    }
    if first.abs_diff(last) / step >= MOST as u64 {
        return Some(vec![mark::UNKNOWN.to_string()]);
    }
    let padded = [from, to].iter().any(|end| end.trim_start_matches('-').starts_with('0') && end.len() > 1);
    let width = if padded { from.len().max(to.len()) } else { 0 };
    let stride = i64::try_from(step).ok()?;
    let values = (0..=first.abs_diff(last) / step).filter_map(|at| {
        let far = stride.checked_mul(i64::try_from(at).ok()?)?;
        let value = if last < first { first - far } else { first + far };
        match letters {
            Some(_) => Some(char::from(u8::try_from(value).ok()?).to_string()),
            None => Some(format!("{value:0width$}")),
        }
    });
    Some(values.collect())
}

/// Finds the first brace pair with a comma of its own or a range in it: where it opens, closes, and what it stands for.
fn first_group(text: &str) -> Option<(usize, usize, Vec<String>)> {
    for (start, _) in text.match_indices(mark::OPEN) {
        let (mut level, mut commas) = (0_usize, Vec::new());
        for (at, c) in text[start..].char_indices() {
            match c {
                mark::OPEN => level += 1,
                mark::COMMA if level == 1 => commas.push(start + at),
                mark::CLOSE => {
                    level -= 1;
                    if level == 0 {
                        let (mut from, end) = (start + mark::OPEN.len_utf8(), start + at);
                        if commas.is_empty() {
                            match range(&text[from..end]) {
                                Some(choices) => return Some((start, end, choices)),
                                None => break,
                            }
                        }
                        let mut choices = Vec::new();
                        for to in commas.into_iter().chain([end]) {
                            choices.push(text[from..to].to_owned());
                            from = to + mark::COMMA.len_utf8();
                        }
                        return Some((start, end, choices));
                    }
                }
                _ => {}
            }
        }
    }
    None
}
