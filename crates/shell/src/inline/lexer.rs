//! The lexer: strings with their escapes and interpolations, names, operators. Comments and regular expressions are
//! skipped.

use crate::decode::unescape;

use crate::inline::language::Language;

/// The maximum length of a program that is read.
pub(crate) const LONGEST: usize = 256 * 1024;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Name(String),
    Number(String),
    /// A string: pieces of text and pieces of code between them.
    Text(Vec<Piece>),
    /// A string that is run as a command.
    Command(Vec<Piece>),
    Sign(char),
    /// A newline, where one may end a statement; with the column where the next line begins.
    Line(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Code(String),
}

pub(crate) fn tokens(language: Language, text: &str) -> Vec<Token> {
    let mut lexer = Lexer { language, chars: text.chars().take(LONGEST).collect(), at: 0, tokens: Vec::new() };
    lexer.run();
    lexer.tokens
}

struct Lexer {
    language: Language,
    chars: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            match c {
                '\n' => {
                    self.at += 1;
                    let column = self.chars[self.at..].iter().take_while(|c| matches!(c, ' ' | '\t')).count();
                    self.tokens.push(Token::Line(column));
                }
                c if c.is_whitespace() => self.at += 1,
                '\\' if self.peek(1) == Some('\n') => self.at += 2,
                _ if self.comment() => {}
                '\'' | '"' => self.string(c, ""),
                '`' => self.backtick(),
                '/' if self.pattern_may_begin() => self.pattern(),
                c if c.is_alphabetic() || c == '_' || c == '$' || c == '@' && self.language != Language::Python => {
                    self.name()
                }
                c if c.is_ascii_digit() => self.number(),
                '%' if self.language == Language::Ruby && self.percent() => {}
                c => {
                    self.at += 1;
                    self.tokens.push(Token::Sign(c));
                }
            }
        }
    }

    fn comment(&mut self) -> bool {
        let two = (self.peek(0), self.peek(1));
        let slashes = matches!(self.language, Language::JavaScript | Language::Php);
        let line = match self.language {
            Language::JavaScript => two == (Some('/'), Some('/')),
            Language::Lua => two == (Some('-'), Some('-')),
            Language::Php => two.0 == Some('#') || two == (Some('/'), Some('/')),
            Language::Perl => two.0 == Some('#') && self.at.checked_sub(1).is_none_or(|at| self.chars[at] != '$'),
            Language::Python | Language::Ruby => two.0 == Some('#'),
        };
        if line {
            while self.peek(0).is_some_and(|c| c != '\n') {
                self.at += 1;
            }
        } else if slashes && two == (Some('/'), Some('*')) {
            while self.at < self.chars.len() && (self.peek(0), self.peek(1)) != (Some('*'), Some('/')) {
                self.at += 1;
            }
            self.at += 2;
        }
        line || slashes && two == (Some('/'), Some('*'))
    }

    fn name(&mut self) {
        let start = self.at;
        self.at += 1;
        while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            self.at += 1;
        }
        let name: String = self.chars[start..self.at].iter().collect();
        match (self.language, self.peek(0)) {
            (Language::Python, Some(quote @ ('\'' | '"')))
                if name.len() <= 2 && name.chars().all(|c| "rRbBfFuU".contains(c)) =>
            {
                self.string(quote, &name.to_lowercase());
            }
            (Language::Perl, Some(sign))
                if matches!(name.as_str(), "q" | "qq" | "qw" | "qx" | "m" | "qr" | "s" | "tr" | "y") =>
            {
                self.perl_quote(&name, sign);
            }
            _ => self.tokens.push(Token::Name(name)),
        }
    }

    fn number(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') {
            self.at += 1;
        }
        self.tokens.push(Token::Number(self.chars[start..self.at].iter().collect()));
    }

    fn string(&mut self, quote: char, prefix: &str) {
        let triple = self.language == Language::Python && self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        self.at += if triple { 3 } else { 1 };
        let mut raw = String::new();
        while let Some(c) = self.peek(0) {
            let ends = if triple { (0..3).all(|ahead| self.peek(ahead) == Some(quote)) } else { c == quote };
            let torn = !triple
                && c == '\n'
                && matches!(self.language, Language::Python | Language::JavaScript | Language::Lua);
            if ends || torn {
                self.at += if ends && triple { 3 } else { usize::from(ends) };
                break;
            }
            raw.push(c);
            self.at += 1;
            if c == '\\'
                && let Some(next) = self.peek(0)
            {
                raw.push(next);
                self.at += 1;
            }
        }
        let filled = match self.language {
            Language::Python => prefix.contains('f'),
            language => language.fills_double_quotes() && quote == '"',
        };
        let plain = prefix.contains('r') || quote == '\'' && self.language.fills_double_quotes();
        let pieces = if filled { self.holes(&raw) } else { vec![Piece::Text(raw)] };
        self.tokens.push(Token::Text(decode(pieces, plain)));
    }

    fn backtick(&mut self) {
        self.at += 1;
        let mut raw = String::new();
        while let Some(c) = self.peek(0).filter(|c| *c != '`') {
            raw.push(c);
            self.at += 1;
            if c == '\\'
                && let Some(next) = self.peek(0)
            {
                raw.push(next);
                self.at += 1;
            }
        }
        self.at += 1;
        let pieces = decode(self.holes(&raw), false);
        self.tokens.push(if self.language == Language::JavaScript {
            Token::Text(pieces)
        } else {
            Token::Command(pieces)
        });
    }

    /// `%w[…]`, `%q(…)`, `%x(…)` of Ruby.
    fn percent(&mut self) -> bool {
        let (Some(kind), Some(sign)) = (self.peek(1), self.peek(2)) else { return false };
        if !"qQwx".contains(kind) || sign.is_alphanumeric() || sign.is_whitespace() {
            return false;
        }
        self.at += 2;
        let raw = self.delimited(sign);
        self.quote_token(kind, raw);
        true
    }

    fn perl_quote(&mut self, name: &str, sign: char) {
        let usual = !sign.is_alphanumeric() && !sign.is_whitespace() && !"=,;)".contains(sign);
        // `y` and `s` are also names; `=>` after them says so.
        if !usual || name.len() == 1 && matches!(sign, '.' | '-' | '+' | '>') {
            self.tokens.push(Token::Name(name.to_owned()));
            return;
        }
        let raw = self.delimited(sign);
        match name {
            "s" | "tr" | "y" => {
                // The second half has its own delimiters after a bracket, and shares the middle sign otherwise.
                if closing(sign) == sign {
                    self.at -= 1;
                }
                let sign = self.peek(0).unwrap_or(sign);
                self.delimited(sign);
                while self.peek(0).is_some_and(char::is_alphabetic) {
                    self.at += 1;
                }
            }
            "m" | "qr" => {}
            _ => self.quote_token(if name == "qq" { 'Q' } else { name.chars().last().unwrap_or('q') }, raw),
        }
    }

    fn quote_token(&mut self, kind: char, raw: String) {
        match kind {
            'w' => {
                let words: Vec<String> = raw.split_whitespace().map(str::to_owned).collect();
                self.tokens.push(Token::Sign('['));
                for word in words {
                    self.tokens.push(Token::Text(vec![Piece::Text(word)]));
                    self.tokens.push(Token::Sign(','));
                }
                self.tokens.push(Token::Sign(']'));
            }
            'x' => {
                let pieces = decode(self.holes(&raw), false);
                self.tokens.push(Token::Command(pieces));
            }
            'Q' => {
                let pieces = decode(self.holes(&raw), false);
                self.tokens.push(Token::Text(pieces));
            }
            _ => self.tokens.push(Token::Text(vec![Piece::Text(raw)])),
        }
    }

    /// Takes text between a delimiter and its counterpart.
    fn delimited(&mut self, open: char) -> String {
        let close = closing(open);
        self.at += 1;
        let (mut raw, mut level) = (String::new(), 0_usize);
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\\' => {
                    raw.push(c);
                    raw.extend(self.peek(0));
                    self.at += 1;
                    continue;
                }
                c if c == close && level == 0 => break,
                c if c == close => level -= 1,
                c if c == open && open != close => level += 1,
                _ => {}
            }
            raw.push(c);
        }
        raw
    }

    /// A slash is a division after a value; elsewhere it starts a regular expression.
    fn pattern_may_begin(&self) -> bool {
        let divides = match self.tokens.last() {
            Some(Token::Name(name)) => {
                !matches!(name.as_str(), "return" | "if" | "and" | "or" | "not" | "when" | "unless" | "split" | "grep")
            }
            Some(Token::Number(_) | Token::Text(_) | Token::Command(_)) => true,
            Some(Token::Sign(sign)) => matches!(sign, ')' | ']' | '}'),
            Some(Token::Line(_)) | None => false,
        };
        !divides && matches!(self.language, Language::JavaScript | Language::Ruby | Language::Perl)
    }

    fn pattern(&mut self) {
        let line_end = self.chars[self.at..].iter().position(|c| *c == '\n').unwrap_or(self.chars.len() - self.at);
        let (mut ahead, mut in_class) = (1, false);
        while ahead < line_end {
            match self.peek(ahead) {
                Some('\\') => ahead += 1,
                Some('[') => in_class = true,
                Some(']') => in_class = false,
                Some('/') if !in_class => {
                    self.at += ahead + 1;
                    while self.peek(0).is_some_and(char::is_alphabetic) {
                        self.at += 1;
                    }
                    self.tokens.push(Token::Number("0".to_owned()));
                    return;
                }
                _ => {}
            }
            ahead += 1;
        }
        self.at += 1;
        self.tokens.push(Token::Sign('/'));
    }

    /// Splits a string into text and interpolations: `{x}`, `${x}`, `#{x}`, `$x`.
    fn holes(&self, raw: &str) -> Vec<Piece> {
        let signs: Vec<char> = raw.chars().collect();
        let (mut pieces, mut text, mut at) = (Vec::new(), String::new(), 0);
        while let Some(&c) = signs.get(at) {
            let next = signs.get(at + 1).copied();
            let braced = match self.language {
                Language::Python if c == '{' && next == Some('{') => {
                    text.push('{');
                    at += 2;
                    continue;
                }
                Language::Python if c == '}' && next == Some('}') => {
                    text.push('}');
                    at += 2;
                    continue;
                }
                Language::Python => (c == '{').then_some(1),
                Language::JavaScript => (c == '$' && next == Some('{')).then_some(2),
                Language::Ruby => (c == '#' && next == Some('{')).then_some(2),
                Language::Php | Language::Perl => (c == '{' && next == Some('$')).then_some(1),
                Language::Lua => None,
            };
            if let Some(skip) = braced {
                let inside: String = inside(&signs[at + skip..]);
                at += skip + inside.chars().count() + 1;
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                let code = if self.language == Language::Python { plain_hole(&inside) } else { inside };
                pieces.push(Piece::Code(code));
                continue;
            }
            let bare = matches!(self.language, Language::Perl | Language::Php) && c == '$';
            if bare && next.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '{') {
                let open = usize::from(next == Some('{'));
                let name: String =
                    signs[at + 1 + open..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
                at += 1 + name.chars().count() + 2 * open;
                // `$ENV{HOME}` continues after its name.
                let mut code = format!("${name}");
                if name == "ENV" && signs.get(at) == Some(&'{') {
                    let key = inside(&signs[at + 1..]);
                    at += key.chars().count() + 2;
                    code = format!("$ENV{{{key}}}");
                }
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Code(code));
                continue;
            }
            text.push(c);
            at += 1;
            if c == '\\'
                && let Some(&next) = signs.get(at)
            {
                text.push(next);
                at += 1;
            }
        }
        pieces.push(Piece::Text(text));
        pieces
    }
}

/// The text up to the brace that closes.
fn inside(signs: &[char]) -> String {
    let mut level = 0_usize;
    let end = signs.iter().position(|c| {
        match c {
            '{' => level += 1,
            '}' if level == 0 => return true,
            '}' => level -= 1,
            _ => {}
        }
        false
    });
    signs[..end.unwrap_or(signs.len())].iter().collect()
}

/// An interpolation without its format.
fn plain_hole(code: &str) -> String {
    let code = code.split(['!', ':']).next().unwrap_or_default();
    code.trim_end_matches('=').to_owned()
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

fn decode(pieces: Vec<Piece>, plain: bool) -> Vec<Piece> {
    let decoded = pieces.into_iter().map(|piece| match piece {
        Piece::Text(text) if !plain => Piece::Text(unescape(&text)),
        Piece::Text(text) => Piece::Text(text.replace("\\'", "'")),
        code => code,
    });
    decoded.filter(|piece| *piece != Piece::Text(String::new())).collect()
}
