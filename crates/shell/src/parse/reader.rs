//! The lexer: quotes, escapes, expansions, here-documents. It never fails; an unfinished part ends with the text.

use crate::parse;
use crate::parse::alter;
use crate::parse::parts::Parts;
use crate::parse::syntax::{Part, Script, Word, mark};

/// How deep substitutions and groups may nest before we stop understanding.
pub(crate) const DEPTH: usize = 40;

/// The maximum number of words of one text.
const WORDS: usize = 100_000;

/// Says that a command was too deep to be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooDeep;

pub(crate) struct Reader {
    chars: Vec<char>,
    at: usize,
    pub(crate) depth: usize,
    /// Here-documents announced on this line: delimiter, whether it was quoted, whether tabs go.
    awaited: Vec<(String, bool, bool)>,
    /// Bodies read so far, in the order announced.
    pub(crate) bodies: Vec<Word>,
    announced: usize,
    /// The text ended before a quote or a parenthesis was closed.
    pub(crate) torn: bool,
    words: usize,
}

impl Reader {
    pub(crate) fn new(text: &str, depth: usize) -> Result<Self, TooDeep> {
        if depth > DEPTH {
            return Err(TooDeep);
        }
        let chars = text.chars().collect();
        Ok(Self { chars, at: 0, depth, awaited: Vec::new(), bodies: Vec::new(), announced: 0, torn: false, words: 0 })
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(crate) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let length = text.chars().count();
        let found = text.chars().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(c));
        if found {
            self.at += length;
        }
        found
    }

    /// Continues after the next character that may end a command.
    pub(crate) fn pass_over(&mut self) {
        while let Some(c) = self.bump() {
            if matches!(c, '\n' | ';' | '&' | '|') {
                break;
            }
        }
    }

    /// Skips blanks, continued lines and comments; stops at a newline.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Takes a newline and the here-documents that begin there.
    pub(crate) fn line_end(&mut self) -> Result<(), TooDeep> {
        self.at += 1;
        for (delimiter, quoted, tabs) in std::mem::take(&mut self.awaited) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let mut line = String::new();
                while let Some(c) = self.bump() {
                    if c == '\n' {
                        break;
                    }
                    line.push(c);
                }
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if line.trim_end_matches('\r') == delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let word = if quoted { Word::text(body) } else { Reader::new(&body, self.depth + 1)?.quoted(None)? };
            self.bodies.push(word);
        }
        Ok(())
    }

    /// Remembers a here-document and gives its number; its body follows the next newline.
    pub(crate) fn await_body(&mut self, delimiter: &Word, tabs: bool, quoted: bool) -> usize {
        let text = delimiter.plain().unwrap_or_default().chars().filter(|c| !mark::is_mark(*c)).collect();
        self.awaited.push((text, quoted, tabs));
        self.announced += 1;
        self.announced - 1
    }

    /// Reads one word; `None` if none begins.
    pub(crate) fn word(&mut self) -> Result<Option<Word>, TooDeep> {
        self.words += 1;
        if self.words > WORDS {
            return Err(TooDeep);
        }
        let start = self.at;
        let mut parts = Parts::default();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | ')' => break,
                '(' => {
                    // An extended glob such as `@(a|b)`; elsewhere a parenthesis ends the word.
                    if !matches!(parts.last(), Some('@' | '!' | '+' | mark::ONE | mark::MANY)) {
                        break;
                    }
                    let inner = self.balanced('(', ')');
                    let one = parts.pop() == Some('@');
                    if inner.contains(['$', '`']) {
                        // What it may run counts; what it matches is unknown.
                        let inner = Reader::new(&inner, self.depth + 1)?.quoted(None)?;
                        inner.0.into_iter().filter(|part| !matches!(part, Part::Text(_))).for_each(|p| parts.part(p));
                        parts.push(mark::MANY);
                    } else if one && !inner.contains(['(', '\'', '"', '\\', '*', '?', '[']) {
                        parts.choice(&inner);
                    } else {
                        parts.push(mark::MANY);
                    }
                }
                '~' if self.at == start => self.tilde(&mut parts),
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.at += 2;
                    let script = self.script_until_parenthesis()?;
                    parts.part(Part::Process(script));
                }
                '<' | '>' => break,
                '\\' => {
                    self.at += 1;
                    match self.bump() {
                        Some('\n') | None => {}
                        Some(escaped) => parts.push(escaped),
                    }
                }
                '\'' => {
                    self.at += 1;
                    parts.touch();
                    loop {
                        match self.bump() {
                            Some('\'') => break,
                            Some(c) => parts.push(c),
                            None => {
                                self.torn = true;
                                break;
                            }
                        }
                    }
                }
                '"' => {
                    self.at += 1;
                    parts.touch();
                    parts.extend(self.quoted(Some('"'))?);
                }
                '`' => parts.part(self.backticks(false)?),
                '$' => self.dollar(&mut parts, false)?,
                _ => {
                    self.at += 1;
                    parts.push(match c {
                        '*' => mark::MANY,
                        '?' => mark::ONE,
                        '[' => mark::BRACKET,
                        '{' => mark::OPEN,
                        ',' => mark::COMMA,
                        '}' => mark::CLOSE,
                        other => other,
                    });
                }
            }
        }
        Ok((self.at > start).then(|| parts.finish()))
    }

    /// Reads the tilde before a word: the own home, the current or previous folder, another user's home.
    fn tilde(&mut self, parts: &mut Parts) {
        self.at += 1;
        let ends = |c: char| c.is_whitespace() || "/;|&()<>".contains(c);
        let mut name = String::new();
        while let Some(c) = self.peek_at(name.len()).filter(|c| !ends(*c) && c.is_ascii()) {
            name.push(c);
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let variable = match name.as_str() {
            "+" => "PWD".to_owned(),
            "-" => "OLDPWD".to_owned(),
            name if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(plain) => {
                format!("~{name}")
            }
            _ => return parts.push('~'),
        };
        self.at += name.len();
        parts.part(Part::Variable { name: variable, quoted: true, instead: None });
    }

    /// Reads as inside double quotes, up to the closing character or the end.
    pub(crate) fn quoted(&mut self, close: Option<char>) -> Result<Word, TooDeep> {
        let mut parts = Parts::default();
        parts.touch();
        loop {
            let Some(c) = self.peek() else {
                self.torn |= close.is_some();
                break;
            };
            if Some(c) == close {
                self.at += 1;
                break;
            }
            match c {
                '\\' if self.peek_at(1).is_some_and(|next| "$`\"\\\n".contains(next)) => {
                    self.at += 1;
                    match self.bump() {
                        Some('\n') | None => {}
                        Some(escaped) => parts.push(escaped),
                    }
                }
                '`' => parts.part(self.backticks(true)?),
                '$' => self.dollar(&mut parts, true)?,
                _ => {
                    self.at += 1;
                    parts.push(c);
                }
            }
        }
        Ok(parts.finish())
    }

    fn dollar(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), TooDeep> {
        self.at += 1;
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') => {
                let inner = self.balanced('(', ')');
                parts.part(if is_arithmetic(&inner) {
                    Part::Arithmetic(Reader::new(&inner, self.depth + 1)?.quoted(None)?)
                } else {
                    // A subshell in a substitution.
                    Part::Substitution { script: parse::parse_inner(&inner, self.depth + 1)?, quoted }
                });
            }
            Some('(') => {
                self.at += 1;
                let script = self.script_until_parenthesis()?;
                parts.part(Part::Substitution { script, quoted });
            }
            Some('{') => {
                let inner = self.balanced('{', '}');
                parts.part(self.braced(&inner, quoted)?);
            }
            Some('\'') if !quoted => {
                self.at += 1;
                parts.touch();
                self.ansi(parts);
            }
            Some('"') if !quoted => {
                self.at += 1;
                parts.touch();
                parts.extend(self.quoted(Some('"'))?);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                    self.at += 1;
                }
                parts.part(Part::Variable { name, quoted, instead: None });
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 1;
                parts.part(Part::Variable { name: c.to_string(), quoted, instead: None });
            }
            _ => parts.push('$'),
        }
        Ok(())
    }

    /// Reads what stands in `${…}`.
    fn braced(&self, inner: &str, quoted: bool) -> Result<Part, TooDeep> {
        let length = inner.strip_prefix('#').is_some_and(|rest| !rest.is_empty());
        let indirect = inner.starts_with('!');
        let inner = inner.trim_start_matches(['!', '#']);
        let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inner.len());
        let (name, rest) = inner.split_at(end);
        if length || name.is_empty() && !rest.starts_with(['@', '*']) {
            return Ok(Part::Unknown);
        }
        let (name, rest) = if name.is_empty() { rest.split_at(1) } else { (name, rest) };
        let key = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if indirect && (key.is_some() || rest.starts_with(['@', '*'])) {
            // The names or keys that there are.
            return Ok(Part::Unknown);
        }
        let (name, rest) = match key {
            Some((key, rest)) => (format!("{name}[{}]", key.trim_matches(['"', '\''])), rest),
            None => (name.to_owned(), rest),
        };
        if indirect && rest.is_empty() {
            return Ok(Part::Altered { name, quoted, sign: "!", operand: Word::default() });
        }
        if let Some((key, _)) = key.filter(|(key, _)| key.contains("$(") || key.contains('`')) {
            let operand = Reader::new(key, self.depth + 1)?.quoted(None)?;
            return Ok(Part::Altered { name, quoted, sign: "@", operand });
        }
        if let Some((sign, operand)) = alter::split(rest) {
            let operand = Reader::new(operand, self.depth + 1)?.quoted(None)?;
            return Ok(Part::Altered { name, quoted, sign, operand });
        }
        let operand = rest.trim_start_matches(':');
        let instead = match operand.chars().next() {
            Some(sign @ ('-' | '=' | '+')) => Some((sign, Reader::new(&operand[1..], self.depth + 1)?.quoted(None)?)),
            _ => None,
        };
        Ok(Part::Variable { name, quoted, instead })
    }

    fn ansi(&mut self, parts: &mut Parts) {
        while let Some(c) = self.bump().filter(|c| *c != '\'') {
            if c != '\\' {
                parts.push(c);
                continue;
            }
            match self.bump() {
                Some('n') => parts.push('\n'),
                Some('t') => parts.push('\t'),
                Some('r') => parts.push('\r'),
                Some('x') => self.code(parts, 16, 2, 0),
                Some('u') => self.code(parts, 16, 4, 0),
                Some('U') => self.code(parts, 16, 8, 0),
                Some(digit @ '0'..='7') => self.code(parts, 8, 2, digit.to_digit(8).unwrap_or(0)),
                Some(other) => parts.push(other),
                None => {}
            }
        }
    }

    fn code(&mut self, parts: &mut Parts, radix: u32, most: usize, first: u32) {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        parts.push(char::from_u32(value).filter(|c| !mark::is_mark(*c)).unwrap_or(mark::UNKNOWN));
    }

    fn backticks(&mut self, quoted: bool) -> Result<Part, TooDeep> {
        self.at += 1;
        let mut inner = String::new();
        while let Some(c) = self.bump().filter(|c| *c != '`') {
            match (c, self.peek()) {
                ('\\', Some(next @ ('`' | '\\' | '$'))) => {
                    inner.push(next);
                    self.at += 1;
                }
                _ => inner.push(c),
            }
        }
        let script = parse::parse_inner(&inner, self.depth + 1)?;
        Ok(Part::Substitution { script, quoted })
    }

    /// Reads a script up to the parenthesis that closes it.
    pub(crate) fn script_until_parenthesis(&mut self) -> Result<Script, TooDeep> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(TooDeep);
        }
        let script = parse::script(self, &[])?;
        self.depth -= 1;
        match self.peek() {
            Some(')') => self.at += 1,
            _ => self.torn = true,
        }
        Ok(script)
    }

    /// Takes text from an opening character to its counterpart, respecting quotes; returns the text between them.
    pub(crate) fn balanced(&mut self, open: char, close: char) -> String {
        let (mut inner, mut level, mut quote) = (String::new(), 0_usize, None);
        while let Some(c) = self.bump() {
            match quote {
                Some(mark) if c == mark => quote = None,
                Some(_) => {}
                None if c == '\'' || c == '"' => quote = Some(c),
                None if c == open => {
                    level += 1;
                    if level == 1 {
                        continue;
                    }
                }
                None if c == close => {
                    level -= 1;
                    if level == 0 {
                        break;
                    }
                }
                None => {}
            }
            inner.push(c);
            if c == '\\' {
                inner.extend(self.bump());
            }
        }
        inner
    }
}

/// Returns true for `(a + 1)`, the inside of double parentheses, and false for a command in parentheses, in which two
/// words are next to each other.
pub(crate) fn is_arithmetic(text: &str) -> bool {
    // With anything between them the parentheses are not double.
    if !(text.starts_with('(') && text.ends_with(')')) {
        return false;
    }
    let (mut word, mut blank) = (false, false);
    // How deep we are in a substitution: what stands there is not part of the sum.
    let mut nested = 0_usize;
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '(' if nested > 0 || before == '$' => nested += 1,
            ')' if nested > 0 => nested -= 1,
            _ if nested > 0 => {}
            '$' | '{' | '}' | '#' | '[' | ']' | '@' => {}
            c if c.is_ascii_alphanumeric() || c == '_' => {
                if word && blank {
                    return false;
                }
                (word, blank) = (true, false);
            }
            c if c.is_whitespace() => blank = true,
            c if "+-*/%<>=!&|^~?:,()".contains(c) => (word, blank) = (false, false),
            _ => return false,
        }
        before = c;
    }
    true
}
