//! Context that survives a session: packets to hand over and pick up, loops that hold an agent to its task, role files,
//! relevant files, and the briefing at arrival.
//!
//! It reads and writes the project folder through `store` and returns what to say; it never prints, judges no tool call
//! and knows no client's wire format.

mod binding;
mod front_matter;
mod slug;

pub use binding::{Binding, bound_session, mark};
pub use front_matter::{Document, FrontMatterError};
pub use slug::{slug, stamp};
