//! Expressions: values put together, calls looked at as they are met.

use crate::inline::arguments::Arguments;
use crate::inline::eval::{DEPTH, Eval};
use crate::inline::language::Language;
use crate::inline::lexer::{Piece, Token, tokens};
use crate::inline::value::Value;
use crate::inline::{constant, other, text};

impl Eval<'_> {
    /// Reads an expression and everything that is called in it.
    pub(crate) fn expression(&mut self) -> Value {
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
                    left.plus(&right)
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
                _ => match self.choice(&left) {
                    Some(value) => value,
                    None => break,
                },
            };
            self.steps += left.weight();
        }
        self.depth -= 1;
        left
    }

    /// One of two values: `a or b`, `a if c else b`, `c ? a : b`; the second alone after `and`.
    fn choice(&mut self, left: &Value) -> Option<Value> {
        let twice = |sign: char| self.is_sign(0, sign) && self.is_sign(1, sign);
        let python = self.language == Language::Python;
        let script = matches!(self.language, Language::JavaScript | Language::Php);
        let word = self.name_at(0);
        if python && word == Some("or") || script && (twice('|') || twice('?')) {
            self.at += if python { 1 } else { 2 };
            self.skip_lines();
            let right = self.expression();
            // What is unknown may be nothing, and then it is the other.
            return Some(Value::union([left.clone(), right]));
        }
        if python && word == Some("and") || script && twice('&') {
            self.at += if python { 1 } else { 2 };
            self.skip_lines();
            return Some(self.expression());
        }
        if python && word == Some("if") {
            self.at += 1;
            self.expression();
            if self.name_at(0) != Some("else") {
                return Some(left.clone());
            }
            self.at += 1;
            let right = self.expression();
            return Some(Value::union([left.clone(), right]));
        }
        if script && self.is_sign(0, '?') && !self.is_sign(1, '.') {
            self.at += 1;
            self.skip_lines();
            let one = self.expression();
            self.skip_lines();
            if !self.is_sign(0, ':') {
                return Some(one);
            }
            self.at += 1;
            self.skip_lines();
            let two = self.expression();
            return Some(Value::union([one, two]));
        }
        None
    }

    fn operand(&mut self) -> Value {
        self.skip_lines();
        self.primary()
    }

    fn primary(&mut self) -> Value {
        self.steps += 1;
        if matches!(self.peek(0), Some(Token::Name(_) | Token::Sign('(')))
            && let Some(value) = self.function()
        {
            return if self.is_sign(0, '(') { self.postfix(value, None) } else { value };
        }
        let mut holder = None;
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
            Some(Token::Sign('{'))
                if matches!(self.language, Language::Python | Language::JavaScript | Language::Ruby) =>
            {
                // Behind a head it is a body.
                match self.at.checked_sub(1).and_then(|at| self.tokens.get(at)) {
                    Some(Token::Sign(')' | '>')) if self.language == Language::JavaScript => {
                        self.block();
                        return Value::Unknown;
                    }
                    _ => self.object(),
                }
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                match name.as_str() {
                    "new" | "await" | "not" | "return" | "my" | "our" | "yield" => return self.expression(),
                    "lambda" | "if" | "else" | "elif" | "while" | "def" | "class" | "function" | "end" | "do"
                    | "then" | "try" => {
                        return Value::Unknown;
                    }
                    _ => {
                        let value = self.value_of(&name);
                        holder = Some(name);
                        value
                    }
                }
            }
            Some(Token::Sign('!' | '&' | '\\' | '-' | '@' | '*')) => {
                self.at += 1;
                return self.expression();
            }
            _ => return Value::Unknown,
        };
        self.postfix(value, holder)
    }

    /// Attributes, calls and indices behind a value.
    fn postfix(&mut self, mut value: Value, mut holder: Option<String>) -> Value {
        loop {
            self.steps += 1;
            let dotted = !matches!(self.language, Language::Perl | Language::Php);
            let member = if dotted && self.is_sign(0, '.') || self.is_sign(0, '?') && self.is_sign(1, '.') {
                Some(if self.is_sign(0, '?') { 2 } else { 1 })
            } else if self.is_sign(0, '-') && self.is_sign(1, '>') || self.is_sign(0, ':') && self.is_sign(1, ':') {
                Some(2)
            } else if self.language == Language::Lua && self.is_sign(0, ':') {
                Some(1)
            } else if matches!(self.peek(0), Some(Token::Line(_))) && self.is_sign(1, '.') && self.name_at(2).is_some()
            {
                // A chain that goes on in the next line.
                Some(2)
            } else {
                None
            };
            if let Some(skip) = member
                && let Some(name) = self.name_at(skip).map(str::to_owned)
            {
                self.at += skip + 1;
                value = self.member(value, &name, holder.take());
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

    fn member(&mut self, value: Value, name: &str, holder: Option<String>) -> Value {
        if self.is_sign(0, '(') {
            // What a promise holds is handed to the function: `import('fs').then(fs => …)`.
            let promise = name == "then" && self.language == Language::JavaScript;
            if let (Value::Name(module), false) = (&value, promise) {
                return Value::Name(format!("{module}.{name}"));
            }
            if let Some(function @ (Value::Name(_) | Value::Any(_))) = value.field_of(name) {
                return function;
            }
            if matches!(name, "forEach" | "map" | "flatMap" | "each" | "filter" | "find" | "some" | "every") {
                self.given = Some(value.clone().one_of());
            } else if promise {
                self.given = Some(value.clone());
            }
            let start = self.at;
            let arguments = self.arguments(')');
            if let (Some(given), Value::Name(called)) = (self.given.take(), arguments.at(0)) {
                self.record(called, &Arguments { list: vec![given], named: Vec::new() });
            }
            if let Some(holder) = holder {
                self.grow(&holder, name, &arguments);
                if name == "endswith" {
                    self.narrow(start, &holder, &value, arguments.at(0));
                }
            }
            return self.method(&value, name, &arguments);
        }
        match &value {
            Value::Name(module) => {
                let whole = format!("{module}.{name}");
                if let Some((_, value)) = self.names.iter().rev().find(|(known, _)| *known == whole) {
                    return value.clone();
                }
                constant::attribute(self, module, name).unwrap_or(Value::Name(whole))
            }
            Value::Fields(_) | Value::Any(_) if value.field_of(name).is_some() => value.field(name),
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

    fn index(&mut self, close: char) -> Value {
        // A bare word between braces is a text.
        if close == '}'
            && let (Some(name), true) = (self.name_at(1).map(str::to_owned), self.is_sign(2, '}'))
        {
            self.at += 3;
            return Value::text(name);
        }
        let reversed = self.is_sign(1, ':') && self.is_sign(2, ':') && self.is_sign(3, '-');
        let from = match (self.peek(1), self.is_sign(2, ':')) {
            (Some(Token::Number(number)), true) => Some(number.clone()),
            _ => None,
        };
        let start = self.at;
        let mut arguments = self.arguments(close);
        if reversed {
            return Value::Name("::-1".to_owned());
        }
        if self.language == Language::Python && self.tokens[start..self.at].contains(&Token::Sign(':')) {
            return Value::Name(format!("{}:", from.unwrap_or_default()));
        }
        arguments.list.pop().unwrap_or(Value::Unknown)
    }

    fn indexed(&mut self, value: &Value, index: &Value) -> Value {
        match (value, index) {
            (Value::Name(name), index) => match name.as_str() {
                "os.environ" | "process.env" | "ENV" | "$ENV" | "%ENV" | "$_ENV" | "$_SERVER" => self.variable(index),
                _ => Value::Unknown,
            },
            (Value::Text { .. }, Value::Name(slice)) if slice == "::-1" => {
                value.map(|text| text.chars().rev().collect())
            }
            // A part of a list: what stands before its beginning is not in it.
            (Value::List(items), Value::Name(slice)) if slice.ends_with(':') => {
                let from = slice.trim_end_matches(':').parse::<usize>().unwrap_or(0);
                Value::List(items.iter().skip(from).cloned().collect())
            }
            (Value::List(_) | Value::Fields(_) | Value::Any(_), index) => match index.known() {
                Some(key) => match (key.parse::<usize>(), value.field_of(key)) {
                    (_, Some(field)) => field,
                    (Ok(place), None) => value.part(place),
                    (Err(_), None) => Value::Unknown,
                },
                None => value.held(),
            },
            _ => Value::Unknown,
        }
    }

    /// A variable of the environment.
    pub(crate) fn variable(&self, name: &Value) -> Value {
        let Some(name) = name.known() else { return Value::Unknown };
        if name == "HOME"
            && let Some(home) = &self.surroundings.home
        {
            return Value::text(home.clone());
        }
        (self.surroundings.variable)(name).map_or(Value::Unknown, Value::text)
    }

    /// Puts the pieces of a string together.
    pub(crate) fn fill(&mut self, pieces: &[Piece]) -> Value {
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
}
