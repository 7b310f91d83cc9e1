//! A syntax tree without what does not count: whitespace, comments, quotes, optional parentheses and commas. Each
//! local name knows which variable it is. It is one flat list, so that nothing recurses over what people wrote.

mod build;
mod encode;
mod piece;
mod scope;
mod spelling;

use std::collections::HashMap;
use std::ops::Range;

use crate::budget::Budget;
use crate::error::CodeError;
use crate::language::{Language, Table};

pub(crate) use piece::Piece;

/// One node: an inner one, a word with its text, or a token that its kind describes.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) kind: u16,
    /// Its field in the parent, or 0.
    pub(crate) field: u16,
    pub(crate) parent: u32,
    /// The place behind its last descendant.
    pub(crate) end: u32,
    pub(crate) bytes: Range<u32>,
    pub(crate) text: Text,
    /// The variable it names: a place in [`Tree::variables`], plus 1.
    pub(crate) variable: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    None,
    /// As it is in the source.
    Source,
    /// Written in another way there.
    Owned(Box<str>),
}

/// A local variable, or several of one name in one scope.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// The first term of its scope.
    pub(crate) scope: u32,
}

pub(crate) const ROOT: u32 = u32::MAX;

pub(crate) struct Tree<'a> {
    pub(crate) language: Language,
    pub(crate) table: &'static Table,
    pub(crate) source: &'a str,
    pub(crate) terms: Vec<Term>,
    pub(crate) variables: Vec<Variable>,
    /// Variables that strings in macros name: per term, places in its text.
    pub(crate) embedded: HashMap<u32, Vec<(Range<usize>, u32)>>,
    /// Places of terms where the parser met an error.
    errors: Vec<u32>,
}

impl<'a> Tree<'a> {
    pub(crate) fn parse(language: Language, source: &'a str, budget: &Budget) -> Result<Self, CodeError> {
        let mut tree = build::build(language, source, budget)?;
        scope::resolve(&mut tree);
        Ok(tree)
    }

    pub(crate) fn text(&self, at: usize) -> &str {
        let term = &self.terms[at];
        match &term.text {
            Text::None => "",
            Text::Source => self.source_of(&term.bytes),
            Text::Owned(text) => text,
        }
    }

    pub(crate) fn source_of(&self, bytes: &Range<u32>) -> &'a str {
        self.source.get(bytes.start as usize..bytes.end as usize).unwrap_or_default()
    }

    pub(crate) fn is_broken(&self, range: Range<usize>) -> bool {
        let from = self.errors.partition_point(|at| (*at as usize) < range.start);
        self.errors.get(from).is_some_and(|at| (*at as usize) < range.end)
    }

    /// The direct children of a term, or of the file.
    pub(crate) fn children(&self, parent: usize) -> impl Iterator<Item = usize> + '_ {
        let (mut at, end) = match parent {
            usize::MAX => (0, self.terms.len()),
            parent => (parent + 1, self.terms[parent].end as usize),
        };
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.terms[child].end as usize;
            Some(child)
        })
    }

    pub(crate) fn kind_name(&self, at: usize) -> &'static str {
        self.table.name(self.terms[at].kind)
    }
}
