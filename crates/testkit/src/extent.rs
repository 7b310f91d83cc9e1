//! How much of something a test does. `cargo xtask test` is what a person waits for; `cargo xtask test --slow` runs the same
//! tests again with all they have.

/// Set for the run with all of it (`xtask/src/test/started.rs`).
const THOROUGH: &str = "STEAD_THOROUGH_TESTS";

/// Returns true if nobody waits for this run.
#[must_use]
pub fn is_thorough() -> bool {
    std::env::var_os(THOROUGH).is_some()
}

/// How many times, or how much: `quick` while a person waits, otherwise `all`.
#[must_use]
pub fn extent(quick: u64, all: u64) -> u64 {
    if is_thorough() { all } else { quick }
}

/// The rows of a table: while a person waits, only each `nth` of them.
pub fn rows<T>(all: impl IntoIterator<Item = T>, nth: usize) -> impl Iterator<Item = T> {
    all.into_iter().step_by(if is_thorough() { 1 } else { nth })
}
