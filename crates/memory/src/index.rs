//! The index over traces: a cache in SQLite that is rebuilt whenever it is missing, older, damaged or does not fit the
//! logs. It holds postings of our own, because FTS5 scores every document that contains a word, which takes a second for a
//! word in a million of them; FTS5 finds words by their trigrams. What the index does not cover yet is read from the logs.

mod database;
mod log;
mod place;
mod posting_list;
mod segment;
mod shelf;
pub(crate) mod terms;
mod vectors;
mod view;

pub(crate) use database::{Database, IndexError};
pub(crate) use log::Log;
pub(crate) use place::Place;
pub(crate) use posting_list::{PostingList, each_posting};
pub(crate) use segment::{Segment, length_of};
pub(crate) use shelf::Shelf;
pub(crate) use vectors::{LineKey, VectorKey, Vectors, log_hash, text_hash};
pub(crate) use view::{Part, View, seconds};

/// A part of the index cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt;
