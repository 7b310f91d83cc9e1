//! `if name.endswith('.py')`: restricts a pattern inside the branch of such a condition.

use crate::glob;

use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::lexer::Token;
use crate::inline::value::{UNKNOWN, Value};

impl Eval<'_> {
    /// Restricts the value of a name while the condition holds; `start` is the opening bracket of the condition.
    pub(crate) fn narrow(&mut self, start: usize, holder: &str, value: &Value, ending: &Value) {
        let is_word = |back: usize, word: &str| {
            start
                .checked_sub(back)
                .and_then(|at| self.tokens.get(at))
                .is_some_and(|token| matches!(token, Token::Name(name) if name == word))
        };
        // The brackets are preceded by the name, a dot and the method.
        let asked = is_word(4, "if");
        let denied = is_word(4, "not") && is_word(5, "if");
        let line = usize::from(matches!(self.peek(1), Some(Token::Line(_))));
        let goes_on = self.is_sign(0, ':') && self.name_at(1 + line) == Some("continue");
        if self.language != Language::Python || !(asked || denied && goes_on) {
            return;
        }
        let endings = ending.texts();
        let texts: Vec<String> = match value {
            Value::Text { any, .. } => any.clone(),
            _ => vec![UNKNOWN.to_string()],
        };
        let open = |text: &String| text.ends_with([glob::MANY, UNKNOWN]);
        if endings.iter().any(|ending| ending.contains(UNKNOWN)) || !texts.iter().all(open) {
            return;
        }
        let ended = |text: &String| endings.iter().map(|ending| format!("{text}{ending}")).collect::<Vec<_>>();
        let any: Vec<String> = texts.iter().flat_map(ended).collect();
        let path = matches!(value, Value::Text { path: true, .. });
        // Followed by `or`, the condition means something else.
        if asked && (self.is_sign(0, ':') || self.name_at(0) == Some("and")) {
            self.narrowed.push((self.column, holder.to_owned(), value.clone()));
        } else if asked && !matches!(self.peek(0), Some(Token::Sign(']' | ')'))) {
            return;
        }
        self.set(holder, Value::Text { any, path });
    }

    /// Ends restrictions of lines that were indented further.
    pub(crate) fn widen(&mut self, column: usize) {
        while let Some((_, name, value)) = self.narrowed.pop_if(|(head, ..)| column <= *head) {
            self.set(&name, value);
        }
    }
}
