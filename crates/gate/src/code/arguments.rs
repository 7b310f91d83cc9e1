//! The words of a call.

use super::eval::Eval;
use super::language::Language;
use super::lexer::Token;
use super::value::Value;

/// The words of a call, by place and by name.
#[derive(Default)]
pub(super) struct Arguments {
    pub(super) list: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
}

impl Arguments {
    pub(super) fn at(&self, place: usize) -> &Value {
        self.list.get(place).unwrap_or(&Value::Unknown)
    }

    pub(super) fn has(&self, place: usize) -> bool {
        self.list.len() > place
    }

    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        self.named.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The argument at a place, or by its name.
    pub(super) fn get(&self, place: usize, name: &str) -> &Value {
        self.named(name).unwrap_or_else(|| self.at(place))
    }
}

impl Eval<'_> {
    /// Reads what stands between brackets, with the names some of it has.
    pub(super) fn arguments(&mut self, close: char) -> Arguments {
        self.at += 1;
        let mut arguments = Arguments::default();
        while self.at < self.tokens.len() {
            match self.peek(0) {
                Some(Token::Line | Token::Sign(',')) => {
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
            let (before, done) = (self.at, self.acts.len());
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
                arguments.list.push(value);
                self.comprehension(before, done, &mut arguments);
            }
        }
        arguments
    }

    /// `[f(x) for x in list]`: the loop is read after what it repeats, so it is read as a loop and then again.
    fn comprehension(&mut self, start: usize, done: usize, arguments: &mut Arguments) {
        if self.language != Language::Python || self.name_at(0) != Some("for") {
            return;
        }
        let (Some(name), Some("in")) = (self.name_at(1).map(str::to_owned), self.name_at(2)) else { return };
        self.at += 3;
        let held = self.acts.len();
        let listed = self.expression();
        self.set(&name, listed.one_of());
        // What the list itself does is done once.
        let listed: Vec<_> = self.acts.split_off(held);
        self.acts.truncate(done);
        self.acts.extend(listed);
        let end = std::mem::replace(&mut self.at, start);
        let again = self.expression();
        self.at = end.max(self.at);
        arguments.list.pop();
        arguments.list.push(again);
    }

    /// Arguments of a call without parentheses, up to the end of the statement.
    pub(super) fn bare_arguments(&mut self) -> Arguments {
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
