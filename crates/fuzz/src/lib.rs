//! What must hold for arbitrary input, one function per reader. The targets in `fuzz/fuzz_targets` only name them, and the
//! tests of this crate give each the examples it starts from.
//!
//! A target fails by panicking. Run them with `cargo xtask fuzz`.

mod boundary;
mod client;
mod effect;
mod jsonl;
mod ledger;
mod no_files;
mod packet;
mod redact;
#[cfg(test)]
mod seeds;
mod shell;

pub use boundary::boundary;
pub use client::client;
pub use effect::{code, effect};
pub use jsonl::jsonl;
pub use ledger::ledger;
pub use packet::packet;
pub use redact::redact;
pub use shell::shell;
