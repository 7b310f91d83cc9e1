//! Statements that give values to names: assignments and loops.

use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::lexer::Token;
use crate::inline::target::Target;
use crate::inline::value::Value;

impl Eval<'_> {
    /// `name = value`, `name += value`, `name := value`, `a, b = value`.
    pub(crate) fn assign(&mut self) -> bool {
        let plain = |at: usize| {
            self.is_sign(at, '=')
                && !self.is_sign(at + 1, '=')
                && !self.is_sign(at + 1, '>')
                && !self.is_sign(at + 1, '~')
        };
        let local = self.local;
        let Some(name) = self.name_at(0).map(str::to_owned) else { return self.assign_many() };
        let (skip, adds) = match () {
            () if plain(1) => (2, false),
            () if (self.is_sign(1, '+') || self.is_sign(1, '.')) && self.is_sign(2, '=') => (3, true),
            () if self.is_sign(1, ':') && self.is_sign(2, '=') => (3, false),
            () => match self.typed() {
                Some(at) => (at + 1, false),
                None => return self.assign_many(),
            },
        };
        self.at += skip;
        self.skip_lines();
        let mut value = self.listed();
        if adds {
            value = self.value_of(&name).plus(&value);
        }
        self.local = local;
        self.set(&name, value);
        true
    }

    /// `name: type = value`: where the sign is.
    fn typed(&self) -> Option<usize> {
        if !matches!(self.language, Language::Python | Language::JavaScript) || !self.is_sign(1, ':') {
            return None;
        }
        let of_type =
            |token: &Token| matches!(token, Token::Name(_) | Token::Text(_) | Token::Sign('.' | '[' | ']' | ',' | '|'));
        let end = (2..24).find(|at| !self.peek(*at).is_some_and(of_type))?;
        (end > 2 && self.is_sign(end, '=') && !self.is_sign(end + 1, '=')).then_some(end)
    }

    /// `a, b = …`, `[a, b] = …`.
    fn assign_many(&mut self) -> bool {
        let Some((target, end)) = self.targets(0) else { return false };
        let plain = self.is_sign(end, '=') && !self.is_sign(end + 1, '=') && !self.is_sign(end + 1, '>');
        if matches!(target, Target::Name(_)) || !plain {
            return false;
        }
        let local = self.local;
        self.at += end + 1;
        self.skip_lines();
        let value = self.listed();
        self.local = local;
        self.bind(&target, &value);
        true
    }

    /// A value, or several with commas between them.
    fn listed(&mut self) -> Value {
        let first = self.expression();
        if !self.is_sign(0, ',') || !matches!(self.language, Language::Python | Language::Ruby) {
            return first;
        }
        let mut list = vec![first];
        while self.is_sign(0, ',') && !self.is_spent() {
            self.at += 1;
            list.push(self.expression());
        }
        Value::List(list)
    }

    /// `name[key] = value` and `name.key = value`, of which the left side was read.
    pub(crate) fn put_into(&mut self, start: usize) {
        let end = self.at;
        self.at += 1;
        self.skip_lines();
        let value = self.expression();
        let left: Vec<Token> = self.tokens[start..end].iter().take(8).cloned().collect();
        match left.as_slice() {
            [Token::Name(holder), Token::Sign('['), key, Token::Sign(']')] => {
                let key = match key {
                    Token::Text(pieces) => self.fill(pieces),
                    Token::Number(number) => Value::text(number.clone()),
                    Token::Name(name) => self.value_of(name),
                    _ => Value::Unknown,
                };
                self.put(holder, &key, value);
            }
            [Token::Name(holder), Token::Sign('.'), Token::Name(key)] => {
                if matches!(self.value_of(holder), Value::Name(_)) {
                    self.set(&format!("{holder}.{key}"), value);
                } else {
                    self.put(holder, &Value::text(key.clone()), value);
                }
            }
            // Deeper in it than is followed.
            [Token::Name(holder), Token::Sign('[' | '.'), ..] => self.put(holder, &Value::Unknown, value),
            _ => {}
        }
    }

    /// `for x in [a, b]`, `foreach my $x (a, b)`, `for (const x of [a, b])`.
    pub(crate) fn for_loop(&mut self) {
        while matches!(self.name_at(0), Some("my" | "const" | "let" | "var" | "await"))
            || self.is_sign(0, '(') && self.language != Language::Python
        {
            self.at += 1;
        }
        let Some((target, end)) = self.targets(0) else { return };
        let listed = matches!(self.name_at(end), Some("in" | "of")) || self.is_sign(end, '(');
        if !listed {
            return;
        }
        self.at += end + usize::from(!self.is_sign(end, '('));
        let value = self.listed().one_of();
        self.bind(&target, &value);
    }
}
