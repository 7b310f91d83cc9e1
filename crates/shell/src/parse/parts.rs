//! The parts of a word while it is read.

use crate::parse::syntax::{Part, Word, mark};

/// Collects the parts of a word, joining neighbouring text.
#[derive(Default)]
pub(crate) struct Parts(Vec<Part>);

impl Parts {
    pub(crate) fn push(&mut self, c: char) {
        match self.0.last_mut() {
            Some(Part::Text(text)) => text.push(c),
            _ => self.0.push(Part::Text(c.to_string())),
        }
    }

    /// Adds one of several texts, written like braces.
    pub(crate) fn choice(&mut self, inner: &str) {
        let several = inner.contains('|');
        self.extend_signs(several.then_some(mark::OPEN));
        self.extend_signs(inner.chars().map(|c| if c == '|' { mark::COMMA } else { c }));
        self.extend_signs(several.then_some(mark::CLOSE));
    }

    fn extend_signs(&mut self, signs: impl IntoIterator<Item = char>) {
        signs.into_iter().for_each(|sign| self.push(sign));
    }

    /// Makes the word exist even if its quotes are empty.
    pub(crate) fn touch(&mut self) {
        if self.0.is_empty() {
            self.0.push(Part::Text(String::new()));
        }
    }

    pub(crate) fn part(&mut self, part: Part) {
        self.0.push(part);
    }

    pub(crate) fn extend(&mut self, word: Word) {
        for part in word.0 {
            match part {
                Part::Text(text) => text.chars().for_each(|c| self.push(c)),
                other => self.part(other),
            }
        }
    }

    pub(crate) fn pop(&mut self) -> Option<char> {
        match self.0.last_mut() {
            Some(Part::Text(text)) => text.pop(),
            _ => None,
        }
    }

    pub(crate) fn last(&self) -> Option<char> {
        match self.0.last() {
            Some(Part::Text(text)) => text.chars().last(),
            _ => None,
        }
    }

    pub(crate) fn finish(self) -> Word {
        Word(self.0)
    }
}
