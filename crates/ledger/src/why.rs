//! Who wrote a line, and for what: answered from the ledger by equal hashes of lines, ranges and syntax nodes, whatever
//! happened to the file since. It never compares by similarity. What could have another source is unknown.
//!
//! A line of the ledger says which texts a call added, which it only moved, and which it removed. A text is followed from
//! there: to the place where it was recorded, or to another file once it is gone from that place and is nowhere else.

mod books;
#[cfg(test)]
mod fuzz;
mod held;
mod history;
mod index;
mod inquiry;
mod key;
mod moved;
mod past;
mod shelf;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod trivial;

pub use books::Books;
pub use held::Held;
pub use history::{Ancestry, History, Origin};
pub use inquiry::{Answer, Class, How, Inquiry};
pub(crate) use trivial::is_trivial;
