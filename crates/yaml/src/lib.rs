//! YAML as a tree that knows where each part of it stands, so that many faults can be reported at once and each with its
//! place. Guards, stages and pipelines are read through it. It reads within bounds (size, depth, number of nodes,
//! aliases), and a key that is given twice is an error. It never opens a file.

mod fault;
mod tree;

pub use fault::YamlFault;
pub use tree::{Entry, LIMIT, Position, Tree, Value, parse, parse_document, parse_plain};
