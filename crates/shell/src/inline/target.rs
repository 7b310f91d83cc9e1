//! What loops, assignments and parameters give values to: a name, or several at once.

use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::lexer::Token;
use crate::inline::value::Value;

/// Names that one target may give.
const MOST: usize = 64;
/// How deep targets may nest.
const DEPTH: usize = 6;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Name(String),
    /// `a, b` and `[a, b]`: by place.
    Parts(Vec<Target>),
    /// `{a, b: c}`: by key.
    Fields(Vec<(String, Target)>),
    /// `*rest` and `...rest`.
    Rest(String),
}

impl Eval<'_> {
    /// Reads a target that begins some tokens ahead, and tells where it ends.
    pub(crate) fn target(&self, ahead: usize) -> Option<(Target, usize)> {
        self.one_target(ahead, 0)
    }

    /// The same with commas in the open: `for a, b in`, `a, b =`.
    pub(crate) fn targets(&self, ahead: usize) -> Option<(Target, usize)> {
        let (first, mut at) = self.target(ahead)?;
        if !self.is_sign(at, ',') || self.language == Language::JavaScript {
            return Some((first, at));
        }
        let mut parts = vec![first];
        while self.is_sign(at, ',') && parts.len() < MOST {
            match self.target(at + 1) {
                Some((next, end)) => {
                    parts.push(next);
                    at = end;
                }
                None => {
                    at += 1;
                    break;
                }
            }
        }
        Some((Target::Parts(parts), at))
    }

    fn one_target(&self, ahead: usize, depth: usize) -> Option<(Target, usize)> {
        if depth > DEPTH {
            return None;
        }
        match self.peek(ahead)? {
            Token::Name(name) if matches!(name.as_str(), "my" | "const" | "let" | "var") => {
                self.one_target(ahead + 1, depth + 1)
            }
            Token::Name(name) => Some((Target::Name(name.clone()), ahead + 1)),
            Token::Sign('*') => self.name_at(ahead + 1).map(|name| (Target::Rest(name.to_owned()), ahead + 2)),
            Token::Sign('.') if self.is_sign(ahead + 1, '.') && self.is_sign(ahead + 2, '.') => {
                self.name_at(ahead + 3).map(|name| (Target::Rest(name.to_owned()), ahead + 4))
            }
            Token::Sign('(') => self.parts(ahead + 1, ')', depth),
            Token::Sign('[') => self.parts(ahead + 1, ']', depth),
            Token::Sign('{') => self.fields(ahead + 1, depth),
            _ => None,
        }
    }

    fn parts(&self, mut at: usize, close: char, depth: usize) -> Option<(Target, usize)> {
        let mut parts = Vec::new();
        while parts.len() < MOST {
            if self.is_sign(at, close) {
                return Some((Target::Parts(parts), at + 1));
            }
            if self.is_sign(at, ',') {
                // A place that nobody wants.
                parts.push(Target::Name("_".to_owned()));
                at += 1;
                continue;
            }
            let (next, end) = self.one_target(at, depth + 1)?;
            parts.push(next);
            at = end + usize::from(self.is_sign(end, ','));
            if at == end && !self.is_sign(at, close) {
                return None;
            }
        }
        None
    }

    fn fields(&self, mut at: usize, depth: usize) -> Option<(Target, usize)> {
        let mut fields = Vec::new();
        while fields.len() < MOST {
            if self.is_sign(at, '}') {
                return Some((Target::Fields(fields), at + 1));
            }
            if self.is_sign(at, ',') || matches!(self.peek(at), Some(Token::Line(_))) {
                at += 1;
                continue;
            }
            if self.is_sign(at, '.') {
                let (rest, end) = self.one_target(at, depth + 1)?;
                fields.push((String::new(), rest));
                at = end;
                continue;
            }
            let key = self.name_at(at)?.to_owned();
            let (value, end) = if self.is_sign(at + 1, ':') {
                self.one_target(at + 2, depth + 1)?
            } else {
                (Target::Name(key.clone()), at + 1)
            };
            fields.push((key, value));
            at = end;
        }
        None
    }

    /// Gives a value to a target.
    pub(crate) fn bind(&mut self, target: &Target, value: &Value) {
        self.steps += value.weight();
        match target {
            Target::Name(name) => self.set(name, value.clone()),
            Target::Rest(name) => self.set(name, Value::List(vec![value.held()])),
            Target::Parts(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    // What stands before a rest is counted from the front only.
                    let after = parts[..place].iter().any(|part| matches!(part, Target::Rest(_)));
                    let held = after || matches!(part, Target::Rest(_));
                    let value = if held { value.held() } else { value.part(place) };
                    match part {
                        Target::Rest(name) => self.set(name, Value::List(vec![value])),
                        part => self.bind(part, &value),
                    }
                }
            }
            Target::Fields(fields) => {
                for (key, target) in fields {
                    let field = match value {
                        Value::Name(module) => Value::Name(format!("{module}.{key}")),
                        value => value.field(key),
                    };
                    self.bind(target, &field);
                }
            }
        }
    }
}
