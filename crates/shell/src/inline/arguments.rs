//! The words of a call.

use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::lexer::Token;
use crate::inline::value::Value;

/// The words of a call, by place and by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) list: Vec<Value>,
    pub(crate) named: Vec<(String, Value)>,
}

impl Arguments {
    pub(crate) fn at(&self, place: usize) -> &Value {
        self.list.get(place).unwrap_or(&Value::Unknown)
    }

    pub(crate) fn has(&self, place: usize) -> bool {
        self.list.len() > place
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Value> {
        self.named.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Takes a container apart that holds several arguments, by their names or not.
    fn spread(&mut self, value: Value, named: bool) {
        match value {
            Value::List(items) => self.list.extend(items),
            Value::Fields(fields) if named => {
                self.named.extend(fields.into_iter().filter_map(|(key, value)| Some((key?, value))));
            }
            Value::Any(values) => {
                let longest = values.iter().map(|value| if let Value::List(items) = value { items.len() } else { 1 });
                let longest = longest.max().unwrap_or(0);
                let whole = Value::Any(values);
                self.list.extend((0..longest).map(|place| whole.part(place)));
            }
            other => self.list.push(other),
        }
    }

    /// The argument at a place, or by its name.
    pub(crate) fn get(&self, place: usize, name: &str) -> &Value {
        self.named(name).unwrap_or_else(|| self.at(place))
    }
}

impl Eval<'_> {
    /// Reads what stands between brackets, with the names some of it has.
    pub(crate) fn arguments(&mut self, close: char) -> Arguments {
        self.at += 1;
        let mut arguments = Arguments::default();
        while self.at < self.tokens.len() && !self.is_spent() {
            match self.peek(0) {
                Some(Token::Line(_) | Token::Sign(',')) => {
                    self.at += 1;
                    continue;
                }
                Some(Token::Sign(sign)) if *sign == close => {
                    self.at += 1;
                    break;
                }
                Some(Token::Sign(')' | ']')) => break,
                _ => {}
            }
            let (before, done) = (self.at, (self.acts.len(), self.calls.len()));
            let spread = self.spread();
            self.at += spread.unwrap_or(0);
            let named = match (self.name_at(0), self.is_sign(1, '='), self.is_sign(1, ':')) {
                (Some(name), true, _) if !self.is_sign(2, '=') && !self.is_sign(2, '>') => Some(name.to_owned()),
                (Some(name), _, true) if !self.is_sign(2, ':') => Some(name.to_owned()),
                _ => None,
            };
            if let Some(name) = named {
                self.at += 2;
                let value = self.expression();
                arguments.named.push((name, value));
            } else {
                let value = self.expression();
                if self.at == before {
                    // `{` of an object, an operator: passed over; what is in it is still read.
                    self.at += 1;
                    continue;
                }
                match spread {
                    Some(count) => arguments.spread(value, count == 2),
                    None => {
                        arguments.list.push(value);
                        self.comprehension(before, done, &mut arguments);
                    }
                }
            }
        }
        arguments
    }

    /// `[f(x) for x in list]`: the loop is read after what it repeats, so it is read as a loop and then again.
    fn comprehension(&mut self, start: usize, done: (usize, usize), arguments: &mut Arguments) {
        if self.language != Language::Python || self.name_at(0) != Some("for") {
            return;
        }
        let mut own = Vec::new();
        while self.name_at(0) == Some("for") {
            let Some((target, end)) = self.targets(1).filter(|(_, end)| self.name_at(*end) == Some("in")) else {
                break;
            };
            self.at += end + 1;
            let held = self.acts.len();
            let listed = self.expression();
            self.bind(&target, &listed.one_of());
            // What the list itself does is done once.
            own.extend(self.acts.split_off(held));
        }
        if matches!(self.name_at(0), Some("if")) {
            self.at += 1;
            self.expression();
        }
        self.acts.truncate(done.0);
        self.calls.truncate(done.1);
        self.acts.extend(own);
        let end = std::mem::replace(&mut self.at, start);
        let again = self.expression();
        self.at = end.max(self.at);
        arguments.list.pop();
        arguments.list.push(again);
    }

    /// Arguments of a call without parentheses, up to the end of the statement.
    pub(crate) fn bare_arguments(&mut self) -> Arguments {
        let mut arguments = Arguments::default();
        loop {
            let before = self.at;
            let value = self.expression();
            if self.at == before {
                break;
            }
            arguments.list.push(value);
            // `print $fh "text"` has no comma.
            if self.is_sign(0, ',') {
                self.at += 1;
            } else if !matches!(self.peek(0), Some(Token::Text(_))) {
                break;
            }
        }
        arguments
    }
}
