use std::collections::HashMap;

use super::{Corrupt, PostingList};

/// Terms, lengths and times of consecutive documents, in memory: what was not indexed yet, or what is about to be.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    lists: HashMap<Box<str>, PostingList>,
    /// One byte per document; see [`length_of`].
    pub(crate) lengths: Vec<u8>,
    /// Seconds since 1970, per document.
    pub(crate) times: Vec<u32>,
}

impl Segment {
    /// The most documents that a segment has.
    pub(crate) const MOST: usize = 65_536;

    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// The lengths of its documents together.
    pub(crate) fn terms_in_all(&self) -> f64 {
        self.lengths.iter().map(|code| f64::from(length_of(*code))).sum()
    }

    /// Adds one occurrence of a term to the document that [`Segment::end`] ends.
    pub(crate) fn add(&mut self, term: &str) {
        let doc = self.lengths.len() as u32;
        match self.lists.get_mut(term) {
            Some(list) => list.push(doc),
            None => self.lists.entry(term.into()).or_default().push(doc),
        }
    }

    /// Ends a document of so many terms.
    pub(crate) fn end(&mut self, terms: usize, time: u32) {
        self.lengths.push(length_code(terms));
        self.times.push(time);
    }

    /// Makes all lists readable.
    pub(crate) fn close(&mut self) {
        self.lists.values_mut().for_each(PostingList::close);
    }

    /// A list of a closed segment.
    pub(crate) fn list(&self, term: &str) -> Option<&PostingList> {
        self.lists.get(term)
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.lists.keys().map(|term| &**term)
    }

    /// The lists in the order of their terms.
    pub(crate) fn sorted(&self) -> Vec<(&str, &PostingList)> {
        let mut all: Vec<_> = self.lists.iter().map(|(term, list)| (&**term, list)).collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        all
    }

    /// Appends the list of a segment whose first document becomes `first`.
    pub(crate) fn absorb(&mut self, term: &str, bytes: &[u8], first: u32, docs: u32) -> Result<(), Corrupt> {
        self.lists.entry(term.into()).or_default().absorb(bytes, first, docs)
    }
}

/// A length in one byte: exact up to 127 terms, then in steps of an eighth of a power of two.
fn length_code(terms: usize) -> u8 {
    match terms {
        0..128 => terms as u8,
        _ => {
            let eighths = ((terms as f64 / 128.0).log2() * 8.0).round();
            128 + eighths.min(127.0) as u8
        }
    }
}

/// The number of terms that a byte stands for.
pub(crate) fn length_of(code: u8) -> f32 {
    match code {
        0..128 => f32::from(code),
        _ => 128.0 * (f32::from(code - 128) / 8.0).exp2(),
    }
}
