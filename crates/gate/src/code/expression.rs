//! Expressions: values put together, calls looked at as they are met.

use super::arguments::Arguments;
use super::eval::{DEPTH, Eval};
use super::language::Language;
use super::lexer::{Piece, Token, tokens};
use super::value::{UNKNOWN, Value};
use super::{constant, javascript, other, python, text};

impl Eval<'_> {
    /// Reads an expression and everything that is called in it.
    pub(super) fn expression(&mut self) -> Value {
        self.depth += 1;
        self.steps += 1;
        if self.depth > DEPTH {
            self.depth -= 1;
            self.at += 1;
            self.too_deep = true;
            return Value::Unknown;
        }
        let mut left = self.primary();
        loop {
            let dot = matches!(self.language, Language::Perl | Language::Php);
            let signs = (self.is_sign(0, '+'), self.is_sign(0, '.'), self.is_sign(0, '/'), self.is_sign(0, '%'));
            left = match signs {
                (true, ..) if !self.is_sign(1, '=') && !self.is_sign(1, '+') => {
                    self.at += 1;
                    let right = self.operand();
                    match (&left, &right) {
                        (Value::List(one), Value::List(two)) => Value::List(one.iter().chain(two).cloned().collect()),
                        _ => left.join("", &right),
                    }
                }
                (_, true, ..)
                    if dot && !self.is_sign(1, '=') || self.language == Language::Lua && self.is_sign(1, '.') =>
                {
                    self.at += if self.language == Language::Lua { 2 } else { 1 };
                    let right = self.operand();
                    left.join("", &right)
                }
                (_, _, true, _) if matches!(left, Value::Text { path: true, .. }) => {
                    self.at += 1;
                    let right = self.operand();
                    left.join("/", &right)
                }
                (_, _, _, true) if left.is_text() && self.language != Language::JavaScript => {
                    self.at += 1;
                    let right = self.operand();
                    let items = match right {
                        Value::List(items) => items,
                        other => vec![other],
                    };
                    text::percent(&left, &items)
                }
                _ if matches!(self.name_at(0), Some("or" | "if" | "unless")) && self.language == Language::Python => {
                    // Both branches may be meant; the first is what is named.
                    self.at += 1;
                    self.expression();
                    left
                }
                _ => break,
            };
        }
        self.depth -= 1;
        left
    }

    fn operand(&mut self) -> Value {
        while self.peek(0) == Some(&Token::Line) {
            self.at += 1;
        }
        self.primary()
    }

    fn primary(&mut self) -> Value {
        self.steps += 1;
        let value = match self.peek(0).cloned() {
            Some(Token::Text(pieces)) => {
                self.at += 1;
                let mut value = self.fill(&pieces);
                // Neighbours are one text.
                while matches!(self.language, Language::Python | Language::Ruby)
                    && let Some(Token::Text(pieces)) = self.peek(0).cloned()
                {
                    self.at += 1;
                    let next = self.fill(&pieces);
                    value = value.join("", &next);
                }
                value
            }
            Some(Token::Command(pieces)) => {
                self.at += 1;
                let text = self.fill(&pieces);
                self.starts(&text, None);
                Value::Unknown
            }
            Some(Token::Number(number)) => {
                self.at += 1;
                Value::text(number)
            }
            Some(Token::Sign('(')) => {
                let list = self.arguments(')');
                match <[Value; 1]>::try_from(list.list) {
                    Ok([only]) => only,
                    Err(list) => Value::List(list),
                }
            }
            Some(Token::Sign('[')) => Value::List(self.arguments(']').list),
            Some(Token::Name(name)) => {
                self.at += 1;
                match name.as_str() {
                    "new" | "await" | "not" | "return" | "my" | "our" | "yield" => return self.expression(),
                    "lambda" | "if" | "else" | "elif" | "while" | "def" | "class" | "function" | "end" | "do"
                    | "then" | "try" => {
                        return Value::Unknown;
                    }
                    _ => self.value_of(&name),
                }
            }
            Some(Token::Sign('!' | '&' | '\\' | '-' | '@' | '*')) => {
                self.at += 1;
                return self.expression();
            }
            _ => return Value::Unknown,
        };
        self.postfix(value)
    }

    /// Attributes, calls and indices behind a value.
    fn postfix(&mut self, mut value: Value) -> Value {
        loop {
            self.steps += 1;
            let dotted = !matches!(self.language, Language::Perl | Language::Php);
            let member = if dotted && self.is_sign(0, '.') || self.is_sign(0, '?') && self.is_sign(1, '.') {
                Some(if self.is_sign(0, '?') { 2 } else { 1 })
            } else if self.is_sign(0, '-') && self.is_sign(1, '>') || self.is_sign(0, ':') && self.is_sign(1, ':') {
                Some(2)
            } else if self.language == Language::Lua && self.is_sign(0, ':') {
                Some(1)
            } else if self.peek(0) == Some(&Token::Line) && self.is_sign(1, '.') && self.name_at(2).is_some() {
                // A chain that goes on in the next line.
                Some(2)
            } else {
                None
            };
            if let Some(skip) = member
                && let Some(name) = self.name_at(skip).map(str::to_owned)
            {
                self.at += skip + 1;
                value = self.member(value, &name);
            } else if self.is_sign(0, '(') {
                let arguments = self.arguments(')');
                value = self.call(&value, &arguments);
            } else if self.is_sign(0, '[') && !matches!(value, Value::File(_)) {
                let index = self.index(']');
                value = self.indexed(&value, &index);
            } else if self.is_sign(0, '{') && matches!(&value, Value::Name(name) if name == "$ENV" || name == "%ENV") {
                let index = self.index('}');
                value = self.indexed(&value, &index);
            } else if self.language.is_bare() && self.starts_word() && other::takes_bare(self.language, &value) {
                let arguments = self.bare_arguments();
                value = self.call(&value, &arguments);
            } else {
                return value;
            }
        }
    }

    fn starts_word(&self) -> bool {
        match self.peek(0) {
            Some(Token::Text(_)) => true,
            Some(Token::Name(name)) => {
                !matches!(name.as_str(), "if" | "unless" | "or" | "and" | "do" | "while" | "for" | "end")
            }
            Some(Token::Sign('[' | '*')) => true,
            Some(Token::Sign('<')) => false,
            _ => false,
        }
    }

    fn member(&mut self, value: Value, name: &str) -> Value {
        if self.is_sign(0, '(') {
            if matches!(name, "forEach" | "map" | "each") {
                self.arrow(&value);
            }
            if let Value::Name(module) = &value {
                return Value::Name(format!("{module}.{name}"));
            }
            let arguments = self.arguments(')');
            return self.method(&value, name, &arguments);
        }
        match &value {
            Value::Name(module) => match constant::attribute(self, module, name) {
                Some(value) => value,
                None => Value::Name(format!("{module}.{name}")),
            },
            _ if self.language == Language::Ruby || matches!(name, "parent" | "name" | "reverse") => {
                let arguments = if self.language == Language::Ruby && self.starts_word() {
                    self.bare_arguments()
                } else {
                    Arguments::default()
                };
                self.method(&value, name, &arguments)
            }
            _ => Value::Unknown,
        }
    }

    /// `list.forEach(x => …)`: the name gets what is in the list.
    fn arrow(&mut self, value: &Value) {
        let ahead = if self.is_sign(1, '(') { 2 } else { 1 };
        let behind = ahead + if self.is_sign(1, '(') { 2 } else { 1 };
        if let (Some(name), true) = (self.name_at(ahead).map(str::to_owned), self.is_sign(behind, '=')) {
            let one = value.clone().one_of();
            self.set(&name, one);
        }
    }

    fn index(&mut self, close: char) -> Value {
        // A bare word between braces is a text.
        if close == '}'
            && let (Some(name), true) = (self.name_at(1).map(str::to_owned), self.is_sign(2, '}'))
        {
            self.at += 3;
            return Value::text(name);
        }
        let reversed = self.is_sign(1, ':') && self.is_sign(2, ':') && self.is_sign(3, '-');
        let mut arguments = self.arguments(close);
        if reversed {
            return Value::Name("::-1".to_owned());
        }
        arguments.list.pop().unwrap_or(Value::Unknown)
    }

    fn indexed(&mut self, value: &Value, index: &Value) -> Value {
        match (value, index) {
            (Value::Name(name), index) => match name.as_str() {
                "os.environ" | "process.env" | "ENV" | "$ENV" | "%ENV" | "$_ENV" | "$_SERVER" => self.variable(index),
                "sys.argv" | "process.argv" | "ARGV" | "@ARGV" | "$ARGV" | "$argv" => self.word(name, index),
                _ => Value::Unknown,
            },
            (Value::Text { .. }, Value::Name(slice)) if slice == "::-1" => {
                value.map(|text| text.chars().rev().collect())
            }
            (Value::List(items), index) => {
                let place = index.known().and_then(|text| text.parse::<usize>().ok());
                place.and_then(|place| items.get(place)).cloned().unwrap_or(Value::Unknown)
            }
            _ => Value::Unknown,
        }
    }

    /// A variable of the environment.
    pub(super) fn variable(&self, name: &Value) -> Value {
        let Some(name) = name.known() else { return Value::Unknown };
        if name == "HOME"
            && let Some(home) = &self.surroundings.home
        {
            return Value::text(home.clone());
        }
        (self.surroundings.variable)(name).map_or(Value::Unknown, Value::text)
    }

    fn word(&self, list: &str, index: &Value) -> Value {
        let first = match list {
            "sys.argv" => 1,
            "process.argv" => 1,
            "$argv" => 1,
            _ => 0,
        };
        let place =
            index.known().and_then(|text| text.parse::<usize>().ok()).and_then(|place| place.checked_sub(first));
        place
            .and_then(|place| self.surroundings.words.get(place))
            .map_or(Value::Unknown, |word| Value::text(word.clone()))
    }

    /// Puts the pieces of a string together.
    pub(super) fn fill(&mut self, pieces: &[Piece]) -> Value {
        let mut value = Value::text("");
        for piece in pieces {
            let next = match piece {
                Piece::Text(text) => Value::text(text.clone()),
                Piece::Code(code) => self.inner(code),
            };
            value = value.join("", &next);
        }
        value
    }

    /// Reads an expression that stands in a string.
    fn inner(&mut self, code: &str) -> Value {
        if self.depth >= DEPTH {
            self.too_deep = true;
            return Value::Unknown;
        }
        let outer = std::mem::replace(&mut self.tokens, tokens(self.language, code));
        let at = std::mem::replace(&mut self.at, 0);
        let value = self.expression();
        self.tokens = outer;
        self.at = at;
        value
    }

    fn call(&mut self, callee: &Value, arguments: &Arguments) -> Value {
        let Value::Name(name) = callee else { return Value::Unknown };
        let value = match self.language {
            Language::Python => python::call(self, name, arguments),
            Language::JavaScript => javascript::call(self, name, arguments),
            language => other::call(self, language, name, arguments),
        };
        if let Some(value) = value {
            return value;
        }
        for argument in &arguments.list {
            if let Value::File(file) = argument {
                self.spoils(*file);
            }
        }
        if self.is_foreign(name) {
            self.gap(&format!("what `{name}` does is not known"));
        }
        Value::Unknown
    }

    fn method(&mut self, value: &Value, name: &str, arguments: &Arguments) -> Value {
        if let Value::File(file) = value {
            match name {
                "write" | "print" | "puts" | "end" | "writeSync" | "printf" => {
                    let line = if name == "puts" {
                        arguments.at(0).join("", &Value::text("\n"))
                    } else {
                        arguments.at(0).clone()
                    };
                    if arguments.has(0) {
                        self.fills(*file, &line);
                    }
                    return value.clone();
                }
                "writelines" | "writer" => self.spoils(*file),
                _ => {}
            }
            return Value::Unknown;
        }
        if let Value::Text { path: true, .. } = value
            && let Some(value) = python::path_method(self, value, name, arguments)
        {
            return value;
        }
        text::method(value, name, arguments).unwrap_or_else(|| match value {
            Value::Text { .. } => value.map(|_| UNKNOWN.to_string()),
            _ => Value::Unknown,
        })
    }
}
